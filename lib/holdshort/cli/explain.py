"""`holdshort explain`: the whole story of a code, or of the last decision."""

from __future__ import annotations

import json

import click

from holdshort.cli.decisions import decisions
from holdshort.cli.errors import RefusedError
from holdshort.cli.project import here
from holdshort.core.codes import CODES, ROWS
from holdshort.core.words import safe


@click.command()
@click.argument("code", required=False)
@click.option("--last", is_flag=True, help="The last decision made in this project.")
@click.option("--json", "as_json", is_flag=True, help="For scripts.")
def explain(*, code: str | None, last: bool, as_json: bool) -> None:
    """Explain CODE, or why the last dispatch was denied or was not."""
    if last == (code is not None):
        raise click.UsageError("give a code such as HS101, or --last")
    entry = _last() if last else {}
    code = str(entry.get("code", "")) if last else _known(code or "")
    row = ROWS.get(str(entry.get("row", "")), "")
    if as_json:
        click.echo(json.dumps({"decision": entry, "row": row, "story": CODES.get(code)}, indent=2))
        return
    if last:
        click.echo(
            f"{entry.get('at')}  {safe(str(entry.get('name', '')))}: {entry.get('decision')}"
        )
        click.echo(f"Because: {row or 'nothing but what follows'}.")
        click.echo(f"It was told: {safe(str(entry.get('reason', ''))) or 'nothing'}")
    if code in CODES:
        title, story, advice = CODES[code]
        click.echo(f"{code}  {title}\n{story}\nWhat to do: {advice}")


def _known(code: str) -> str:
    if code.upper() not in CODES:
        raise RefusedError(f"{safe(code)} is no code of holdshort", "see docs/codes.md")
    return code.upper()


def _last() -> dict[str, object]:
    found = [entry for entry in decisions(here()) if "row" in entry]
    if not found:
        raise RefusedError("no decision has been logged in this project yet")
    return found[-1]
