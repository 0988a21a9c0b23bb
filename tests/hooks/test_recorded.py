"""The guard on transcripts recorded from the real client: who still holds, and who does not.

Only the transcript and meta files speak here; no life-cycle event arrives.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.harness import CHECKOUT, Answer, Harness

if TYPE_CHECKING:
    from pathlib import Path

FIXTURES = CHECKOUT / "fixtures" / "transcripts"
CALL = "toolu_main_0_0"
IN_FLIGHT = ("background_launched", "cut_off", "foreground_running", "quoted", "streamed")
ENDED = (
    *("background_completed", "background_completed_in_mid_turn", "background_failed"),
    *("foreground_completed", "foreground_failed", "interrupted_background"),
    *("interrupted_foreground", "interrupted_in_hook", "killed_by_task_stop", "not_utf8"),
    *(
        "refused_by_ask",
        "refused_by_rule",
        "revived",
    ),
    *("torn_last_line", "waiting_on_its_shell", "worktree", "denied_sibling", "nested"),
    *("nested_background", "over_the_limit"),
)
ELSEWHERE = (
    "cleared",
    "cleared_then",
    "revived_running",
    "stopped_by_resume",
)  # tests of their own, below


def second_dispatch(harness: Harness, name: str) -> Answer:
    """Dispatch `first`, let the recorded transcript happen, and dispatch onto the same file."""
    harness.dispatch("first", "src/a.py", tool_use_id=CALL)
    happen(harness, name)
    return harness.dispatch("second", "src/a.py")


def happen(harness: Harness, name: str) -> None:
    shutil.copy(FIXTURES / f"{name}.jsonl", harness.transcript)
    if (FIXTURES / name).is_dir():
        target = harness.transcript.with_suffix("")
        shutil.copytree(FIXTURES / name, target, copy_function=shutil.copy)  # as new as the run


@pytest.mark.parametrize("name", IN_FLIGHT)
def test_an_agent_that_runs_holds_its_file(harness: Harness, name: str) -> None:
    assert second_dispatch(harness, name).denied


@pytest.mark.parametrize("name", ENDED)
def test_an_agent_that_has_ended_holds_nothing(harness: Harness, name: str) -> None:
    assert not second_dispatch(harness, name).denied


def test_every_fixture_is_tried() -> None:
    assert {path.stem for path in FIXTURES.glob("*.jsonl")} == {*IN_FLIGHT, *ENDED, *ELSEWHERE}


def test_the_end_of_an_agent_is_found_after_clear_in_the_new_transcript(
    harness: Harness, home: Path
) -> None:
    before = second_dispatch(harness, "cleared")
    cleared = Harness(harness.repo, home, "session-after-clear")
    shutil.copy(FIXTURES / "cleared_then.jsonl", cleared.transcript)

    assert before.denied
    assert not cleared.dispatch("third", "src/a.py").denied


def test_a_revived_agent_holds_its_file_although_it_had_ended_before(harness: Harness) -> None:
    harness.dispatch("first", "src/a.py", tool_use_id=CALL)
    harness.completed(CALL, "a1")
    happen(harness, "revived_running")
    harness.fire("SubagentStart", agent_id="a1", agent_type="general-purpose")

    assert harness.dispatch("second", "src/a.py").denied


def test_an_agent_of_a_killed_session_that_was_resumed_holds_nothing(
    harness: Harness, home: Path
) -> None:
    killed = Harness(harness.repo, home, pid=2**22 - 7)
    killed.dispatch("first", "src/a.py", tool_use_id=CALL)
    happen(harness, "stopped_by_resume")

    assert not harness.dispatch("second", "src/a.py").denied


@pytest.mark.parametrize("size", [5_000_000])
def test_a_huge_record_hides_no_end(harness: Harness, size: int) -> None:
    harness.dispatch("first", "src/a.py", tool_use_id=CALL)
    harness.write_record({"type": "user", "message": {"content": "x" * size}})
    harness.write_notice("a1", "completed", CALL)

    assert not harness.dispatch("second", "src/a.py").denied
