"""`holdshort reset`: forget every agent."""

from __future__ import annotations

import os
import time
from contextlib import suppress

import click

from holdshort.adapters import touched
from holdshort.adapters.places import TOUCHED
from holdshort.cli.people import refuse_agents
from holdshort.cli.project import here, locked
from holdshort.core.book import Book
from holdshort.core.words import iso_of


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
def reset(*, yes: bool) -> None:
    """Forget every agent of this project; whoever is in flight holds nothing then. People only."""
    refuse_agents("reset")
    if not yes:
        click.confirm("Forget every agent of this project?", abort=True)
    place = here()
    with locked(place) as ledger:
        ledger.write(Book(), iso_of(time.time()))
        ledger.archive(Book(), iso_of(time.time()))
        for name in (TOUCHED, touched.OLDER):
            with suppress(FileNotFoundError):
                os.unlink(os.path.join(place.state_dir, name))
    click.echo("The ledger is empty.")
