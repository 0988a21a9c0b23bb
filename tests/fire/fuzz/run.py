"""Inputs through a world, what was found, and how a finding is made smaller."""

from __future__ import annotations

import ast
import itertools
import json
import re
from typing import TYPE_CHECKING, NamedTuple

from tests.fire.fuzz.answers import fault_in
from tests.fire.fuzz.inputs import Maker, places_in
from tests.fire.fuzz.seeds import text_of
from tests.fire.fuzz.steps import Seen, Step
from tests.fire.hooks import TOUCH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.fire.fuzz.world import World


BATCH = 50  # inputs on one state directory, and between two looks at everything outside it


class Finding(NamedTuple):
    """A fault with the inputs that show it, the last one being the culprit."""

    fault: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return f"{self.fault}\n{[tuple(step) for step in self.steps]!r}"


class Run:
    """Inputs through a world, and what was found."""

    def __init__(self, world: World, seed: str) -> None:
        self.world = world
        self.maker = Maker(seed)
        self.findings: list[Finding] = []
        self.codes: dict[str, int] = {}
        self.kinds: dict[str, int] = {}
        self.slowest = 0.0
        self.skipped = 0

    def explore(self, count: int) -> None:
        """Feed `count` inputs."""
        for done in range(0, count, BATCH):
            self.batch(min(BATCH, count - done))

    def batch(self, count: int) -> None:
        start = Step("begin", TOUCH, b"", self.maker.begin())
        steps = [start, *(self.maker.step() for _ in range(count))]
        found = self.play(steps)
        if found is None and self.world.outside() != self.world.before:
            changed = self.world.changed()
            found = self._culprit(steps, changed)
            self.world.mend()
        if found is not None:
            self.findings.append(found)

    def play(self, steps: Sequence[Step]) -> Finding | None:
        """Feed a batch; the first fault in it, with the steps that led there."""
        self.world.begin()
        first: Finding | None = None
        for number, step in enumerate(steps):
            seen = self.world.feed(step)
            if seen is None:
                self.skipped += 1
                continue
            self.note(seen)
            fault = fault_in(seen)
            if fault and first is None:
                first = Finding(fault, tuple(steps[: number + 1]))
        return first

    def note(self, seen: Seen) -> None:
        self.slowest = max(self.slowest, seen.seconds)
        self.kinds[seen.step.kind] = self.kinds.get(seen.step.kind, 0) + 1
        for code in set(re.findall(r"HS\d{3}", seen.output.decode())) or {"silent"}:
            self.codes[code] = self.codes.get(code, 0) + 1
        self.maker.learn(seen)

    def _culprit(self, steps: Sequence[Step], before: list[str]) -> Finding:
        """The batch again one by one, as something outside the state directory is not as it was."""
        self.world.mend()
        self.world.begin()
        for number, step in enumerate(steps):
            self.world.feed(step)
            changed = self.world.changed()
            if changed:
                return Finding(f"changed outside: {changed[:3]}", tuple(steps[: number + 1]))
        return Finding(f"changed outside, but not one by one: {before[:3]}", tuple(steps))

    def fault_of(self, steps: Sequence[Step]) -> str:
        """What goes wrong when `steps` are fed to a world as new."""
        self.world.mend()
        found = self.play(steps)
        changed = self.world.changed()
        if found is not None and len(found.steps) == len(steps):
            return found.fault
        return f"changed outside: {changed[:3]}" if changed else ""


def smaller(run: Run, finding: Finding, tries: int = 300) -> Finding:
    """The finding with steps, keys and texts left out, as long as the same kind of fault stays."""
    if not finding.steps:
        return finding
    kind = kind_of(finding.fault)
    left = itertools.count(tries, -1)
    is_done = False
    while not is_done:
        is_done = True
        for steps in _smaller_steps(finding.steps):
            if next(left) <= 0:
                return finding
            fault = run.fault_of(steps)
            if kind_of(fault) == kind:
                finding, is_done = Finding(fault, steps), False
                break
    return finding


def kind_of(fault: str) -> str:
    return re.sub(r"[\d'\"]+", "", fault)[:60]


def _smaller_steps(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    *earlier, last = steps
    for size in (len(earlier), len(earlier) // 2, 1):
        for at in range(0, len(earlier), size or 1) if size else ():
            yield (*earlier[:at], *earlier[at + size :], last)
    for number in range(len(last.files)):
        yield (*earlier, last._replace(files=last.files[:number] + last.files[number + 1 :]))
    for stdin in _smaller_json(last.stdin):
        yield (*earlier, last._replace(stdin=stdin))
    for number, (path, raw) in enumerate(last.files):
        for less in (*_smaller_json(raw), raw[: len(raw) // 2], raw[len(raw) // 2 :]):
            if len(less) < len(raw):
                fewer = (*last.files[:number], (path, less), *last.files[number + 1 :])
                yield (*earlier, last._replace(files=fewer))


def _smaller_json(raw: bytes) -> Iterator[bytes]:
    try:
        count = len(list(places_in(json.loads(raw))))
    except (ValueError, RecursionError):
        return
    for number in range(min(count, 60)):
        value = json.loads(raw)
        inside, key = list(places_in(value))[number]
        old = inside[key]
        if isinstance(old, str) and len(old) > 1:
            size = -(-len(old) // 4)
            for at in range(0, len(old), size):
                inside[key] = old[:at] + old[at + size :]
                yield text_of(value)
        del inside[key]
        yield text_of(value)


def steps_in(text: str) -> tuple[Step, ...]:
    """What a finding printed: the last line of it that is a list of inputs."""
    line = [line for line in text.splitlines() if line.startswith("[(")][-1]
    return tuple(Step(*fields) for fields in ast.literal_eval(line))
