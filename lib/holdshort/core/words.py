"""Text for agents and users: nothing hostile in it, nothing too long, times that read at a glance."""

from __future__ import annotations

DENIAL_BYTES = 768  # design section 8
NAME_BYTES = 56
PATH_BYTES = 96

_HOURS = 3600
_MINUTE = 60


def safe(text: str) -> str:
    """`text` on one line, without control, bidi, zero-width or unpaired surrogate characters."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "?" for char in text)


def clip(text: str, limit: int) -> str:
    """`text` made safe and cut to at most `limit` UTF-8 bytes; its start is kept."""
    text = safe(text)
    raw = text.encode("utf-8", "replace")
    if len(raw) <= limit:
        return text
    return raw[: limit - 3].decode("utf-8", "ignore") + "..."


def clip_path(path: str, limit: int = PATH_BYTES) -> str:
    """`path` made safe and cut to `limit` UTF-8 bytes; its end is kept, as that tells files apart."""
    path = safe(path)
    raw = path.encode("utf-8", "replace")
    if len(raw) <= limit:
        return path
    return "..." + raw[3 - limit :].decode("utf-8", "ignore")


def quoted(name: str) -> str:
    """An agent's or session's own name, clipped and in quotes, so that it reads as a name."""
    return f'"{clip(name, NAME_BYTES).replace(chr(34), chr(39))}"'


def span(seconds: float) -> str:
    """A length of time in the largest fitting unit: `40 s`, `12 min`, `3 h`."""
    whole = max(0, int(seconds))
    if whole < 2 * _MINUTE:
        return f"{whole} s"
    if whole < 2 * _HOURS:
        return f"{whole // _MINUTE} min"
    return f"{whole // _HOURS} h"


def listed(names: list[str], most: int) -> str:
    """`a, b and 3 more`."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def type_name(agent_type: str) -> str:
    """An agent type as the client compares it: without case and separators; general by default."""
    return "".join(c for c in agent_type.casefold() if c.isalnum() or c == ":") or "generalpurpose"
