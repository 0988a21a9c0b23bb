"""`holdshort scopes union`: what a wave must be granted, from what its agents declare."""

from __future__ import annotations

import click

from holdshort.cli.project import here
from holdshort.cli.scopes.check import as_list, records_at
from holdshort.cli.scopes.report import Report
from holdshort.cli.scopes.strict import StrictCommand
from holdshort.cli.scopes.wave import Wave
from holdshort.core.words import clip_path


@click.command(cls=StrictCommand)
@click.argument("sidecar")
@click.option("--role", metavar="R", help="The wave's role; Impl-Core and Impl-Polish add tests.")
@click.option("--json", "as_json", is_flag=True, help="Print an object with warnings, too.")
def union(*, sidecar: str, role: str | None, as_json: bool) -> None:
    """Print the entries of all records in SIDECAR, expanded, as a JSON list.

    Only if they do not collide: a union grants a contested file and hides that two have it.
    """
    report = Report()
    wave = Wave(here(), role, report)
    records = records_at(sidecar, report)
    wave.assert_disjoint(records, clip_path(sidecar))
    joined = wave.union(records)
    report.finish({"union": joined}, as_json=as_json)
    if not as_json:
        click.echo(as_list(joined))
