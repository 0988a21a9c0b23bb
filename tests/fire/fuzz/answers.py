"""What must hold of the answer to every input, and of the ledger after it."""

from __future__ import annotations

import json
import os
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from tests.fire.fuzz.seeds import GRANTS, HERE
from tests.fire.hooks import GUARD, WRITE

from holdshort.gather.write import SHELLS, TOOLS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fire.fuzz.steps import Seen, Step

DECISION_ASK = b'"permissionDecision":"ask"'
REASON = 768  # bytes, as core/verdict.py promises
NOTICE = 4096

_ANSWER = {"hookSpecificOutput", "systemMessage"}
_DENIAL = {"hookEventName", "permissionDecision", "permissionDecisionReason"}
_ADVICE = {"hookEventName", "additionalContext"}


def fault_in(seen: Seen) -> str:
    """What is wrong with what became of an input, or nothing."""
    if seen.escaped:
        return f"escaped: {seen.escaped}"
    fault = _fault_in_answer(seen) or seen.ledger_fault or _fault_in_reading(seen)
    return fault or _let_through(seen)


def _fault_in_reading(seen: Seen) -> str:
    """A ledger that is sound is not called unreadable."""
    is_refused = seen.was_sound and b"HS902 The ledger was unreadable" in seen.output
    return "a sound ledger is refused" if is_refused else ""


def _fault_in_answer(seen: Seen) -> str:
    if not seen.output:
        return ""
    value = _answered(seen.output)
    if value is None:
        return f"not one JSON object: {seen.output[:200]!r}"
    is_asking = DECISION_ASK in seen.output and seen.step.hook == WRITE
    return _misshapen(value, asks=is_asking) or _misspoken(value, REASON) or _unfounded(seen, value)


def _answered(output: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(output)
    except ValueError:
        return None
    return value if isinstance(value, dict) and output.count(b"\n") == 1 else None


def _misshapen(value: dict[str, Any], *, asks: bool) -> str:
    specific = value.get("hookSpecificOutput")
    if not value or not value.keys() <= _ANSWER:
        return f"misshapen: keys {sorted(value)}"
    if specific is not None and (
        not isinstance(specific, dict) or specific.keys() not in (_DENIAL, _ADVICE)
    ):
        return f"misshapen: {specific!r:.200}"
    texts = _texts(value)
    if not all(isinstance(text, str) and text for text in texts):
        return "misshapen: an empty text, or none"
    known = ("deny", "ask") if asks else ("deny",)
    is_other = specific is not None and specific.get("permissionDecision", "deny") not in known
    return "misshapen: a decision that is no denial" if is_other else ""


def _texts(value: dict[str, Any]) -> list[Any]:
    """The texts of an answer that someone reads; the event is an echo of the call's own."""
    specific = value.get("hookSpecificOutput", {})
    keys = ("permissionDecisionReason", "additionalContext")
    found = [specific[key] for key in keys if key in specific]
    return found + [value[key] for key in ("systemMessage",) if key in value]


def _misspoken(value: dict[str, Any], most: int) -> str:
    for text in _texts(value):
        if "Traceback (" in text:  # an agent may well be called Traceback
            return "a traceback is shown"
        for code, what in (("HS907 ", "unexpected error"), ("HS903 ", "deadline passed")):
            if text.startswith(code):
                return f"{what}: {text}"
        if not text.isprintable():
            return f"not printable: {text!r:.300}"
    lengths = [len(text.encode()) for text in _texts({**value, "systemMessage": "x"})]
    notice = len(str(value.get("systemMessage", "")).encode())
    return f"too long: {max(lengths)}/{notice}" if max(lengths) > most or notice > NOTICE else ""


def _unfounded(seen: Seen, value: dict[str, Any]) -> str:
    specific = value.get("hookSpecificOutput", {})
    denied = "permissionDecision" in specific
    in_doubt = str(specific.get("permissionDecisionReason")).startswith("HS908 enforce_scope")
    may_be = is_dispatch(seen.step) or is_write(seen.step) or in_doubt
    return "denied what is no dispatch and no write" if denied and not may_be else ""


def call_of(step: Step) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """The call on an input's stdin and its tool input; None where it is no call."""
    try:
        call = json.loads(step.stdin.strip())
    except (ValueError, RecursionError):
        return None
    given = call.get("tool_input") if isinstance(call, dict) else None
    return (call, given) if isinstance(given, dict) else None


def is_write(step: Step) -> bool:
    """Whether the input is a write or a command, and says which."""
    found = call_of(step) if step.hook == WRITE else None
    if found is None:
        return False
    call, given = found
    if call.get("tool_name") in (*SHELLS, "apply_patch"):
        return isinstance(given.get("command", given.get("input")), str)
    return call.get("tool_name") in TOOLS and path_of(call, given) is not None


def path_of(call: dict[str, Any], given: dict[str, Any]) -> str | None:
    """The path that a writing tool is given."""
    names = ("file_path", "notebook_path")
    names = names[::-1] if call.get("tool_name") == "NotebookEdit" else names
    return next((given[name] for name in names if isinstance(given.get(name), str)), None)


def _let_through(seen: Seen) -> str:
    """A write that the manifest put in place with this very input forbids is denied, however spelt."""
    grants = next((GRANTS[raw] for _, raw in seen.step.files if raw in GRANTS), None)
    if grants is None or b'"permissionDecision"' in seen.output:
        return ""
    here = seen.step.stdin.replace(HERE, seen.base.encode())
    found = call_of(seen.step._replace(stdin=here)) if is_write(seen.step) else None
    path = path_of(*found) if found and found[0].get("tool_name") in TOOLS[:4] else None
    if found is None or not path or not path.strip() or found[0].get("cwd") != f"{seen.base}/repo":
        return ""
    lands = landing(path, f"{seen.base}/repo", f"{seen.base}/home")
    is_coordinator = not found[0].get("agent_id")
    if lands is None or (is_coordinator and lands.startswith(f"{seen.base}/repo/.claude/")):
        return ""
    inside = lands.removeprefix(f"{seen.base}/repo/").removeprefix(f"{seen.base}/tree/")
    is_granted = inside != lands and any(fnmatchcase(inside, grant) for grant in grants)
    return "" if is_granted else f"the manifest forbids {inside!r}"


def landing(path: str, cwd: str, home: str) -> str | None:
    """Where a client writes `path`: it tidies the text first, and the system follows the links."""
    tidy = path.strip()
    tidy = home + tidy[1:] if tidy == "~" or tidy.startswith("~/") else tidy
    try:
        return os.path.realpath(os.path.normpath(os.path.join(cwd, tidy)))
    except ValueError:  # a NUL
        return None


def _is_dispatch(call: dict[str, Any], given: dict[str, Any]) -> bool:
    if call.get("tool_name") == "SendMessage":
        words = given.get("message") or given.get("content")
        return isinstance(given.get("to"), str) and isinstance(words, str)
    return call.get("tool_name") in ("Agent", "Task")


def is_dispatch(step: Step) -> bool:
    """Whether the input is a call that may be denied: a dispatch or a message, with words in it."""
    found = call_of(step) if step.hook == GUARD else None
    return found is not None and _is_dispatch(*found)


GONE = "the ledger is gone"


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def fault_of_ledger(path: Path) -> str:
    """What is wrong with the ledger there; one that a hook wrote is sound, whatever was there before."""
    if path.is_symlink() or not path.is_file():
        return GONE
    try:
        value = json.loads(path.read_bytes().decode("utf-8-sig"), parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        return f"the ledger is not readable: {error}"
    if not isinstance(value, dict) or not isinstance(value.get("agents"), list):
        return "the ledger is none"
    sound = value.get("schema") == 1 and all(map(_is_sound, value["agents"]))
    return "" if sound else "the ledger holds unsound records"


_RECORD = {
    **dict.fromkeys(("id", "at", "toolUseId", "desc", "wave", "harness", "agentType"), (str,)),
    **dict.fromkeys(("tree", "access", "source", "state"), (str,)),
    **dict.fromkeys(("name", "agentId", "parent"), (str, type(None))),
    **dict.fromkeys(("files", "waits", "events", "transcripts"), (list,)),
    "session": (dict,),
    "isolation": (dict, type(None)),
    "listed": (bool,),
}


def _is_sound(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and all(isinstance(record.get(name), kinds) for name, kinds in _RECORD.items())
        and record["state"] in ("reserved", "running", "idle", "finished")
        and isinstance(record["session"].get("id"), str)
        and all(isinstance(entry, str) for entry in record["files"] + record["waits"])
        and all(map(_is_pair, record["events"] + record["transcripts"]))
    )


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and type(value[1]) in (int, float)  # a bool is neither
        and abs(value[1]) < 1e15  # no time and no size is larger; NaN is not smaller either
    )
