"""`python -m tests.fire.hangs`: a step that hangs at each of its system calls, and wakes up later.

Meanwhile others dispatch: each is judged within its budget, says so when it had to do without the
lock, and nothing that it recorded is lost when the one that hung goes on and writes.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.fire.stage import Stage, act, begun, ended, impatient, stopped_before, watch

FEWEST_DEGRADED = 8  # system calls at which the lock is held; with fewer, nothing is proven


def main() -> int:
    """Print what went wrong, one line each, and at how many calls the step was made to hang."""
    with tempfile.TemporaryDirectory() as base:
        stage = Stage(Path(base))
        act(stage.dispatch("one", "src/a.py"))
        stage.keep()
        calls = act(stage.dispatch("two", "src/b.py"), lambda: watch(0, stopped_before)).calls
        troubles: list[str] = []
        degraded = 0
        for at in range(1, calls + 1):
            stage.put_back()
            found, was_degraded = hung(stage, at)
            degraded += was_degraded
            troubles += [f"hung at call {at} of {calls}: {trouble}" for trouble in found]
    if degraded < FEWEST_DEGRADED:
        troubles.append(f"only {degraded} calls held the lock")
    print("\n".join(troubles))
    print(f"hung at {calls} calls, {degraded} of them under the lock, {len(troubles)} troubles")
    return bool(troubles)


def hung(stage: Stage, at: int) -> tuple[list[str], bool]:
    """What went wrong around a dispatch that hung at a call, and whether it held the lock there."""
    step = begun(stage.dispatch("two", "src/b.py"), partial(watch, at, stopped_before))
    os.waitpid(step[0], os.WUNTRACED)
    taken = act(stage.dispatch("three", "src/a.py"), impatient)
    free = act(stage.dispatch("four", "docs/free.md"), impatient)
    again = act(stage.dispatch("five", "docs/free.md"), impatient)
    os.kill(step[0], signal.SIGCONT)
    woken = ended(*step)
    was_degraded = "HS904" in free.text

    troubles = [] if taken.is_denied else [f"a collision gets {taken.text}"]
    troubles += [f"honest work gets {free.text}"] * free.is_denied
    troubles += [] if again.is_denied else ["those without the lock do not see each other"]
    troubles += [f"it gets {woken.text}"] * (woken.is_denied or "HS90" in woken.text)
    return troubles + _afterwards(stage), was_degraded


def _afterwards(stage: Stage) -> list[str]:
    """What is wrong once all is as usual again: the next step takes everything in."""
    held = {"toolu_one", "toolu_two", "toolu_four"}
    troubles = []
    if set(stage.agents()) != held:
        troubles.append(f"recorded are {sorted(stage.agents())}")
    troubles += [
        f"{file} is given away twice"
        for file in ("src/b.py", "docs/free.md")
        if not act(stage.dispatch(f"late-{file}", file)).is_denied
    ]
    last = act(stage.dispatch("six", "docs/six.md"))
    if last.answer or set(stage.raw_agents()) != held | {"toolu_six"}:
        troubles.append(f"then recorded are {stage.raw_agents()}, said is {last.text}")
    if (stage.state / "pending").exists():
        troubles.append("pending changes are left")
    return troubles


if __name__ == "__main__":
    sys.exit(main())
