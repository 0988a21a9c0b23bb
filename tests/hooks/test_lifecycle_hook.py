"""The life-cycle hook on real processes: what it writes, what it leaves alone, what it keeps."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.harness import Harness

if TYPE_CHECKING:
    from pathlib import Path

EVENTS = ("SubagentStart", "SubagentStop", "Stop", "StopFailure", "UserPromptSubmit", "SessionEnd")


@pytest.mark.parametrize("event", EVENTS)
def test_without_a_ledger_an_event_leaves_nothing(harness: Harness, event: str) -> None:
    answer = harness.fire(event, agent_id="a1", agent_type="x", background_tasks=[], reason="other")

    assert (answer.code, answer.stdout, answer.stderr) == (0, "", "")
    assert not harness.state_dir.exists()


@pytest.mark.parametrize("event", [event for event in EVENTS if event != "SubagentStart"])
def test_an_event_prints_nothing(harness: Harness, event: str) -> None:
    harness.dispatch("one", "src/a.py")
    harness.launched(harness.last_call, "a1")

    answer = harness.fire(event, agent_id="a1", agent_type="x", background_tasks=[], reason="other")

    assert (answer.code, answer.stdout) == (0, "")


@pytest.mark.parametrize(
    "fields",
    [
        {"agent_id": 3},
        {"agent_id": None, "background_tasks": "x"},
        {
            "agent_id": "../x",
            "agent_transcript_path": "/dev/zero",
            "background_tasks": [{"id": "t"}],
        },
        {"agent_id": "a1", "agent_transcript_path": 3, "background_tasks": [3, {"id": 3}, None]},
        {"tool_response": "text", "tool_name": "TaskStop"},
    ],
)
@pytest.mark.parametrize("event", EVENTS)
def test_hostile_fields_break_nothing(
    harness: Harness, event: str, fields: dict[str, object]
) -> None:
    harness.dispatch("one", "src/a.py")
    payload = harness.payload(event, **fields)
    (command,) = harness.commands(event)

    answer = harness.feed(command, json.dumps(payload))

    assert (answer.code, answer.notice) == (0, "")


def test_an_agent_with_a_background_shell_holds_until_that_has_ended(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    harness.launched(harness.last_call, "a1")
    harness.agent_file("a1", ".jsonl").write_text(
        '{"text": "running in background with ID: sh1"}\n'
    )
    shell = {"id": "sh1", "type": "shell", "status": "running"}
    other = {"id": "sh2", "type": "shell", "status": "running"}

    harness.stopped("a1", [shell, other])
    waiting = harness.dispatch("two", "src/a.py")
    harness.fire("Stop", background_tasks=[other])

    assert waiting.denied
    assert not harness.dispatch("two", "src/a.py").denied


def test_a_shell_of_somebody_else_holds_nobody(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    harness.launched(harness.last_call, "a1")
    harness.agent_file("a1", ".jsonl").write_text('{"text": "nothing in the background"}\n')

    harness.stopped("a1", [{"id": "sh2", "type": "shell", "status": "running"}])

    assert not harness.dispatch("two", "src/a.py").denied


def test_another_agent_whose_id_it_was_told_is_no_work_of_its_own(harness: Harness) -> None:
    harness.dispatch("other", "lib/d.py")
    harness.launched(harness.last_call, "b1")
    harness.dispatch("one", "src/a.py")
    harness.launched(harness.last_call, "a1")
    harness.agent_file("a1", ".jsonl").write_text('{"text": "b1 works on lib/d.py"}\n')

    harness.stopped("a1", [{"id": "b1", "type": "subagent", "status": "running"}])

    assert not harness.dispatch("two", "src/a.py").denied


def test_an_agent_is_bound_by_its_meta_file_when_no_event_has_done_so(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    harness.write_meta("a1", harness.last_call)

    harness.stopped("a1")

    assert (
        harness.record(harness.last_call)["state"],
        harness.record(harness.last_call)["agentId"],
    ) == ("idle", "a1")


def test_after_clear_the_old_agents_events_still_count(harness: Harness, home: Path) -> None:
    harness.dispatch("one", "src/a.py")
    harness.launched(harness.last_call, "a1")
    cleared = Harness(harness.repo, home, "session-after-clear")

    before = cleared.dispatch("two", "src/a.py")
    cleared.stopped("a1")

    assert before.denied
    assert not cleared.dispatch("two", "src/a.py").denied


def test_a_ledger_of_many_is_tidied_and_a_revived_agent_gets_its_scope_back(
    harness: Harness, home: Path
) -> None:
    dead = Harness(harness.repo, home, "session-dead", pid=2**22 - 7)
    dead.dispatch("dead", "src/a.py")
    for number in range(66):
        harness.dispatch(f"agent {number}", f"pkg{number}/**", tool_use_id=f"toolu_{number}")
    path = harness.state_dir / "wave-dispatch-scopes.json"
    book = json.loads(path.read_text())
    for record in book["agents"]:
        record["agentId"] = record["toolUseId"].replace("toolu_", "a")
        record["events"] = [["started", 1.0]]
        record["state"] = "running" if record["toolUseId"] > "toolu_60" else "idle"
    path.write_text(json.dumps(book))

    harness.stopped("a65")
    kept = {record["toolUseId"] for record in harness.ledger()}
    harness.fire("SubagentStart", agent_id="a3", agent_type="general-purpose")

    assert kept == {f"toolu_{n}" for n in (*range(61, 66), *range(7, 10))}
    assert harness.dispatch("new", "pkg3/x.py").denied


def test_an_unreadable_ledger_is_left_for_the_next_dispatch_to_tell(harness: Harness) -> None:
    harness.dispatch("one", "src/a.py")
    path = harness.state_dir / "wave-dispatch-scopes.json"
    path.write_text("{")

    harness.fire("Stop", background_tasks=[])

    assert path.read_text() == "{"
    assert "HS902" in harness.dispatch("two", "src/a.py").notice
