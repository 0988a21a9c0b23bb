"""`holdshort release`: take an agent that is gone off the ledger."""

from __future__ import annotations

import time

import click

from holdshort.cli.errors import RefusedError
from holdshort.cli.people import refuse_agents
from holdshort.cli.project import here, locked, sensible
from holdshort.core.book import FINISHED, Book, is_closed, moved
from holdshort.core.words import iso_of, listed, quoted, safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdshort.core.book import Record

SHORTEST_TAIL = 6  # characters of an id's end that may stand for it


@click.command()
@click.argument("name", metavar="ID")
def release(*, name: str) -> None:
    """Let go of everything the agent ID holds (as `holdshort status` shows it). People only."""
    refuse_agents("release")
    with locked(here()) as ledger:
        book = sensible(ledger.book, ledger.fault)
        record = _one_called(book, name)
        released = moved(record, FINISHED, "released", time.time())
        ledger.write(book.updated([released]), iso_of(time.time()))
    click.echo(f"{quoted(record['id'])} holds nothing any more.")


def _one_called(book: Book, name: str) -> Record:
    found = [record for record in book.agents if not is_closed(record) and _is_called(record, name)]
    if len(found) == 1:
        return found[0]
    ids = [safe(record["toolUseId"]) for record in (found or book.agents) if not is_closed(record)]
    fault = f"{quoted(name)} is {'more than one agent' if found else 'no agent in flight'}"
    raise RefusedError(fault, f"in flight: {listed(ids, 8) or 'nobody'}")


def _is_called(record: Record, name: str) -> bool:
    if name in (
        record["toolUseId"],
        record["agentId"],
        record["name"],
        record["id"],
        record["desc"],
    ):
        return True
    return len(name) >= SHORTEST_TAIL and record["toolUseId"].endswith(name)
