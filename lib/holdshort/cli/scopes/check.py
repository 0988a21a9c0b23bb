"""`holdshort scopes check`: a sound manifest, and scopes of one wave that fit together."""

from __future__ import annotations

import json
from typing import TypeVar

import click

from holdshort.adapters.json_text import parse
from holdshort.cli.errors import RefusedError
from holdshort.cli.project import here
from holdshort.cli.scopes.report import Report
from holdshort.cli.scopes.state import bases, raw_at, raw_of_stdin
from holdshort.cli.scopes.strict import StrictCommand
from holdshort.cli.scopes.wave import Wave
from holdshort.core.cover import Escape, NotProven
from holdshort.core.declarations import entry_list, recorded
from holdshort.core.siblings import EXPANDING_ROLES
from holdshort.core.subset import escape_from, has_place
from holdshort.core.wave_manifest import allowed_paths, judged
from holdshort.core.words import clip_path, listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from holdshort.core.declarations import Declaration

T = TypeVar("T")
STDIN = "-"
SIBLINGS_SHOWN = 4


@click.command(cls=StrictCommand)
@click.argument("file", required=False)
@click.option("--assert-subset", metavar="F", help="A list of entries that must be granted.")
@click.option("--expand-test-siblings", is_flag=True, help="Their tests must be granted, too.")
@click.option("--assert-disjoint", metavar="F", help="Records {id, files} that must not collide.")
@click.option("--union", metavar="F", help="Print the union of these records, not the manifest.")
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON instead.")
def check(
    *,
    file: str | None,
    assert_subset: str | None,
    expand_test_siblings: bool,
    assert_disjoint: str | None,
    union: str | None,
    as_json: bool,
) -> None:
    """Check the wave manifest in FILE, or on stdin, and print it again as it is.

    Side files are checked in this order: subset, disjoint, union.
    """
    report = Report()
    raw, value = _manifest(file or STDIN, report)
    wave = Wave(here(), value.get("role") if isinstance(value, dict) else None, report)
    if assert_subset is not None:
        _assert_subset(wave, value, assert_subset, report, siblings=expand_test_siblings)
    elif expand_test_siblings:
        report.notices.append("--expand-test-siblings does nothing without --assert-subset")
    if assert_disjoint is not None:
        wave.assert_disjoint(records_at(assert_disjoint, report), clip_path(assert_disjoint))
    joined = None if union is None else wave.union(records_at(union, report))
    report.finish({} if joined is None else {"union": joined}, as_json=as_json)
    if not as_json:
        said = raw if joined is None else as_list(joined)
        click.echo(said, nl=not said.endswith(b"\n"))


def as_list(entries: Sequence[str]) -> bytes:
    """A JSON list as the scope files have it."""
    return json.dumps(entries, indent=2).encode()


def records_at(path: str, report: Report) -> Sequence[Declaration]:
    """The records of a side file; faults are noted, and then there are none."""
    return _side_file(path, recorded, report)


def _manifest(path: str, report: Report) -> tuple[bytes, Any]:
    try:
        raw = raw_of_stdin() if path == STDIN else raw_at(path)
    except FileNotFoundError:
        raise RefusedError(f"there is no manifest {clip_path(path)}") from None
    try:
        value = parse(raw)
    except ValueError:
        report.errors.append("the manifest is not JSON")
        return raw, None
    found = judged(value, bases(here()))
    report.errors += found.errors
    report.warnings += found.warnings
    return raw, value


def _assert_subset(wave: Wave, value: Any, path: str, report: Report, *, siblings: bool) -> None:
    """Note what the entries in the file at `path` claim beyond the manifest."""
    granted = [wave.resolved(raw, "allowedPaths") for raw in allowed_paths(value)]
    allowed = [entry for entry in granted if entry is not None]
    entries = _side_file(path, entry_list, report)
    for raw in entries:
        entry = wave.resolved(raw, clip_path(path))
        if entry is not None:
            report.errors += _beyond(raw, escape_from(allowed, entry))
    if siblings and not wave.expands:
        roles = " and ".join(EXPANDING_ROLES)
        report.notices.append(f"no test siblings for this role; {roles} have them")
    elif siblings:
        _assert_siblings(wave, allowed, entries, report)


def _beyond(raw: str, found: Escape | NotProven | None) -> list[str]:
    if isinstance(found, Escape):
        return [f"not granted: {_shown(raw)}; {clip_path(found.path)} is not in allowedPaths"]
    if isinstance(found, NotProven):
        return [f"not proven to be granted: {_shown(raw)}; {found.reason}"]
    return []


def _assert_siblings(
    wave: Wave, allowed: Sequence[str], entries: Sequence[str], report: Report
) -> None:
    for raw in entries:
        siblings = wave.resolved_siblings_of(raw)
        if not has_place(allowed, siblings):
            names = listed([clip_path(sibling) for sibling in siblings], SIBLINGS_SHOWN)
            report.errors.append(f"not granted: the test of {_shown(raw)}, which is one of {names}")


def _shown(raw: str) -> str:
    return f"'{clip_path(raw)}'"


def _side_file(
    path: str, read: Callable[[Any], tuple[tuple[T, ...], tuple[str, ...]]], report: Report
) -> tuple[T, ...]:
    shown = clip_path(path)
    try:
        found, faults = read(parse(raw_at(path)))
    except OSError as error:
        report.unreadable(shown, error)
        return ()
    except ValueError:
        found, faults = (), ("not JSON",)
    report.add_errors(faults, shown)
    return found
