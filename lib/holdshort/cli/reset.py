"""`holdshort reset`: forget every agent."""

from __future__ import annotations

import time

import click

from holdshort.cli.people import refuse_agents
from holdshort.cli.project import here, locked, write
from holdshort.core.book import Book


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
def reset(*, yes: bool) -> None:
    """Forget every agent of this project; whoever is in flight holds nothing then. People only."""
    refuse_agents("reset")
    if not yes:
        click.confirm("Forget every agent of this project?", abort=True)
    place = here()
    with locked(place):
        write(place, Book(), time.time())
    click.echo("The ledger is empty.")
