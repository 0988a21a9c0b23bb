"""What a dispatch is told of files that others are writing, or mean to, without a hold."""

from __future__ import annotations

from typing import Any

import pytest
from tests.records import NOW, SESSION, a_record

from holdshort.core.book import Book
from holdshort.core.dispatch import Dispatch
from holdshort.core.observed import observed
from holdshort.core.planned import planned_edits

STRANGER = {**SESSION, "id": "s2", "pid": 12, "start": 6}
LINEAGE = (("p1", "toolu_p"),)


def a_touch(agent: str = "a2", path: str = "src/a.py", **fields: Any) -> dict[str, Any]:
    return {"at": NOW - 40, "session": SESSION, "agent": agent, "tree": "/repo", "path": path} | (
        fields
    )


def said(touches: list[dict[str, Any]], *records: dict[str, Any]) -> list[str]:
    dispatch = Dispatch(a_record("toolu_new", "src/**"), LINEAGE, touches=tuple(touches))
    return [advice.reason for _, advice in observed(dispatch, Book(records), NOW)]


def test_a_file_that_another_wrote_is_told_with_its_writer_and_when() -> None:
    dispatch = Dispatch(a_record("toolu_new", "src/**"), touches=(a_touch(),))

    ((key, advice),) = observed(dispatch, Book(), NOW)

    assert (advice.decision, advice.code) == ("allow", "HS502")
    assert advice.reason == (
        "HS502 agent a2 wrote src/a.py 40 s ago without having declared it, and may still work on it."
    )
    assert key == "HS502|agent toolu_new (general-purpose)|s1|a2"


def test_a_writer_is_named_as_the_ledger_knows_it_and_its_session_when_it_is_another() -> None:
    known = a_record("toolu_a", "lib/**", agentId="a2", session=STRANGER)

    (theirs,) = said([a_touch(session=STRANGER)], known)
    (person,) = said([a_touch("", session=STRANGER)])

    assert theirs.startswith(
        'HS502 "agent toolu_a (general-purpose)" of another session (s2) wrote'
    )
    assert person.startswith("HS502 The main thread of another session (s2) wrote")


def test_a_session_that_was_cleared_is_not_called_another() -> None:
    (text,) = said([a_touch(session={**SESSION, "id": "s1-after-clear"})])

    assert text.startswith("HS502 agent a2 wrote")


@pytest.mark.parametrize(
    "own",
    [
        a_touch(""),
        a_touch("p1"),
        a_touch("p1", session={**SESSION, "id": "s1-after-clear"}),
        a_touch(tree="/repo/.claude/worktrees/x"),
        a_touch(path="lib/a.py"),
    ],
)
def test_ones_own_line_another_tree_and_other_files_are_nothing_to_tell(
    own: dict[str, Any],
) -> None:
    assert said([own]) == []


def test_an_agent_of_an_ancestors_name_in_another_session_is_a_stranger() -> None:
    assert len(said([a_touch("p1", session=STRANGER)])) == 1


@pytest.mark.parametrize(
    ("theirs", "told"),
    [
        ({"files": ["lib/**"]}, 1),
        ({"files": ["src/**"]}, 0),
        ({"files": ["lib/**"], "state": "idle"}, 0),
        ({"files": ["lib/**"], "state": "finished"}, 0),
    ],
)
def test_one_that_declared_the_file_or_has_ended_is_left_out(
    theirs: dict[str, Any], told: int
) -> None:
    assert len(said([a_touch()], a_record("toolu_a", agentId="a2", **theirs))) == told


def test_each_writer_is_told_once_with_its_newest_file_and_two_are_named() -> None:
    touches = [
        a_touch("a2", "src/new.py"),
        a_touch("a2", "src/old.py"),
        a_touch("a2", "src/of-s2.py", session=STRANGER),
        a_touch("a3", "src/third.py"),
    ]

    first, second = said(touches)

    assert "src/new.py" in first
    assert "src/of-s2.py" in second


def test_writers_that_are_nothing_to_tell_take_no_place() -> None:
    touches = [a_touch(""), a_touch("a2", "lib/a.py"), a_touch("a2", "src/b.py"), a_touch("a3")]

    assert len(said(touches)) == 2


def test_planned_edits_of_a_scope_are_told_and_shared_files_are_not() -> None:
    (advice,) = planned_edits(["src/**", "uv.lock"], ["docs/x.md", "src/a.py"], ["**/uv.lock"])

    assert (advice.decision, advice.code, advice.notice) == ("allow", "HS512", "")
    assert advice.reason.startswith("HS512 coordinator.json plans edits of src/a.py, which is in")
    assert planned_edits(["src/**", "uv.lock"], ["uv.lock"], ["**/uv.lock"]) == ()
    assert planned_edits(["src/**"], ["docs/x.md"], []) == ()


def test_planned_edits_that_cannot_be_compared_are_not_told() -> None:
    assert planned_edits(["src/**"], [f"src/{'?' * 300}*"], []) == ()
