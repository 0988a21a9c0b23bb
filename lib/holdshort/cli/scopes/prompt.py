"""`holdshort scopes prompt`: the block that an agent's prompt must carry."""

from __future__ import annotations

import os

import click

from holdshort.adapters.files import contents
from holdshort.adapters.json_text import parse
from holdshort.adapters.places import SCOPE_FILES
from holdshort.adapters.scope_files import wave_name
from holdshort.cli.errors import RefusedError
from holdshort.cli.project import here
from holdshort.cli.scopes.report import Report
from holdshort.cli.scopes.state import LARGEST, state_directory, wave_number, wave_of_manifest
from holdshort.cli.scopes.strict import StrictCommand
from holdshort.core.declarations import entry_list, is_safe_id
from holdshort.core.prompt_block import block, is_read_back
from holdshort.core.words import clip_path, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdshort.cli.scopes.state import StateDirectory


@click.command(cls=StrictCommand)
@click.argument("name", metavar="ID")
@click.option("--state-dir", metavar="D", help="Where wave-scope.json is; found when left out.")
@click.option("--wave", metavar="N", help="The number of the wave; else the manifest's.")
@click.option("--json", "as_json", is_flag=True, help="Print it with its entries as JSON.")
def prompt(*, name: str, state_dir: str | None, wave: str | None, as_json: bool) -> None:
    """Print the FILE-SCOPE block of the agent ID, to be put into its prompt."""
    if not is_safe_id(name):
        raise RefusedError(f"{quoted(name)} is no id of an agent")
    number = None if wave is None else wave_number(wave)
    state, report = state_directory(here(), state_dir), Report()
    entries = _entries(state, wave_of_manifest(state) if number is None else number, name)
    text, lost = block(name, entries)
    report.add_errors(f"no prompt can say '{clip_path(entry)}'; rename the file" for entry in lost)
    if not lost and not is_read_back(text, entries):
        report.errors.append("these entries would not be read back from a prompt as they are")
    report.finish({"prompt": text, "entries": list(entries)}, as_json=as_json)
    if not as_json:
        click.echo(text, nl=False)


def _entries(state: StateDirectory, wave: int, name: str) -> tuple[str, ...]:
    """The entries in the scope file of an agent. Raises RefusedError and OSError."""
    path = os.path.join(state.path, SCOPE_FILES, wave_name(wave), f"{name}.json")
    raw = contents(path, LARGEST)
    if raw is None:
        raise RefusedError(
            f"{quoted(name)} has no scope file in wave {wave}", "materialize it first"
        )
    try:
        found, faults = entry_list(parse(raw))
    except ValueError:
        found, faults = (), ("not JSON",)
    if faults:
        raise RefusedError(f"{clip_path(path)}: {faults[0]}")
    return found
