"""`holdshort log`: what was decided, newest last."""

from __future__ import annotations

import json
from collections import deque

import click

from holdshort.cli.decisions import decisions
from holdshort.cli.project import here
from holdshort.core.words import safe


@click.command()
@click.option("-n", "most", default=20, show_default=True, type=click.IntRange(1), help="Lines.")
@click.option("--json", "as_json", is_flag=True, help="For scripts: one object a line.")
def log(*, most: int, as_json: bool) -> None:
    """Show the latest decisions of this project."""
    for entry in deque(decisions(here()), most):
        click.echo(json.dumps(entry) if as_json else _line(entry))


def _line(entry: dict[str, object]) -> str:
    fields = ("at", "decision", "code", "name", "reason")
    return "  ".join(safe(str(entry[field])) for field in fields if entry.get(field))
