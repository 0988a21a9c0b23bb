"""Inputs that once showed a fault."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

from tests.fire.fuzz.inputs import MARK
from tests.fire.fuzz.seeds import CALLS, IDS, LEDGER, STATE, a_ledger, a_record, text_of
from tests.fire.fuzz.steps import Step
from tests.fire.hooks import GUARD, LIFE, TOUCH, WRITE
from tests.harness import SCOPE

_WRITE = text_of(
    {"tool_name": "Write", "tool_input": {"file_path": "/@W@/repo/src/a.py"}, "agent_id": IDS[0]}
)
_DISPATCH = b'{"tool_name": "Agent", "tool_input": {}}'
_LOG, _TOUCHED = f"{STATE}/log", f"{STATE}/touched.jsonl"


class Found(NamedTuple):
    """An input that once showed a fault."""

    steps: tuple[Step, ...]


FOUND = {
    "a log directory that is a link is not followed": Found(
        (Step("found", GUARD, _DISPATCH, ((_LOG, b"->../../outside"),)),)
    ),
    "a list of writes that is a link is no unexpected error": Found(
        (Step("found", TOUCH, _WRITE, ((_TOUCHED, b"->../../outside/victim.jsonl"),)),)
    ),
    "a list of writes that is a directory is no unexpected error": Found(
        (Step("found", TOUCH, _WRITE, ((_TOUCHED, b"dir"),)),)
    ),
    "a list of writes that is a pipe is no unexpected error": Found(
        (Step("found", TOUCH, _WRITE, ((_TOUCHED, b"pipe"),)),)
    ),
}
_FAR = Step("found", GUARD, b'{"tool_name": "Agent", "tool_input": {}, "cwd": "/@W@/tree"}')
FOUND |= {
    f"a {what} with a NUL is no unexpected error": Found((_FAR._replace(files=((path, raw),)),))
    for what, path, raw in (
        (".git file", "tree/.git", b"gitdir: ../repo/.git/work\0trees/tree"),
        ("commondir", "repo/.git/worktrees/tree/commondir", b"../..\0"),
    )
}
_ODD = {"tool_name": "Write", "tool_input": {"file_path": "x"}}
FOUND |= {
    f"a write in a directory whose name holds {character!r} is no unexpected error": Found(
        (Step("found", WRITE, text_of({**_ODD, "cwd": f"/{character}/x"})),)
    )
    for character in ("\0", "\ud800")
}
FOUND["a write below a name that is too long finds no ledger there to be refused"] = Found(
    (
        Step("found", TOUCH, b"", ((LEDGER, a_ledger(a_record(0, "src/a.py"))),)),
        Step("found", WRITE, text_of({**_ODD, "cwd": "/@W@/" + "\N{GRINNING FACE}" * 99})),
    )
)
_PARTIAL = {key: value for key, value in a_record(0, "src/a.py").items() if key != "waits"}
_STARTED: dict[str, Any] = {
    "hook_event_name": "PostToolUse",
    "tool_name": "Agent",
    "tool_use_id": CALLS[0],
}
_STARTED |= {"session_id": "s1", "tool_response": {"status": "async_launched", "agentId": IDS[0]}}
FOUND["a ledger with a line left blank in it is still a ledger"] = Found(
    (
        Step("found", GUARD, _DISPATCH, ((LEDGER, a_ledger(a_record(0, "src/a.py"))),)),
        Step(
            "found",
            GUARD,
            _DISPATCH,
            ((LEDGER, a_ledger(a_record(0, "src/a.py")).replace(b"[\n{", b"[\n\n{")),),
        ),
    )
)
_STATES: tuple[dict[str, Any], ...] = (
    {"isolation": {"requested": "worktree", "verified": None}},
    {"source": "weak"},
    {"agentId": IDS[2], "state": "idle", "events": [["stopped", time.time()]]},
)
_NAMED = [
    a_record(number, "src/a.py", id=f"a second agent of a long name {number}", **fields)
    for number, fields in enumerate(_STATES)
]
_WAKING = {
    "session_id": "s1",
    "tool_name": "SendMessage",
    "tool_input": {"to": IDS[2], "message": SCOPE.format("src/a.py")},
}
FOUND["what a message that adds files and wakes is told is no longer than promised"] = Found(
    (Step("found", GUARD, text_of(_WAKING), ((LEDGER, a_ledger(*_NAMED)),)),)
)
FOUND["news of a record that lacks a field is not lost"] = Found(
    (Step("found", LIFE, text_of(_STARTED), ((LEDGER, a_ledger(_PARTIAL)),)),)
)


_ASKING = {"tool_name": "Agent", "tool_input": {"prompt": SCOPE.format("src/a.py")}}
_ENDLESS = a_ledger(a_record(0, "lib/x", isolation={"verified": MARK}), lines=False)
_WROTE = {"at": MARK, "session": {"id": "x"}, "agent": "x", "tree": "/@W@/repo", "path": "src/a.py"}
FOUND |= {
    f"{what} is no unexpected error": Found(
        (Step("found", GUARD, text_of(_ASKING), ((path, raw.replace(b'"@RAW"', number)),)),)
    )
    for what, path, raw, number in (
        ("a number without end in a ledger", LEDGER, _ENDLESS, b"1e999"),
        ("a write at a time without end", _TOUCHED, text_of(_WROTE), b"1e999"),
        ("a write at a time of 400 digits", _TOUCHED, text_of(_WROTE), b"1" * 400),
    )
}
