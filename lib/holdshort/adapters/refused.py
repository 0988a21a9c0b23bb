"""Which writes were denied to whom of late, from the end of the decisions log."""

from __future__ import annotations

import posix
import stat

from holdshort.adapters import paths
from holdshort.adapters.decisions_log import DIRECTORY, NAME
from holdshort.adapters.json_text import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TAIL = 1 << 18  # bytes at the end of the log that are looked at
MOST = 32  # paths that one agent was denied and that are looked up again

_READ = posix.O_RDONLY | posix.O_NOFOLLOW | posix.O_NONBLOCK | posix.O_CLOEXEC


def refused(state_dir: str, session: str, agent: str) -> list[str]:
    """Absolute paths that one agent of a session was denied, newest first, at most `MOST`."""
    found: dict[str, None] = {}
    for raw in reversed(_tail(paths.join(state_dir, DIRECTORY, NAME)).splitlines()):
        line = _line_in(raw)
        is_own = line.get("session") == session and line.get("agent") == agent
        file = line.get("file")
        if is_own and line.get("decision") == "deny" and isinstance(file, str):
            found[file] = None
        if len(found) >= MOST:
            break
    return list(found)


def _tail(path: str) -> bytes:
    try:
        fd = posix.open(path, _READ)
    except OSError:
        return b""
    try:
        info = posix.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            return b""
        return posix.pread(fd, TAIL, max(0, info.st_size - TAIL))
    except OSError:
        return b""
    finally:
        posix.close(fd)


def _line_in(raw: bytes) -> dict[str, Any]:
    try:
        line = parse(raw)
    except ValueError:
        return {}
    return line if isinstance(line, dict) else {}
