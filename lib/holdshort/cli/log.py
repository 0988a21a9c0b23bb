"""`holdshort log`: what was decided, newest last."""

from __future__ import annotations

import json
from collections import deque

import click
from pathspec import PathSpec

from holdshort.cli.decisions import decisions
from holdshort.cli.project import here
from holdshort.core.words import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


@click.command()
@click.option("-n", "most", default=20, show_default=True, type=click.IntRange(1), help="Lines.")
@click.option("--path", "patterns", multiple=True, help="Only about paths like this (gitignore).")
@click.option("--json", "as_json", is_flag=True, help="For scripts: one object a line.")
def log(*, most: int, patterns: tuple[str, ...], as_json: bool) -> None:
    """Show the latest decisions of this project."""
    wanted = PathSpec.from_lines("gitignore", patterns) if patterns else None
    for entry in deque(_about(wanted), most):
        click.echo(json.dumps(entry) if as_json else _line(entry))


def _about(wanted: PathSpec[Any] | None) -> Iterator[dict[str, object]]:
    for entry in decisions(here()):
        if wanted is None or wanted.match_file(str(entry.get("path", ""))):
            yield entry


def _line(entry: dict[str, object]) -> str:
    fields = ("at", "decision", "code", "name", "reason")
    return "  ".join(safe(str(entry[field])) for field in fields if entry.get(field))
