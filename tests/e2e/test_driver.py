"""The driver itself: it refuses to pretend, and the scripted model does what scripts say."""

import json
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from tests.e2e import claude
from tests.e2e.scripted_model import Call, Say, ScriptedModel, opened, reached


def ask(model: ScriptedModel, text: str, agent: str = "", tools: int = 1) -> list[Any]:
    """One request as the client makes it, without streaming; the content of the answer."""
    body = {"messages": [{"role": "user", "content": text}], "tools": [{"name": "x"}] * tools}
    headers = {"x-claude-code-session-id": "s"} | (
        {"x-claude-code-agent-id": agent} if agent else {}
    )
    request = urllib.request.Request(  # noqa: S310 - loopback
        f"{model.url}/v1/messages", json.dumps(body).encode(), headers
    )
    with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - loopback
        content: list[Any] = json.load(answer)["content"]
        return content


def test_a_client_that_does_not_run_is_missing_with_a_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOLDSHORT_CLAUDE", str(tmp_path / "nothing"))

    with pytest.raises(claude.ClientMissing, match="does not run"):
        claude.find_client()


def test_another_version_is_missing_with_a_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    other = tmp_path / "claude"
    other.write_text("#!/bin/sh\necho 1.0.0\n")
    other.chmod(0o755)
    monkeypatch.setenv("HOLDSHORT_CLAUDE", str(other))

    with pytest.raises(claude.ClientMissing, match=r"1\.0\.0"):
        claude.find_client()


def test_the_scratch_environment_knows_nothing_of_the_real_home(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", "/real")
    monkeypatch.setenv("HOME", "/real")

    environment = claude.Scratch(tmp_path).environment("http://127.0.0.1:1")

    assert [key for key, value in environment.items() if "/real" in value] == []


def test_a_conversation_belongs_to_the_keyword_that_comes_first() -> None:
    with ScriptedModel({"ONE": [[Say("one")]], "TWO": [[Say("two")]]}) as model:
        assert ask(model, "TWO before ONE", "a1")[0]["text"] == "two"
        assert ask(model, "ONE before TWO", "a2")[0]["text"] == "one"
        assert model.only("TWO").agent_id == "a1"


def test_a_request_without_tools_advances_nothing() -> None:
    with ScriptedModel({"ONE": [[Call("Bash", {"command": "true"})]]}) as model:
        ask(model, "ONE", tools=0)

        assert not model.started("ONE")
        assert ask(model, "ONE")[0]["id"] == "toolu_one_0_0"


def test_a_gate_that_never_opens_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.e2e.scripted_model.GATE_DEADLINE", 0.05)
    with ScriptedModel({"ONE": [[opened("never"), Say("one")]]}) as model:
        assert ask(model, "ONE")[0]["text"] == "one"
        assert model.stuck == ["gate never"]


def test_the_test_can_wait_for_a_conversation() -> None:
    with ScriptedModel({"ONE": [[Say("one")]]}) as model:
        with pytest.raises(TimeoutError, match="ONE reaching request 1"):
            model.wait(reached("ONE"), deadline=0.05)
        ask(model, "ONE")
        model.wait(reached("ONE"))
