"""`holdshort scopes`: the scopes of a wave, from the coordinator's plan to its end."""

from __future__ import annotations

import click

from holdshort.cli.scopes.check import check
from holdshort.cli.scopes.clear import clear
from holdshort.cli.scopes.materialize import materialize
from holdshort.cli.scopes.prompt import prompt
from holdshort.cli.scopes.union import union


@click.group()
def scopes() -> None:
    """Write, check and hand out the scopes of a wave (docs/scopes.md)."""


for verb in (materialize, check, union, prompt, clear):
    scopes.add_command(verb)
