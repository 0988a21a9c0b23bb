"""`holdshort scopes clear`: the wave is over, its scope files go."""

from __future__ import annotations

import os
import time

import click

from holdshort.adapters import scope_files
from holdshort.cli.errors import RefusedError
from holdshort.cli.project import book_here, here
from holdshort.cli.scopes.report import Report
from holdshort.cli.scopes.state import StateDirectory, manifest_of, state_directory
from holdshort.cli.scopes.strict import StrictCommand
from holdshort.cli.status import standing_of
from holdshort.core.book import CLOSED, holds_files, is_closed
from holdshort.core.words import clip_path, listed, quoted, safe
from holdshort.gather.manifest import Manifest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdshort.adapters.places import Place

SHOWN = 8


@click.command(cls=StrictCommand)
@click.option("--state-dir", metavar="D", help="Where wave-scope.json is; found when left out.")
@click.option("--json", "as_json", is_flag=True, help="Print what went and what stayed as JSON.")
def clear(*, state_dir: str | None, as_json: bool) -> None:
    """Remove the manifest and the scope files of a wave whose agents have all ended.

    What holdshort did not write stays, and is named.
    """
    place, report = here(), Report()
    state = state_directory(place, state_dir)
    _refuse_while_in_flight(place, state)
    done = scope_files.clear(place.root, state.parts)
    report.warnings += [f"left alone: {_shown(state, path)}" for path in done.kept]
    report.finish({"removed": done.removed, "kept": done.kept}, as_json=as_json)
    if not as_json:
        for path in done.removed:
            click.echo(f"removed {_shown(state, path)}")
        if not done.removed:
            click.echo("There is nothing to clear.")


def _shown(state: StateDirectory, path: str) -> str:
    return safe(os.path.join(state.shown, path))


def _refuse_while_in_flight(place: Place, state: StateDirectory) -> None:
    """Raise RefusedError while an agent of the manifest's wave holds files."""
    value = manifest_of(state)
    if value is None:
        return
    label, book, now = Manifest(state.path, value, 0.0).wave, book_here(place), time.time()
    working = [
        quoted(record["id"])
        for record in book.agents
        if record["wave"] == label
        and not is_closed(record)
        and holds_files(record)
        and standing_of(book, record, now).state not in CLOSED
    ]
    if working:
        who = listed(working, SHOWN)
        raise RefusedError(
            f"in flight in wave {clip_path(label)}: {who}", "wait, or see holdshort status"
        )
