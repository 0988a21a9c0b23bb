"""`python -m tests.fire.kills [FAULT ...] [STEP ...]`: a fault at each system call of each kind of step.

After every one: the ledger makes sense, holds what it held before or what it should hold now and
nothing twice; the next dispatch is judged as ever; what the step left behind is gone after it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.fire.stage import (
    CHANGING,
    DAY,
    OPENING,
    Done,
    Stage,
    act,
    impatient,
    jumped,
    killed_after,
    killed_before,
    refused,
    watch,
)

from holdshort.adapters.places import TOUCHED
from holdshort.adapters.touched import LARGEST, OLDER

if TYPE_CHECKING:
    from collections.abc import Callable

LOOKING = ("lstat", "stat", "fstat")
FAULTS: dict[str, tuple[Callable[..., Any], bool]] = {
    "killed-before": (killed_before, False),
    "killed-after": (killed_after, False),
    "disk-full": (refused(errno.ENOSPC, CHANGING), True),
    "disk-full-once": (refused(errno.ENOSPC, CHANGING), False),
    "read-only": (refused(errno.EROFS, CHANGING), True),
    "no-permission": (refused(errno.EACCES, CHANGING), True),
    "too-many-files": (refused(errno.EMFILE, OPENING), True),
    "too-many-files-once": (refused(errno.EMFILE, OPENING), False),
    "reading-fails-once": (refused(errno.EIO, ("read", "readv", "pread")), False),
    "looking-fails-once": (refused(errno.EIO, LOOKING), False),
    "clock-forward": (jumped(DAY), False),
    "clock-back": (jumped(-DAY), False),
}
KNOWN = {
    *("wave-dispatch-scopes.json", "wave-dispatch-scopes.lock", "pending.lock"),
    *(".gitignore", "log", "policy.json", TOUCHED, OLDER),
}
AGENT = {"agent_id": "a1", "agent_type": "general-purpose"}
STEPS: dict[str, Callable[[Stage], dict[str, Any]]] = {
    "dispatch": lambda stage: stage.dispatch("two", "src/b.py"),
    "degraded": lambda stage: stage.dispatch("two", "src/b.py"),
    "denied": lambda stage: stage.dispatch("two", "src/a.py"),
    "started": lambda stage: stage.event("SubagentStart", **AGENT),
    "stopped": lambda stage: stage.event("SubagentStop", background_tasks=[], **AGENT),
    "message": lambda stage: stage.message("a1", "src/b.py"),
    "touched": lambda stage: stage.write("PostToolUse", "docs/new.md", agent_id="a1"),
    "advised": lambda stage: stage.write("PreToolUse", "docs/new.md", agent_id="a1"),
    "held": lambda stage: stage.write("PreToolUse", "src/a.py", agent_id="a2"),
    "ungranted": lambda stage: stage.write("PreToolUse", "src/new.py", agent_id="a1"),
}
REFUSED = ("denied", "held", "ungranted")
CHANGING_IT = ("dispatch", "started", "stopped", "message", "advised")  # the ledger
TAKEN = dict.fromkeys(("dispatch", "degraded", "message"), "src/b.py")  # after it
FEWEST_CALLS = 20  # of a step; with fewer, the faults are not where they should be


def main(names: list[str]) -> int:
    """Print what went wrong, one line each, and how many steps were tried."""
    found: list[str] = []
    tried = 0
    for fault in [name for name in names if name in FAULTS] or FAULTS:
        for kind in [name for name in names if name in STEPS] or STEPS:
            with tempfile.TemporaryDirectory() as base:
                troubles, steps = faulted(Path(base), kind, fault)
                found += troubles
                tried += steps
    print("\n".join(found))
    print(f"{tried} faulted steps, {len(found)} troubles")
    return bool(found)


def faulted(base: Path, kind: str, fault: str) -> tuple[list[str], int]:
    """Each step of a kind with the fault at each of its system calls; `(troubles, steps tried)`."""
    stage, payload = staged(base, kind)
    make, lasting = FAULTS[fault]
    calls = _step(stage, payload, lambda: watch(0, make), kind).calls
    expected = stage.agents()
    troubles = [f"{kind} makes only {calls} system calls"] * (calls < FEWEST_CALLS)
    kept = (stage.kept / "wave-dispatch-scopes.json").read_bytes()
    is_idle = kind in CHANGING_IT and kept == stage.ledger_bytes()
    troubles += [f"{kind} changes nothing"] * is_idle
    for at in range(1, calls + 1):
        stage.put_back()
        before = stage.agents()
        done = _step(stage, payload, partial(watch, at, make, lasting), kind)
        troubles += [
            f"{kind}, {fault} at call {at} of {calls}: {trouble}"
            for trouble in checked(stage, payload, done, kind, (before, expected))
        ]
    return troubles, calls


def staged(base: Path, kind: str) -> tuple[Stage, dict[str, Any]]:
    """A stage on which one agent is at work on src/a.py, and the step to take there."""
    stage = Stage(base)
    assert not act(stage.dispatch("one", "src/a.py")).is_denied
    response = {"status": "async_launched", "isAsync": True, "agentId": "a1"}
    launched = {"tool_name": "Agent", "tool_input": {}, "tool_use_id": "toolu_one"}
    act(stage.event("PostToolUse", tool_response=response, **launched))
    if kind in ("started", "stopped"):
        act(stage.event("SubagentStart", agent_id="a1", agent_type="general-purpose"))
    if kind == "started":  # once it has stopped, a start wakes it
        act(stage.event("SubagentStop", agent_id="a1", background_tasks=[]))
    if kind == "touched":  # with so much in it that the file is to be set aside
        line = act(stage.write("PostToolUse", "docs/old.md", agent_id="a1"))
        assert not line.answer
        path = stage.state / TOUCHED
        path.write_bytes(path.read_bytes() * (LARGEST // path.stat().st_size + 1))
    if kind == "ungranted":
        manifest = stage.harness.repo / ".claude" / "wave-scope.json"
        manifest.parent.mkdir()
        manifest.write_text('{"enforcement": "strict", "allowedPaths": ["lib/"]}')
    stage.keep()
    return stage, STEPS[kind](stage)


def checked(
    stage: Stage,
    payload: dict[str, Any],
    done: Done,
    kind: str,
    allowed: tuple[dict[str, str], dict[str, str]],
) -> list[str]:
    """What is wrong after a step that met a fault."""
    try:
        agents = stage.agents()
    except AssertionError as error:
        return [f"the ledger is broken: {error}"]
    troubles = []
    is_told = "HS902" in done.text  # that it could not see the others
    if agents not in allowed and not is_told:
        troubles.append(f"the ledger holds {agents}")
    if "HS907" in done.text or "Traceback" in done.text:
        troubles.append(f"it says {done.text}")
    is_excused = kind != "ungranted" and (is_told or "HS905" in done.text or "HS910" in done.text)
    if done.status == 0 and kind in REFUSED and not (done.is_denied or is_excused):
        troubles.append(f"it let a collision pass: {done.text}")
    in_doubt = "no usable record" in done.text  # whether there is a manifest, and what it says
    if done.status == 0 and kind not in REFUSED and done.is_denied and not in_doubt:
        troubles.append(f"it denied honest work: {done.text}")
    return troubles + _later(stage, payload, kind)


def _later(stage: Stage, payload: dict[str, Any], kind: str) -> list[str]:
    """What is wrong with the steps after it: the same again, a collision, honest work."""
    act(payload)
    holder = act(stage.dispatch("three", TAKEN.get(kind, "src/a.py")))
    free = act(stage.dispatch("four", "docs/free.md"))
    troubles = []
    if holder.is_denied is (kind == "stopped"):
        troubles.append(f"the next dispatch gets {holder.text}")
    if free.is_denied or "HS9" in free.text:
        troubles.append(f"honest work later gets {free.text}")
    if kind in ("dispatch", "degraded") and "toolu_two" not in stage.raw_agents():
        troubles.append("the dispatch is lost")
    if kind == "touched" and "docs/new.md" not in [line["path"] for line in stage.touches()]:
        troubles.append("the write is not noted")
    if kind == "touched" and "docs/old.md" not in [line["path"] for line in stage.touches()]:
        troubles.append("what was noted is lost")
    for half in stage.state.glob("pending/*"):  # of one that was killed: taken away once it is old
        os.utime(half, (1, 1))
        act(stage.dispatch("five", "docs/free2.md"))
    left = {path.name for path in stage.state.iterdir()} - KNOWN
    return troubles + [f"left behind: {', '.join(sorted(left))}"] * bool(left)


def _step(stage: Stage, payload: dict[str, Any], prepare: Callable[[], None], kind: str) -> Done:
    """The step, while somebody else has the lock if it is to be a degraded one."""
    if kind != "degraded":
        return act(payload, prepare)
    with _hold_the_lock(stage):
        return act(payload, partial(_impatiently, prepare))


def _impatiently(prepare: Callable[[], None]) -> None:
    impatient()
    prepare()


def _hold_the_lock(stage: Stage) -> Any:
    file = (stage.state / "wave-dispatch-scopes.lock").open("a")
    fcntl.flock(file, fcntl.LOCK_EX)
    return file


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
