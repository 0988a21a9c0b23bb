"""What the suite believes of the real client; `docs/harness-claude.md` says it in words.

Only the observer plugin is loaded. When a new version of the client breaks one of these, the
guard's reasoning has to be looked at before the version is supported.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.e2e.claude import OBSERVER, Json, Scratch, observer_log
from tests.e2e.scripted_model import (
    Call,
    Fail,
    Request,
    Say,
    Turn,
    call_id,
    opened,
    reached,
    written,
)
from tests.e2e.stage import FOREGROUND, Stage, agent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

DENY = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "no",
    }
}


@pytest.fixture
def watched(client: Path, tmp_path: Path) -> Stage:
    """A stage with the observer and nothing else."""
    return Stage(client, Scratch.make(tmp_path / "scratch"), (OBSERVER,))


def of_call(events: list[Json], place: str) -> list[str]:
    """The names of the events about one tool call."""
    return [e["event"] for e in events if e["payload"].get("tool_use_id") == place]


def of_agent(events: list[Json], name: str, agent_id: str) -> list[Json]:
    """The events of one kind about one agent."""
    return [e for e in events if e["event"] == name and e["payload"].get("agent_id") == agent_id]


def running_tasks(event: Json) -> set[str]:
    """The ids of what the harness says is running."""
    return {t["id"] for t in event["payload"]["background_tasks"] if t["status"] == "running"}


def records(path: Path) -> list[Json]:
    """A transcript's records."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_a_denied_call_fires_nothing_more_and_its_siblings_run(watched: Stage) -> None:
    watched.scratch.rules({"event": "PreToolUse", "match": "SUBTWO", "stdout": DENY})
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[agent(n, f"SUB{n}") for n in ("ONE", "TWO", "THREE")]],
        "SUBONE": [],
        "SUBTWO": [],
        "SUBTHREE": [],
    }
    with watched.play(scripts) as play:
        play.client.say("MAIN go")
        play.client.answered()
        play.client.finish()

    events = watched.scratch.events()
    assert of_call(events, call_id("MAIN", 0, 1)) == ["PreToolUse"]
    (batch, *_) = watched.scratch.events("PostToolBatch")
    assert len(batch["payload"]["tool_calls"]) == 3
    assert [play.model.started(f"SUB{n}") for n in ("ONE", "TWO", "THREE")] == [True, False, True]


def test_a_tool_starts_while_the_answer_still_streams(watched: Stage) -> None:
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[agent("one", "SUBONE"), reached("SUBONE"), agent("two", "SUBTWO")]],
        "SUBONE": [],
        "SUBTWO": [],
    }
    with watched.play(scripts) as play:
        play.client.say("MAIN go")
        play.client.answered()
        play.client.finish()

    before, *_ = watched.scratch.events("PreToolUse")
    assert before["payload"]["tool_use_id"] == call_id("MAIN", 0, 0)
    assert not before["transcript"]["call_in_transcript"]


def test_foreground_agents_are_not_among_the_background_tasks(watched: Stage) -> None:
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[agent("one", "SUBONE", **FOREGROUND), agent("two", "SUBTWO")]],
        "SUBONE": [[reached("SUBTWO"), Say("one")]],
        "SUBTWO": [[opened("end"), Say("two")]],
    }
    with watched.play(scripts) as play:
        play.client.say("MAIN go")
        play.client.answered()
        play.model.open("end")
        play.client.finish()

    one, two = (str(play.model.only(name).agent_id) for name in ("SUBONE", "SUBTWO"))
    (stop,) = of_agent(watched.scratch.events(), "SubagentStop", one)
    assert running_tasks(stop) == {two}


def test_an_interrupt_fires_no_hook_and_kills_background_agents(watched: Stage) -> None:
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[agent("one", "SUBONE")], [Say("waiting")]],
        "SUBONE": [[opened("end")]],
    }
    with watched.play(scripts) as play:
        play.client.say("MAIN go")
        play.client.answered()
        play.model.wait(reached("SUBONE"))
        seen = len(watched.scratch.events())
        play.client.interrupt()
        play.client.say("go on")
        play.client.answered(2)
        play.model.open("end")
        play.client.finish()

    assert watched.scratch.events()[seen]["event"] == "UserPromptSubmit"
    assert watched.scratch.events()[seen]["payload"]["prompt"] == "go on"
    assert watched.scratch.events("SubagentStop") == []
    queued = [r.get("content", "") for r in records(watched.scratch.transcripts()[0])]
    assert any("<status>killed</status>" in str(text) for text in queued)


@pytest.mark.parametrize("foreground", [False, True])
def test_a_failed_agent_ends_with_stop_failure(watched: Stage, *, foreground: bool) -> None:
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[agent("one", "SUBONE", run_in_background=not foreground)]],
        "SUBONE": [[Fail(500, "api_error")]],
    }
    with watched.play(scripts) as play:
        play.client.say("MAIN go")
        play.client.answered()
        play.client.finish()

    events, one = watched.scratch.events(), str(play.model.only("SUBONE").agent_id)
    assert len(of_agent(events, "StopFailure", one)) == 1
    assert of_agent(events, "SubagentStop", one) == []
    assert ("PostToolUseFailure" in of_call(events, call_id("MAIN", 0, 0))) == foreground


def test_a_revived_agent_starts_again_under_its_old_id(watched: Stage) -> None:
    def more(request: Request) -> list[Any]:
        to = request.agent_ids[0]
        return [Call("SendMessage", {"to": to, "summary": "one more thing", "message": "MORE"})]

    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[agent("one", "SUBONE", **FOREGROUND)], more],
        "SUBONE": [[Say("one")], [Call("Bash", {"command": "echo again"})]],
    }
    with watched.play(scripts) as play:
        play.client.say("MAIN go")
        play.client.answered()
        play.client.finish()

    events, one = watched.scratch.events(), str(play.model.only("SUBONE").agent_id)
    meta = f"agent-{one}.meta.json"
    _, again = of_agent(events, "SubagentStart", one)
    (work,) = of_agent(events, "PreToolUse", one)
    assert json.loads(again["transcript"]["metas"][meta])["finished"]
    assert "finished" not in json.loads(work["transcript"]["metas"][meta])
    assert len(of_agent(events, "SubagentStop", one)) == 2


def test_a_parent_stops_while_its_background_child_runs(watched: Stage) -> None:
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[agent("parent", "SUBPARENT", **FOREGROUND)]],
        "SUBPARENT": [[agent("child", "SUBCHILD", run_in_background=True)], [Say("parent")]],
        "SUBCHILD": [[opened("end"), Say("child")]],
    }
    with watched.play(scripts) as play:
        play.client.say("MAIN go")
        play.client.answered()
        play.model.open("end")
        play.client.finish()

    child = play.model.only("SUBCHILD")
    parent = str(play.model.only("SUBPARENT").agent_id)
    (stop,) = of_agent(watched.scratch.events(), "SubagentStop", parent)
    assert running_tasks(stop) == {child.agent_id}
    assert child.parent_id in (parent, None)


def test_an_agents_own_dispatch_is_in_the_foreground_by_default(watched: Stage) -> None:
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[agent("parent", "SUBPARENT")]],
        "SUBPARENT": [[agent("child", "SUBCHILD")], [Say("parent")]],
        "SUBCHILD": [],
    }
    with watched.play(scripts) as play:
        play.client.say("MAIN go")
        play.client.answered()
        play.client.finish()

    done = [e["payload"] for e in watched.scratch.events("PostToolUse")]
    (nested,) = [p for p in done if p["tool_use_id"] == call_id("SUBPARENT", 0, 0)]
    assert nested["tool_response"]["status"] == "completed"
    assert nested["agent_id"] == play.model.only("SUBPARENT").agent_id


def test_clear_changes_the_session_id_under_a_running_agent(watched: Stage) -> None:
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[agent("one", "SUBONE")]],
        "SUBONE": [[opened("end"), Say("one")]],
    }
    with watched.play(scripts) as play:
        play.client.say("MAIN go")
        play.client.answered()
        play.client.say("/clear")
        play.client.answered(2)
        play.model.open("end")
        play.client.finish()

    (start,) = watched.scratch.events("SubagentStart")
    (stop,) = watched.scratch.events("SubagentStop")
    assert start["payload"]["session_id"] != stop["payload"]["session_id"]
    assert start["env"]["CLAUDE_PID"] == stop["env"]["CLAUDE_PID"]


def test_an_isolated_agent_has_its_own_cwd_from_its_start(watched: Stage) -> None:
    scripts: dict[str, Sequence[Turn]] = {
        "MAIN": [[agent("one", "SUBONE", isolation="worktree")]],
        "SUBONE": [],
    }
    with watched.play(scripts) as play:
        play.client.say("MAIN go")
        play.client.answered()
        play.client.finish()

    (start,) = watched.scratch.events("SubagentStart")
    own = f"{watched.scratch.repo}/.claude/worktrees/agent-{start['payload']['agent_id']}"
    assert start["payload"]["cwd"] == own


def test_a_hook_is_killed_by_an_interrupt(watched: Stage, tmp_path: Path) -> None:
    go = tmp_path / "go"
    watched.scratch.rules({"event": "PreToolUse", "match": "SUBONE", "wait": str(go)})
    with watched.play({"MAIN": [[agent("one", "SUBONE")]], "SUBONE": []}) as play:
        play.client.say("MAIN go")
        play.model.wait(written(observer_log(watched.scratch), call_id("MAIN", 0, 0)))
        play.client.interrupt()
        play.client.answered()
        go.touch()
        play.client.say("go on")
        play.client.answered(2)
        play.client.finish()

    assert watched.scratch.events("Released") == []
    assert not play.model.started("SUBONE")
