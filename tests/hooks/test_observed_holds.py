"""Who wrote what is noted, and a dispatch onto a file that somebody else is writing is told."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from tests.harness import Answer, Harness

if TYPE_CHECKING:
    from pathlib import Path


def wrote(
    harness: Harness, path: str, agent: str = "", tool: str = "Write", **fields: Any
) -> Answer:
    key = "notebook_path" if tool == "NotebookEdit" else "file_path"
    by = {"agent_id": agent, "agent_type": "general-purpose"} if agent else {}
    given = {key: str(harness.repo / path), "content": "SECRET"}
    return harness.fire("PostToolUse", tool_name=tool, tool_input=given, **by, **fields)


def touched(harness: Harness) -> list[dict[str, Any]]:
    path = harness.state_dir / "touched.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit", "NotebookEdit"])
def test_a_write_leaves_one_line_without_its_content(harness: Harness, tool: str) -> None:
    answer = wrote(harness, "src/a.py", "a1", tool)

    (line,) = touched(harness)
    assert (answer.code, answer.stdout) == (0, "")
    assert ("a1", "src/a.py", str(harness.repo)) == (line["agent"], line["path"], line["tree"])
    assert "SECRET" not in (harness.state_dir / "touched.jsonl").read_text()


def test_a_person_alone_leaves_no_trace(harness: Harness) -> None:
    wrote(harness, "src/a.py")

    assert not harness.state_dir.exists()


def test_the_place_of_a_write_is_that_of_its_target(harness: Harness, tmp_path: Path) -> None:
    (harness.repo / "alias").symlink_to("src")
    wrote(harness, "alias/a.py", "a1")
    wrote(harness, "../outside.txt", "a1")

    assert [line["path"] for line in touched(harness)] == ["src/a.py"]


@pytest.mark.parametrize("path", [3, None, "", "relative.py", "/nul\0byte", "/" + "x" * 5000])
def test_a_hostile_path_breaks_nothing(harness: Harness, path: Any) -> None:
    answer = harness.fire(
        "PostToolUse", tool_name="Write", tool_input={"file_path": path}, agent_id="a"
    )

    assert answer.code == 0
    assert "HS907" not in answer.notice


def test_a_dispatch_onto_a_file_that_an_undeclared_agent_wrote_is_told(harness: Harness) -> None:
    harness.dispatch("roamer", prompt="Look around and mend what you see.")
    harness.launched(harness.last_call, "a1")
    wrote(harness, "src/a.py", "a1")

    first, again = harness.dispatch("two", "src/**"), harness.dispatch("two", "src/**")
    harness.stopped("a1")

    assert not first.denied
    assert "HS502" in first.reason
    assert "roamer" in first.reason
    assert "HS502" not in again.reason


def test_nobody_is_told_of_writers_that_have_ended_or_declared_or_wrote_elsewhere(
    harness: Harness,
) -> None:
    harness.dispatch("ended", prompt="Go.")
    harness.launched(harness.last_call, "a1")
    wrote(harness, "src/a.py", "a1")
    harness.stopped("a1")
    harness.dispatch("elsewhere", prompt="Go.")
    harness.launched(harness.last_call, "a2")
    wrote(harness, "docs/e.md", "a2")

    assert harness.dispatch("two", "src/**").stdout == ""


def test_an_agent_that_declared_the_file_is_denied_for_and_not_told_of_twice(
    harness: Harness,
) -> None:
    harness.dispatch("one", "src/a.py")
    harness.launched(harness.last_call, "a1")
    wrote(harness, "src/a.py", "a1")

    answer = harness.dispatch("two", "src/**")

    assert answer.denied
    assert "HS502" not in answer.reason


def test_the_main_thread_of_another_running_session_is_told_of(
    harness: Harness, home: Path
) -> None:
    harness.dispatch("zero", "docs/e.md")
    other = Harness(harness.repo, home, "session-two", pid=os.getppid())
    dead = Harness(harness.repo, home, "session-dead", pid=2**22 - 7)
    wrote(other, "src/a.py")
    wrote(dead, "src/b.py")

    reason = harness.dispatch("two", "src/**").reason

    assert "another session (session-two)" in reason
    assert "session-dead" not in reason


def test_a_damaged_file_of_touches_is_no_obstacle(harness: Harness) -> None:
    harness.dispatch("zero", "docs/e.md")
    (harness.state_dir / "touched.jsonl").write_bytes(b'\xff\n{"at": "x"}\n[]\n{"half')

    assert harness.dispatch("two", "src/**").stdout == ""
