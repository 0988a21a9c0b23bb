"""`holdshort scopes materialize`: write what the agents of a wave declare where everyone looks."""

from __future__ import annotations

import json
import os

import click

from holdshort.adapters.json_text import parse
from holdshort.adapters.places import SCOPE_FILES
from holdshort.adapters.scope_files import aggregate_name, publish, wave_name
from holdshort.cli.project import here
from holdshort.cli.scopes.report import Report
from holdshort.cli.scopes.state import bases, raw_of_stdin, state_directory, wave_number
from holdshort.cli.scopes.strict import StrictCommand
from holdshort.core.declarations import Declaration, declared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from holdshort.adapters.places import Place


@click.command(cls=StrictCommand)
@click.option("--state-dir", metavar="D", help="Where wave-scope.json is; found when left out.")
@click.option("--wave", metavar="N", required=True, help="The number of the wave.")
@click.option("--json", "as_json", is_flag=True, help="Print all paths, and faults too, as JSON.")
def materialize(*, state_dir: str | None, wave: str, as_json: bool) -> None:
    """Write the declarations on stdin, a list of {id, files}, as the scope files of a wave.

    Prints the path of the file that holds all of them. All files are written, or none.
    """
    number, place, report = wave_number(wave), here(), Report()
    state = state_directory(place, state_dir)
    found = _declared(place, report)
    if found:
        files = {f"{each.id}.json": _text(list(each.files)) for each in found}
        records = [{**each.record, "files": list(each.files)} for each in found]
        publish(place.root, state.parts, number, files, _text(records))
    directory = os.path.join(state.shown, SCOPE_FILES)
    aggregate = os.path.join(directory, aggregate_name(number))
    agents = [os.path.join(directory, wave_name(number), f"{each.id}.json") for each in found]
    report.finish({"aggregatePath": aggregate, "perAgentPaths": agents}, as_json=as_json)
    if not as_json:
        click.echo(os.fsencode(aggregate))


def _declared(place: Place, report: Report) -> Sequence[Declaration]:
    try:
        value = parse(raw_of_stdin())
    except ValueError:
        report.errors.append("stdin: not JSON")
        return ()
    found, faults = declared(value, bases(place))
    report.add_errors(faults)
    return found


def _text(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
