"""`holdshort`: the command line. Exit 0 done, 1 usage or content, 2 file system."""

from __future__ import annotations

import sys

import click

from holdshort.cli.errors import RefusedError, said_of
from holdshort.cli.explain import explain
from holdshort.cli.log import log
from holdshort.cli.release import release
from holdshort.cli.reset import reset
from holdshort.cli.scopes import scopes
from holdshort.cli.status import status
from holdshort.core.words import safe


@click.group()
@click.version_option(package_name="holdshort")
def cli() -> None:
    """Keep parallel AI coding agents off each other's files."""


for verb in (status, explain, log, release, reset, scopes):
    cli.add_command(verb)


def main() -> None:
    """Run the command line; every fault is one line on stderr."""
    try:
        sys.exit(cli.main(standalone_mode=False) or 0)
    except click.exceptions.Abort:
        sys.exit(1)
    except click.ClickException as error:
        _fail(error.format_message(), 1)
    except RefusedError as error:
        _fail(str(error), 1)
    except OSError as error:
        _fail(said_of(error), 2)


def _fail(message: str, code: int) -> None:
    click.echo(f"holdshort: {safe(' '.join(message.split()))}", err=True)
    sys.exit(code)
