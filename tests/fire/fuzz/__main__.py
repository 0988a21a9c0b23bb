"""Hostile inputs through the run loop of every hook; whatever comes, the answer must be sound.

    python -m tests.fire.fuzz N [SEED]               N inputs in this one process
    python -m tests.fire.fuzz --processes N [SEED]   N inputs as real hook processes
    python -m tests.fire.fuzz --replay FILE          what a finding printed, again

Inputs are made from valid ones by changing their structure: a payload on stdin, a file that the hook
reads, or both. Inputs whose outcome (codes and kind of answer) was never seen before become seeds.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fire.fuzz.run import BATCH, Finding, Run, kind_of, smaller, steps_in
from tests.fire.fuzz.world import Processes, World

from holdshort.gather import agent_types

if TYPE_CHECKING:
    from tests.fire.fuzz.steps import Step


GROWTH = 96 << 10  # KiB by which the process may grow over a run; the largest input is 5 MiB
HOOK_SIZE = 128 << 10  # KiB that a hook process may take


def peak() -> int:
    """KiB that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def quiet(world: World) -> None:
    """This process sees the world and nothing else; what agents are defined is always in force."""
    os.environ.clear()
    os.environ.update(world.environ(), PATH="/usr/bin:/bin")
    os.chdir(world.at("repo"))
    gc.set_threshold(100_000)  # as good as none, as in a hook
    agent_types.SOONEST = 1e12  # of a process that began before the definition was written


def reported(run: Run, count: int, cpu: float, grown: int) -> int:
    codes = ", ".join(f"{code} {times}" for code, times in sorted(run.codes.items()))
    print(f"{count} inputs in {cpu:.1f} s of CPU, {count / max(cpu, 1e-9):.0f} a second; ", end="")
    print(f"grown by {grown >> 10} MiB; slowest {run.slowest:.2f} s; {run.skipped} left the world")
    print(f"kinds: {dict(sorted(run.kinds.items()))}\noutcomes: {codes}")
    print(f"{len(run.maker.shapes)} kinds of outcome; {len(run.findings)} findings")
    for kind, of_kind in _by_kind(run.findings).items():
        print(f"--- {len(of_kind)} of: {kind}\n{smaller(run, of_kind[0])}")
    return 1 if run.findings else 0


def _by_kind(findings: list[Finding]) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(kind_of(finding.fault), []).append(finding)
    return found


def main(arguments: list[str]) -> int:
    mode = arguments.pop(0) if arguments and arguments[0].startswith("--") else ""
    with tempfile.TemporaryDirectory(prefix="holdshort-fuzz-", dir=_memory()) as directory:
        world = (Processes if mode == "--processes" else World)(Path(directory))
        text = Path(arguments[0]).read_text() if mode == "--replay" else ""
        quiet(world)
        run = Run(world, arguments[1] if len(arguments) > 1 else "1")
        if mode == "--replay":
            return _replayed(run, steps_in(text))
        return explored(run, int(arguments[0]), in_processes=mode == "--processes")


def _memory() -> str | None:
    """A directory in memory, where there is one: a third of the time would go into the disk."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def _replayed(run: Run, steps: tuple[Step, ...]) -> int:
    fault = run.fault_of(steps)
    print(fault or "nothing is wrong")
    return 1 if fault else 0


def explored(run: Run, count: int, *, in_processes: bool) -> int:
    run.explore(BATCH)  # what is imported late is not growth
    run.findings.clear()
    before, began = peak(), time.process_time()
    run.explore(count)
    grown, cpu = peak() - before, time.process_time() - began
    if grown > GROWTH:
        run.findings.append(Finding(f"grown by {grown} KiB", ()))
    if in_processes:
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu, grown = children.ru_utime + children.ru_stime, children.ru_maxrss
        print(f"the largest hook process took {grown >> 10} MiB")
        if grown > HOOK_SIZE:
            run.findings.append(Finding(f"a hook of {grown} KiB", ()))
    return reported(run, count, cpu, grown)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.exit(main(sys.argv[1:]))
