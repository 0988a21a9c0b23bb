"""`holdshort status`: who is in flight, on what, and how we know."""

from __future__ import annotations

import json
import time

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from holdshort.adapters.bash_parser import is_installed
from holdshort.adapters.places import folds_case
from holdshort.adapters.tracked import tracked_files
from holdshort.cli.project import book_here, here
from holdshort.core.book import CLOSED, Book, has_lifecycle
from holdshort.core.liveness import Standing, standing
from holdshort.core.scope_index import ScopeIndex
from holdshort.core.words import epoch_of, listed, safe, span
from holdshort.gather.evidence import evidence_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdshort.core.book import Record

ENTRIES_SHOWN = 6


@click.command()
@click.option("--all", "everything", is_flag=True, help="Agents that have ended, too.")
@click.option("--json", "as_json", is_flag=True, help="For scripts.")
def status(*, everything: bool, as_json: bool) -> None:
    """Show who is in flight on what, with the evidence."""
    place = here()
    book, now = book_here(place), time.time()
    rows = [(record, standing_of(book, record, now)) for record in book.agents]
    rows = [row for row in rows if everything or row[1].state not in CLOSED]
    if as_json:
        click.echo(json.dumps([_as_json(*row) for row in rows], indent=2))
    elif not rows:
        click.echo("Nobody is in flight here.")
    else:
        Console().print(_table(rows, now))
    if not as_json and not is_installed():
        click.echo(
            "The shell parser is missing: fewer shell commands are read (make setup).", err=True
        )


def standing_of(book: Book, record: Record, now: float) -> Standing:
    """The state of a record's agent, by the ledger and by what can be found out about it now."""
    seen = has_lifecycle(book, record["session"])
    return standing(record, evidence_of(record, [], {}), now, "", lifecycle_seen=seen)


def _as_json(record: Record, found: Standing) -> dict[str, object]:
    shown = ("id", "toolUseId", "agentId", "tree", "access", "source", "files", "at")
    return {
        **{name: record[name] for name in shown},
        "session": record["session"]["id"],
        "state": found.state,
        "evidence": found.why,
        "wholeTree": is_whole_tree(record, tracked_files(record["tree"])),
    }


def _table(rows: list[tuple[Record, Standing]], now: float) -> Table:
    table = Table(box=None, pad_edge=False)
    for heading in ("AGENT", "STATE", "FOR", "HOLDS", "EVIDENCE", "ID"):
        table.add_column(heading, overflow="fold")
    trees = {record["tree"]: tracked_files(record["tree"]) for record, _ in rows}
    for record, found in rows:
        age = span(now - (epoch_of(record["at"]) or now))
        holds = _holds(record, trees[record["tree"]])
        cells = (record["id"], found.state, age, holds, found.why, record["toolUseId"])
        table.add_row(*(Text(safe(cell)) for cell in cells))
    return table


def _holds(record: Record, tracked: list[str] | None) -> str:
    if record["access"] == "read":
        return "nothing (reads)"
    if not record["files"]:
        return "nothing (undeclared)"
    entries = listed([safe(entry) for entry in record["files"]], ENTRIES_SHOWN)
    return f"{entries} (the whole tree!)" if is_whole_tree(record, tracked) else entries


def is_whole_tree(record: Record, tracked: list[str] | None) -> bool:
    """Whether an agent holds every file there is, which keeps everyone else from everything.

    tracked: the tree's files, or None when git does not tell; then only `**` is sure to be all.
    """
    if record["access"] == "read" or not record["files"]:
        return False
    scope = ScopeIndex(record["files"])
    folds = bool(record["tree"]) and folds_case(record["tree"])
    probes = [path.casefold() if folds else path for path in tracked or ["a", "a/b"]]
    return all(scope.covers_path(path) is not None for path in probes)
