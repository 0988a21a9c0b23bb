"""`python -m tests.fire.race [ROUNDS [PROCESSES [KIND ...]]]`: many dispatches of one file at once.

Each round starts the processes, lets them all go at the same moment, and counts: exactly one may be
allowed, and the ledger holds it and nothing else.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock
from tests.fire.stage import Stage, begun, ended, lose_the_lock, watch

from holdshort import shell
from holdshort.adapters.ledger_file import LOCK, held_ledger
from holdshort.core.words import iso_of

if TYPE_CHECKING:
    from collections.abc import Callable

SLOW = 0.0002  # seconds more for each system call of a slow disk


def plain(_: int) -> None:
    """Nothing else happens."""


def slow_disk(_: int) -> None:
    """Each system call takes its time, so that steps overlap at every point."""

    def fault(_: str, call: Callable[[], Any]) -> Any:
        time.sleep(SLOW)
        return call()

    watch(1, fault, lasting=True)


def unlocked(at: int) -> None:
    """Nobody waits for anybody: what the other kinds must notice."""
    lose_the_lock()
    slow_disk(at)


KINDS: dict[str, Callable[[int], None]] = {
    "plain": plain,
    "dead-lock-file": plain,
    "mixed": plain,
    "worktrees": plain,
    "slow-disk": slow_disk,
    "unlocked": unlocked,
}


def main(rounds: int = 200, processes: int = 64, *kinds: str) -> int:
    """Print, for each kind, in how many rounds not exactly one dispatch per tree was allowed."""
    shell.DEADLINE = 600.0  # 64 processes on a busy machine; the lock is tested here, not the clock
    bad = 0
    for kind in kinds or [kind for kind in KINDS if kind != "unlocked"]:
        with tempfile.TemporaryDirectory() as base:
            stage = Stage(Path(base))
            race(stage, kind, 0, 2)  # imports what is imported late, once and not in each process
            gc.freeze()
            gc.disable()
            wrong = sum(not race(stage, kind, number, processes) for number in range(rounds))
        print(f"{kind}: {rounds} rounds of {processes} processes, {wrong} wrong")
        bad += wrong
    return bool(bad)


def race(stage: Stage, kind: str, number: int, processes: int) -> bool:
    """Whether one round let exactly one dispatch per tree through, and recorded just that."""
    trees = prepared(stage, kind)
    waiting, gate = os.pipe()
    started = [
        begun(
            stage.dispatch(f"r{number}p{at}", "src/a.py", cwd=trees[at % len(trees)]),
            partial(_wait, waiting, gate, KINDS[kind], at),
        )
        for at in range(processes)
    ]
    writers = [_writer(stage, waiting, gate, at) for at in range(8)] if kind == "mixed" else []
    os.close(waiting)
    os.close(gate)
    allowed = [at for at, step in enumerate(started) if not ended(*step).is_denied]
    for pid in writers:
        os.waitpid(pid, 0)
    expected = {f"toolu_r{number}p{at}" for at in allowed} | {
        f"cli-{at}" for at in range(len(writers))
    }
    return len(allowed) == len(trees) and set(stage.agents()) == expected


def prepared(stage: Stage, kind: str) -> list[str]:
    """The working trees of a round, with the state directory as it should be before it."""
    repo = stage.harness.repo
    for path in sorted(stage.state.rglob("*"), reverse=True) if stage.state.exists() else ():
        path.rmdir() if path.is_dir() else path.unlink()
    stage.state.mkdir(exist_ok=True)
    if kind == "dead-lock-file":
        (stage.state / LOCK).write_text('{"pid": 1, "acquired": "long ago"}')
    if kind != "worktrees":
        return [str(repo)]
    other = repo.parent / "other"
    if not other.exists():
        command = ["git", "-C", str(repo), "worktree", "add", "-q", "--detach", str(other)]
        subprocess.run(command, check=True, capture_output=True)
    return [str(repo), str(other)]


def _wait(waiting: int, gate: int, prepare: Callable[[int], None], at: int) -> None:
    prepare(at)
    os.close(gate)
    os.read(waiting, 1)  # until the parent closes its end: everybody's barrier


def _writer(stage: Stage, waiting: int, gate: int, at: int) -> int:
    """A command line that adds a record of its own under `filelock`; its process id."""
    pid = os.fork()
    if pid:
        return pid
    try:
        _wait(waiting, gate, plain, at)
        with FileLock(stage.state / LOCK, mode=0o600):
            ledger = held_ledger(str(stage.state))
            record = {"id": f"cli-{at}", "files": [], "at": iso_of(0), "toolUseId": f"cli-{at}"}
            full = {**_like(stage), **record}
            ledger.write(ledger.book.changed(agents=(*ledger.book.agents, full)), iso_of(0))
    finally:
        os._exit(0)


def _like(stage: Stage) -> dict[str, Any]:
    empty = dict.fromkeys(("desc", "wave", "harness", "agentType", "tree"), "")
    nothing = dict.fromkeys(("name", "agentId", "parent", "isolation"))
    lists: dict[str, Any] = {name: [] for name in ("waits", "events", "transcripts")}
    state = {"access": "write", "source": "prompt", "state": "finished", "listed": False}
    return {**empty, **nothing, **lists, **state, "session": {"id": stage.harness.session}}


if __name__ == "__main__":
    given = sys.argv[1:]
    sys.exit(main(*map(int, given[:2]), *given[2:]))  # type: ignore[arg-type]  # two numbers, then kinds
