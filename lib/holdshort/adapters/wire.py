"""Bytes to call and verdict to bytes, in the words of each harness. Only Claude Code's so far."""

from __future__ import annotations

import posix

from holdshort.adapters import paths
from holdshort.adapters.json_text import compact, parse
from holdshort.core.verdict import ASK, DENY, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Payload = dict[str, Any]

PATCH = "apply_patch"
LARGEST = 16 << 20  # bytes of a payload; a larger one is not judged


class UnreadableCallError(Exception):
    """The bytes on stdin are no call: `why` says what they are."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


def read_call(fd: int) -> Payload | None:
    """The call on `fd`; None when there is nothing at all. Raises UnreadableCallError."""
    raw = _bytes_of(fd)
    if not raw.strip():
        return None
    if len(raw) > LARGEST:
        raise UnreadableCallError(f"it is larger than {LARGEST >> 20} MiB")
    try:
        value = parse(raw)
    except ValueError:
        raise UnreadableCallError("it is not JSON") from None
    if not isinstance(value, dict):
        raise UnreadableCallError("it is not a JSON object")
    return value


def answer(verdict: Verdict, event: str) -> bytes:
    """What the harness reads for `verdict`; nothing for a silent one.

    event: the `hook_event_name` that is firing; Claude Code drops an answer that names another.
    """
    if verdict.is_silent:
        return b""
    answered: dict[str, Any] = {}
    if verdict.decision in (ASK, DENY):
        answered["hookSpecificOutput"] = {
            "hookEventName": event,
            "permissionDecision": verdict.decision,
            "permissionDecisionReason": verdict.reason,
        }
    elif verdict.reason:
        answered["hookSpecificOutput"] = {
            "hookEventName": event,
            "additionalContext": verdict.reason,
        }
    if verdict.notice:
        answered["systemMessage"] = verdict.notice
    return compact(answered).encode() + b"\n"


def text(value: Any, *keys: str) -> str:
    """The text at `keys` in nested objects, or "" where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _bytes_of(fd: int) -> bytes:
    chunks, size = [], 0
    while size <= LARGEST and (chunk := posix.read(fd, 1 << 16)):
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def written(call: Payload, base: str) -> tuple[str, ...]:
    """The paths that a writing tool is given, as its client reads them: absolute, () without any.

    base: where relative ones count from, where the call names no directory. Claude Code 2.1 tidies
    the text before it opens the file, and follows no link for a `..`; Codex opens what a patch names
    (docs/hooks/enforce_scope.md).
    """
    given, cwd = call.get("tool_input"), text(call, "cwd")
    base = cwd if paths.isabs(cwd) else base
    if text(call, "tool_name") == PATCH:
        from holdshort.core.shell_patches import paths_of_envelope  # noqa: PLC0415  # only a patch pays

        envelope = text(given, "command") or text(given, "input")
        return tuple(paths.join(base, name) for name in paths_of_envelope(envelope) if name)
    names = ("file_path", "notebook_path")
    if text(call, "tool_name") == "NotebookEdit":
        names = names[::-1]
    path = (text(given, names[0]) or text(given, names[1])).strip()
    return (paths.normpath(paths.join(base, paths.expanduser(path))),) if path else ()
