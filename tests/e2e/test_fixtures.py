"""The recorded transcripts: complete, documented, and free of the machine that recorded them."""

import json
import re
from pathlib import Path

import pytest
from tests.e2e.claude import Scratch
from tests.e2e.record_fixtures import FIXTURES, REPOSITORY, SCENARIOS, Scrub

DERIVED = {"torn_last_line", "not_utf8", "cleared_then"}
MACHINE = re.compile(
    r"/(?:root|Users|var|private|opt)/|/home/(?!dev\b)|/tmp/(?!claude/)|127\.0\.0\.1:[1-9]|npm"
)
RECORDED = sorted(FIXTURES.glob("*.jsonl"))
FILES = sorted(path for path in FIXTURES.rglob("*") if path.is_file())


def test_every_scenario_has_been_recorded() -> None:
    assert {path.stem for path in RECORDED} == set(SCENARIOS) | DERIVED


def test_the_readme_lists_every_fixture() -> None:
    readme = (FIXTURES / "README.md").read_text()

    assert [p.stem for p in RECORDED if f"`{p.stem}`" not in readme] == []


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(FIXTURES)))
def test_no_fixture_shows_the_machine_that_recorded_it(path: Path) -> None:
    assert MACHINE.findall(path.read_text(errors="replace")) == []


@pytest.mark.parametrize(
    "path", [p for p in RECORDED if p.stem not in DERIVED], ids=lambda p: str(p.stem)
)
def test_a_recorded_transcript_is_whole_and_in_the_clients_own_spelling(path: Path) -> None:
    for line in path.read_text().splitlines():
        record = json.loads(line)
        assert json.dumps(record, ensure_ascii=False, separators=(",", ":")) == line


def test_scrubbing_gives_the_same_name_to_the_same_thing() -> None:
    scrub = Scrub(Scratch(Path("/anywhere")), {})

    once = scrub("a0123456789abcdef a0123456789abcdee a0123456789abcdef /anywhere/repo/src")

    first, second, again, path = once.split()
    assert first == again
    assert first != second
    assert path == f"{REPOSITORY}/src"
