"""Put a scenario on: the model's scripts, the client, the plugins, and what one asks of a run."""

from __future__ import annotations

import re
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.e2e.claude import Claude, Scratch, running
from tests.e2e.scripted_model import Call, Conversation, Result, ScriptedModel, Turn, Until

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

COLLISION = "HS101"
ADVISORY = re.compile(r"HS5\d\d")
BROKEN = "HS901"
GUARD_FAULT = "HS9"
DENIAL_BYTES = 768
HOOK_ERROR = "PreToolUse:Agent hook error: "
FOREGROUND = {"run_in_background": False}
BACKGROUND: dict[str, Any] = {}


def scoped(keyword: str, *files: str, note: str = "") -> str:
    """A prompt as coordinators write it: a task and a FILE-SCOPE block."""
    listing = "\n".join(files)
    return f"{keyword}\n{note}\n\nFILE-SCOPE — exactly these:\n```\n{listing}\n```\n"


def agent(description: str, prompt: str, **more: Any) -> Call:
    """A dispatch."""
    kind = more.pop("kind", "general-purpose")
    given = {"description": description, "prompt": prompt, "subagent_type": kind, **more}
    return Call("Agent", given)


@dataclass
class Play:
    """A running scenario."""

    model: ScriptedModel
    client: Claude
    scratch: Scratch
    stage: Stage
    stack: ExitStack

    @property
    def mains(self) -> list[Conversation]:
        """The conversations of main threads, oldest first."""
        return [c for c in self.model.conversations if c.agent_id is None]

    def another(self, **how: Any) -> Claude:
        """One more client in the same tree, with the same home."""
        return self.stack.enter_context(running(self.stage.start(self.model, **how)))


@dataclass(frozen=True)
class Stage:
    """A client, a repository and the plugins to load."""

    binary: Path
    scratch: Scratch
    plugins: tuple[Path, ...]

    def start(self, model: ScriptedModel, **how: Any) -> Claude:
        """A client on this stage."""
        plugins = how.pop("plugins", self.plugins)
        return Claude.start(self.binary, self.scratch, model.url, plugins=plugins, **how)

    @contextmanager
    def play(self, scripts: Mapping[str, Sequence[Turn]], **how: Any) -> Iterator[Play]:
        """Run a scenario; a gate that never opened fails the test with its name."""
        with ScriptedModel(scripts) as model, ExitStack() as stack:
            client = stack.enter_context(running(self.start(model, **how)))
            yield Play(model, client, self.scratch, self, stack)
            assert model.stuck == []

    def play_out(self, scripts: Mapping[str, Sequence[Turn]]) -> ScriptedModel:
        """Run a scenario that begins with `MAIN go` to its end, in which no hook fails."""
        with self.play(scripts) as play:
            play.client.say("MAIN go")
            play.client.answered()
            play.client.finish()
        assert play.client.failed_hooks == []
        return play.model


def denied(result: Result, other: str, path: str) -> None:
    """The model was told what collides, with whom, and where, in few words."""
    assert result.error
    assert COLLISION in result.text
    assert other in result.text
    assert path in result.text
    assert len(result.text.removeprefix(HOOK_ERROR).encode()) <= DENIAL_BYTES


def allowed(result: Result) -> None:
    """The dispatch started: the model has a receipt or a report, and no error."""
    assert not result.error, result.text
    assert "agentId: " in result.text


def advised(play: Play) -> str:
    """The advisory that reached the model or the person; failing if none did."""
    heard = "\n".join(c.requests[-1].heard for c in play.mains)
    told = heard + "\n" + "\n".join(play.client.notices)
    found = ADVISORY.search(told)
    assert found, f"no advisory; the person saw {play.client.notices}"
    return told


@dataclass
class Held:
    """A gate that knows its play only once it runs: see `settled`."""

    play: Play | None = field(default=None)


def settled(held: Held, script: str, calls: int) -> Until:
    """Wait until so many dispatches have been decided: each has started or has been refused."""

    def all_decided(model: ScriptedModel) -> bool:
        refused = [b for b in held.play.client.results() if b.get("is_error")] if held.play else []
        return len(model.named(script)) + len(refused) >= calls

    return Until(all_decided, f"{calls} dispatches of {script} being decided")
