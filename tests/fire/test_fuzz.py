"""No hostile input makes a hook unsound (fuzz.py). Longer: `python -m tests.fire.fuzz 1000000`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.fire import fuzz
from tests.harness import CHECKOUT, SCOPE

from holdshort.gather import agent_types

if TYPE_CHECKING:
    from pathlib import Path

INPUTS = 25_000  # of each seed: 455 to 750 a second of CPU
PROCESSES = 500


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> fuzz.World:
    world = fuzz.World(tmp_path)
    for name, value in world.environ().items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(world.at("repo"))
    monkeypatch.setattr(agent_types, "SOONEST", 1e12)
    return world


def fuzzed(*arguments: str) -> None:
    """Run the program; a process of its own, so that what it measures is its own."""
    command = ["nice", "-n", "10", sys.executable, "-m", "tests.fire.fuzz", *arguments]
    environ = {**os.environ, "PYTHONPATH": f"{CHECKOUT}/lib:{CHECKOUT}"}
    done = subprocess.run(
        command, cwd=CHECKOUT, env=environ, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("seed", ["one", "two"])
def test_no_input_makes_a_hook_unsound(seed: str) -> None:
    fuzzed(str(INPUTS), seed)


@pytest.mark.parametrize("seed", ["three", "four"])
def test_no_input_makes_a_hook_process_unsound(seed: str) -> None:
    fuzzed("--processes", str(PROCESSES), seed)


@pytest.mark.parametrize("name", fuzz.FOUND)
def test_what_was_found_stays_mended(world: fuzz.World, name: str) -> None:
    assert not fuzz.Run(world, "1").fault_of(fuzz.FOUND[name].steps)


# The checks themselves: for each, a hook that is broken in just this way

DISPATCH = fuzz.text_of({"tool_name": "Agent", "tool_input": {"prompt": SCOPE.format("src/a.py")}})
PAYLOAD = fuzz.Step("test", fuzz.GUARD, DISPATCH)
NO_CALL = fuzz.Step("test", fuzz.LIFE, b'{"hook_event_name": "Stop"}')
DENIAL = {
    "hookEventName": "PreToolUse",
    "permissionDecision": "deny",
    "permissionDecisionReason": "HS101 taken",
}


def denial(**fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {**DENIAL, **fields}}


def answering(world: fuzz.World, answer: bytes | dict[str, Any], step: fuzz.Step = PAYLOAD) -> str:
    """The fault that is found when a hook answers `answer`."""
    raw = answer if isinstance(answer, bytes) else fuzz.text_of(answer) + b"\n"
    world.serve = lambda _hook, _judge, _fd: raw
    return fuzz.Run(world, "1").fault_of([step])


def test_an_answer_that_is_sound_is_no_finding(world: fuzz.World) -> None:
    assert not answering(world, b"")
    assert not answering(world, denial())
    assert not answering(world, {"systemMessage": "HS101 taken", **denial()})


@pytest.mark.parametrize(
    "answer",
    [
        b"{}\n{}\n",
        b"null\n",
        b"[]\n",
        b"{\n",
        b"text\n",
        b'{"systemMessage":"x"}',
        {"other": 1},
        {},
        {"systemMessage": ""},
        {"systemMessage": 3},
        {"hookSpecificOutput": "x"},
        denial(permissionDecision="allow"),
        denial(permissionDecision="ask"),
        denial(permissionDecisionReason=""),
        denial(updatedInput={}),
    ],
)
def test_an_answer_of_another_shape_is_a_finding(
    world: fuzz.World, answer: bytes | dict[str, Any]
) -> None:
    assert answering(world, answer).startswith(("misshapen", "not one JSON object"))


@pytest.mark.parametrize("text", ["a\x1b[31m", "a\u202eb", "a\nb", "\x00", "\ud800", "\u200b"])
def test_what_cannot_be_printed_is_a_finding(world: fuzz.World, text: str) -> None:
    assert answering(world, denial(permissionDecisionReason=text)).startswith("not printable")
    assert answering(world, {"systemMessage": text}).startswith("not printable")


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("HS907 hook: unexpected KeyError", "unexpected error"),
        ("HS903 hook: no decision", "deadline passed"),
        ("x Traceback (most recent call last)", "a traceback"),
        ("x" * 5000, "too long"),
    ],
)
def test_what_no_answer_may_say_is_a_finding(world: fuzz.World, text: str, fault: str) -> None:
    assert answering(world, {"systemMessage": text}).startswith(fault)


@pytest.mark.parametrize(
    "step",
    [
        NO_CALL,
        PAYLOAD._replace(hook=fuzz.LIFE),
        PAYLOAD._replace(stdin=b"{"),
        PAYLOAD._replace(stdin=b"[" * 90_000),
        PAYLOAD._replace(stdin=b'{"tool_name": "Bash", "tool_input": {}}'),
        PAYLOAD._replace(stdin=b'{"tool_name": "Agent", "tool_input": null}'),
        PAYLOAD._replace(stdin=b'{"tool_name": "SendMessage", "tool_input": {"to": 3}}'),
    ],
)
def test_a_denial_of_what_is_no_dispatch_is_a_finding(world: fuzz.World, step: fuzz.Step) -> None:
    assert answering(world, denial(), step) == "denied what is no dispatch"


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(1), RecursionError(), MemoryError()])
def test_an_error_that_escapes_is_a_finding(world: fuzz.World, error: BaseException) -> None:
    def broken(*_: object) -> bytes:
        raise error

    world.serve = broken

    assert fuzz.Run(world, "1").fault_of([PAYLOAD]).startswith("escaped")


@pytest.mark.parametrize(
    "deed",
    [
        "echo x >../outside/new",
        "echo x >src/a.py",
        "rm -f src/a.py",
        "mkdir -p src/made",
        "touch -d @1 lib/d.py",
        "ln -sf /etc linked",
        "touch ../home/.holdshort",
        "touch ../../beside",
    ],
)
def test_a_change_outside_the_state_directory_is_a_finding_and_the_culprit_is_named(
    world: fuzz.World, deed: str
) -> None:
    calls = iter(range(1000))

    def broken(*_: object) -> bytes:
        if next(calls) % 30 == 20:
            subprocess.run(["sh", "-c", deed], check=True)
        return b""

    world.serve = broken
    run = fuzz.Run(world, "1")
    run.explore(fuzz.BATCH)

    assert [finding.fault[:15] for finding in run.findings] == ["changed outside"]
    assert world.changed() == []


@pytest.mark.parametrize(
    ("raw", "fault"),
    [
        (b"{", "the ledger is not readable"),
        (b"", "the ledger is not readable"),
        (b"[]", "the ledger is none"),
        (b'{"schema": 1}', "the ledger is none"),
        (b'{"schema": 1, "agents": [{"id": "x"}]}', "the ledger holds unsound records"),
        (fuzz.a_ledger(fuzz.a_record(0, state="dead")), "the ledger holds unsound records"),
        (fuzz.a_ledger(fuzz.a_record(0, events=[["x"]])), "the ledger holds unsound records"),
        (None, "the ledger is gone"),
    ],
)
def test_a_ledger_that_a_hook_leaves_unsound_is_a_finding(
    world: fuzz.World, raw: bytes | None, fault: str
) -> None:
    def broken(*_: object) -> bytes:
        path = world.at(fuzz.LEDGER)
        path.unlink()
        if raw is not None:
            path.write_bytes(raw)
        return b""

    world.serve = broken
    sound = PAYLOAD._replace(files=((fuzz.LEDGER, fuzz.ledgers()[1]),))

    assert fuzz.Run(world, "1").fault_of([sound]).startswith(fault)


def test_a_sound_ledger_that_is_called_unreadable_is_a_finding(world: fuzz.World) -> None:
    said = {"systemMessage": "HS902 The ledger was unreadable (x): kept aside."}
    sound, broken = (
        PAYLOAD._replace(files=((fuzz.LEDGER, raw),)) for raw in (fuzz.ledgers()[1], b"{")
    )

    assert answering(world, said, sound) == "a sound ledger is refused"
    assert not answering(world, said, broken)


def test_a_hook_that_keeps_memory_is_a_finding(
    world: fuzz.World, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = iter((0, fuzz.GROWTH + 1))
    monkeypatch.setattr(fuzz, "peak", lambda: next(sizes))
    world.serve = lambda *_: b""

    assert fuzz.explored(fuzz.Run(world, "1"), 1, in_processes=False) == 1


def test_a_finding_is_made_smaller_and_can_be_replayed(world: fuzz.World) -> None:
    def broken(_hook: str, _judge: object, fd: int) -> bytes:
        call = os.read(fd, 1 << 20)
        return b"text\n" if b"culprit" in call else b""

    world.serve = broken
    stdin = fuzz.text_of({"a": {"b": [1, 2, "x" * 500 + "culprit" + "y" * 500]}, "c": "d"})
    steps = (*[PAYLOAD] * 9, PAYLOAD._replace(stdin=stdin, files=(("repo/.pi/x", b"y"),)))
    run = fuzz.Run(world, "1")
    finding = fuzz.smaller(run, fuzz.Finding(run.fault_of(steps), steps))

    (step,) = finding.steps
    assert len(step.stdin) < 60
    assert step.files == ()
    assert fuzz.steps_in(str(finding)) == finding.steps


def test_the_same_seed_makes_the_same_inputs() -> None:
    def inputs(seed: str) -> list[bytes]:
        maker = fuzz.Maker(seed)
        return [maker.step("turn").stdin for _ in range(20)]

    assert inputs("one") == inputs("one") != inputs("two")


def test_every_event_that_these_hooks_are_registered_for_is_among_the_inputs() -> None:
    maker = fuzz.Maker("1")
    made = {
        (step.hook, json.loads(step.stdin)["hook_event_name"])
        for kind in fuzz.EVENTS
        for step in (maker.call(kind) for _ in range(60))
    }
    groups = json.loads((CHECKOUT / "hooks.json").read_text())["hooks"]
    registered = {
        (hook["args"][-1], event)
        for event, many in groups.items()
        for group in many
        for hook in group["hooks"]
    }

    assert made == {pair for pair in registered if pair[0] in fuzz.JUDGES}


def test_most_inputs_reach_a_judge_and_every_kind_of_answer_is_seen(world: fuzz.World) -> None:
    run = fuzz.Run(world, "1")
    run.explore(3000)

    for code in ("HS101", "HS501", "HS502", "HS507", "HS511", "HS902", "HS906", "HS908", "HS910"):
        assert run.codes.get(code), code
    assert run.codes["HS908"] < 600
    assert not run.findings
