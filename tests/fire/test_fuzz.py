"""No hostile input makes a hook unsound (fuzz/). Longer: `python -m tests.fire.fuzz 1000000`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.fire.fuzz import __main__ as program
from tests.fire.fuzz.__main__ import GROWTH, explored
from tests.fire.fuzz.found import FOUND
from tests.fire.fuzz.inputs import EVENTS, Maker
from tests.fire.fuzz.run import BATCH, Finding, Run, smaller, steps_in
from tests.fire.fuzz.seeds import GRANTS, LEDGER, a_ledger, a_record, ledgers, text_of
from tests.fire.fuzz.steps import Step
from tests.fire.fuzz.world import World
from tests.fire.hooks import GUARD, LIFE, WRITE
from tests.harness import CHECKOUT, SCOPE

from holdshort.gather import agent_types

if TYPE_CHECKING:
    from pathlib import Path

INPUTS = 25_000  # of each seed: about 490 a second of CPU
PROCESSES = 500
CODES = (
    "HS101",
    "HS201",
    "HS205",
    "HS206",
    "HS501",
    "HS502",
    "HS507",
    "HS511",
    "HS902",
    "HS906",
    "HS908",
    "HS910",
)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = World(tmp_path)
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


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_stays_mended(world: World, name: str) -> None:
    assert not Run(world, "1").fault_of(FOUND[name].steps)


# The checks themselves: for each, a hook that is broken in just this way

DISPATCH = text_of({"tool_name": "Agent", "tool_input": {"prompt": SCOPE.format("src/a.py")}})
PAYLOAD = Step("test", GUARD, DISPATCH)
NO_CALL = Step("test", LIFE, b'{"hook_event_name": "Stop"}')
DENIAL = {
    "hookEventName": "PreToolUse",
    "permissionDecision": "deny",
    "permissionDecisionReason": "HS101 taken",
}


def denial(**fields: Any) -> dict[str, Any]:
    return {"hookSpecificOutput": {**DENIAL, **fields}}


def answering(world: World, answer: bytes | dict[str, Any], step: Step = PAYLOAD) -> str:
    """The fault that is found when a hook answers `answer`."""
    raw = answer if isinstance(answer, bytes) else text_of(answer) + b"\n"
    world.serve = lambda _hook, _judge, _fd: raw
    return Run(world, "1").fault_of([step])


def test_an_answer_that_is_sound_is_no_finding(world: World) -> None:
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
    world: World, answer: bytes | dict[str, Any]
) -> None:
    assert answering(world, answer).startswith(("misshapen", "not one JSON object"))


@pytest.mark.parametrize("text", ["a\x1b[31m", "a\u202eb", "a\nb", "\x00", "\ud800", "\u200b"])
def test_what_cannot_be_printed_is_a_finding(world: World, text: str) -> None:
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
def test_what_no_answer_may_say_is_a_finding(world: World, text: str, fault: str) -> None:
    assert answering(world, {"systemMessage": text}).startswith(fault)


@pytest.mark.parametrize(
    "step",
    [
        NO_CALL,
        PAYLOAD._replace(hook=LIFE),
        PAYLOAD._replace(stdin=b"{"),
        PAYLOAD._replace(stdin=b"[" * 90_000),
        PAYLOAD._replace(stdin=b'{"tool_name": "Bash", "tool_input": {}}'),
        PAYLOAD._replace(stdin=b'{"tool_name": "Agent", "tool_input": null}'),
        PAYLOAD._replace(stdin=b'{"tool_name": "SendMessage", "tool_input": {"to": 3}}'),
    ],
)
def test_a_denial_of_what_is_no_dispatch_is_a_finding(world: World, step: Step) -> None:
    assert answering(world, denial(), step) == "denied what is no dispatch and no write"


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(1), RecursionError(), MemoryError()])
def test_an_error_that_escapes_is_a_finding(world: World, error: BaseException) -> None:
    def broken(*_: object) -> bytes:
        raise error

    world.serve = broken

    assert Run(world, "1").fault_of([PAYLOAD]).startswith("escaped")


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
    world: World, deed: str
) -> None:
    calls = iter(range(1000))

    def broken(*_: object) -> bytes:
        if next(calls) % 30 == 20:
            subprocess.run(["sh", "-c", deed], check=True)
        return b""

    world.serve = broken
    run = Run(world, "1")
    run.maker.kinds = ["turn"]  # none that must be answered
    run.explore(BATCH)

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
        (a_ledger(a_record(0, state="dead")), "the ledger holds unsound records"),
        (a_ledger(a_record(0, events=[["x"]])), "the ledger holds unsound records"),
        (None, "the ledger is gone"),
    ],
)
def test_a_ledger_that_a_hook_leaves_unsound_is_a_finding(
    world: World, raw: bytes | None, fault: str
) -> None:
    def broken(*_: object) -> bytes:
        path = world.at(LEDGER)
        path.unlink()
        if raw is not None:
            path.write_bytes(raw)
        return b""

    world.serve = broken
    sound = PAYLOAD._replace(files=((LEDGER, ledgers()[1]),))

    assert Run(world, "1").fault_of([sound]).startswith(fault)


def test_a_sound_ledger_that_is_called_unreadable_is_a_finding(world: World) -> None:
    said = {"systemMessage": "HS902 The ledger was unreadable (x): kept aside."}
    sound, broken = (PAYLOAD._replace(files=((LEDGER, raw),)) for raw in (ledgers()[1], b"{"))

    assert answering(world, said, sound) == "a sound ledger is refused"
    assert not answering(world, said, broken)


def test_a_hook_that_keeps_memory_is_a_finding(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    sizes = iter((0, GROWTH + 1))
    monkeypatch.setattr(program, "peak", lambda: next(sizes))
    world.serve = lambda *_: b""

    assert explored(Run(world, "1"), 1, in_processes=False) == 1


def test_a_finding_is_made_smaller_and_can_be_replayed(world: World) -> None:
    def broken(_hook: str, _judge: object, fd: int) -> bytes:
        call = os.read(fd, 1 << 20)
        return b"text\n" if b"culprit" in call else b""

    world.serve = broken
    stdin = text_of({"a": {"b": [1, 2, "x" * 500 + "culprit" + "y" * 500]}, "c": "d"})
    steps = (*[PAYLOAD] * 9, PAYLOAD._replace(stdin=stdin, files=(("repo/.pi/x", b"y"),)))
    run = Run(world, "1")
    finding = smaller(run, Finding(run.fault_of(steps), steps))

    (step,) = finding.steps
    assert len(step.stdin) < 60
    assert step.files == ()
    assert steps_in(str(finding)) == finding.steps


def test_the_same_seed_makes_the_same_inputs() -> None:
    def inputs(seed: str) -> list[bytes]:
        maker = Maker(seed)
        return [maker.step("turn").stdin for _ in range(20)]

    assert inputs("one") == inputs("one") != inputs("two")


def test_every_event_that_these_hooks_are_registered_for_is_among_the_inputs() -> None:
    maker = Maker("1")
    made = {
        (step.hook, json.loads(step.stdin)["hook_event_name"])
        for kind in EVENTS
        for step in (maker.call(kind) for _ in range(60))
    }
    groups = json.loads((CHECKOUT / "hooks.json").read_text())["hooks"]
    registered = {
        (hook["args"][-1], event)
        for event, many in groups.items()
        for group in many
        for hook in group["hooks"]
    }

    assert made == registered


def test_most_inputs_reach_a_judge_and_every_kind_of_answer_is_seen(world: World) -> None:
    run = Run(world, "1")
    run.explore(3000)

    for code in CODES:
        assert run.codes.get(code), code
    assert run.codes["HS908"] < 600
    assert not run.findings


@pytest.mark.parametrize(
    ("path", "is_forbidden"),
    [
        ("src/a.py", False),
        ("/@W@/repo/src/../src/a.py", False),
        ("/@W@/tree/src/a.py", False),
        ("", False),
        (".claude/wave-scope.json", False),
        ("src/a.pyx", True),
        ("linked/../src/b.py", True),
        ("linked/a.py", True),
        (" lib/d.py", True),
        ("~/src/a.py", True),
        ("/src/a.py", True),
    ],
)
def test_a_write_that_is_let_through_against_the_manifest_is_a_finding(
    world: World, path: str, is_forbidden: bool
) -> None:
    call = {"tool_name": "Write", "tool_input": {"file_path": path}, "cwd": "/@W@/repo"}
    manifest = (("repo/.claude/wave-scope.json", next(iter(GRANTS))),)
    step = Step("test", WRITE, text_of(call), manifest)

    assert bool(answering(world, b"", step)) is is_forbidden
    assert not answering(world, denial(), step)


def test_a_question_is_a_finding_but_from_the_write_guard(world: World) -> None:
    call = {"tool_name": "Write", "tool_input": {"file_path": "src/a.py"}, "cwd": "/@W@/repo"}
    question = text_of(denial(permissionDecision="ask")).replace(b": ", b":") + b"\n"

    assert not answering(world, question, Step("test", WRITE, text_of(call)))
    assert answering(world, question).startswith("misshapen")
