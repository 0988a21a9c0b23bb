"""The harness process behind a session: who it is, and whether it still runs.

A process id alone is reused, so a process is its id with its start time, and means something only on
the same host, boot and pid namespace (docs/liveness.md).
"""

from __future__ import annotations

import posix
import time

from holdshort.adapters import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ALIVE, GONE, UNKNOWN = "alive", "gone", "unknown"
ENDED = 0  # in place of a start time


def identity(pid: int | None) -> dict[str, Any]:
    """`{pid, start, boot, pidns, host}`; what is not told is left out.

    start: clock ticks since boot (Linux only; elsewhere a process is known by its id alone).
    """
    if pid is None:
        return {"host": posix.uname().nodename}
    start = _start_ticks(pid)
    return {"pid": pid, **({"start": start} if start else {}), **_surroundings()}


def _surroundings() -> dict[str, Any]:
    """`{host, boot, pidns}`, within which a process id means something."""
    found: dict[str, Any] = {"host": posix.uname().nodename}
    boot = _line("/proc/sys/kernel/random/boot_id")
    if boot:
        found["boot"] = boot
    try:
        found["pidns"] = posix.readlink("/proc/self/ns/pid")
    except OSError:
        pass
    return found


def session_of(session_id: str) -> dict[str, Any]:
    """A session as the ledger names it: its raw id and the identity of its harness process."""
    return {"id": session_id or "no-session", **identity(harness_pid())}


def status(session: dict[str, Any]) -> str:
    """Whether the process recorded in `session` still runs: `ALIVE`, `GONE` or `UNKNOWN`.

    What could not be read, then or now, is no evidence: `GONE` needs a boot, a process table or a
    start time that was read and says so.
    """
    pid = session.get("pid")
    if not isinstance(pid, int) or pid <= 0:
        return UNKNOWN
    here = _surroundings()
    if session.get("host") != here["host"]:
        return UNKNOWN
    if "boot" in session and session["boot"] != here.get("boot", session["boot"]):
        return GONE
    if session.get("pidns") != here.get("pidns"):
        return UNKNOWN
    return _is_it(pid, session["start"]) if "start" in session else _answers(pid)


def _is_it(pid: int, start: int) -> str:
    """Whether the process `pid` is the one that started at `start`."""
    found = _start_ticks(pid)
    if found is None:
        return UNKNOWN
    return ALIVE if found == start else GONE


def started_at(session: dict[str, Any]) -> float | None:
    """Epoch seconds at which the session's process started; None where the system does not tell."""
    start = session.get("start")
    if not isinstance(start, int) or not hasattr(time, "CLOCK_BOOTTIME"):
        return None
    boot = time.time() - time.clock_gettime(time.CLOCK_BOOTTIME)
    return boot + start / posix.sysconf("SC_CLK_TCK")


def harness_pid() -> int | None:
    """The process that runs the session, as the harness says; None when it does not.

    The hook's own parent is a shell that ends with it, so it stands for nothing.
    """
    told = paths.variable("CLAUDE_PID")
    return int(told) if told.isascii() and told.isdigit() and 0 < len(told) < 10 else None


def _answers(pid: int) -> str:
    try:
        posix.kill(pid, 0)
    except ProcessLookupError:
        return GONE
    except (OSError, OverflowError):
        return UNKNOWN
    return ALIVE


def _start_ticks(pid: int) -> int | None:
    """Field 22 of `/proc/<pid>/stat`; the name in field 2 may itself hold blanks and brackets.

    `ENDED` for a process that is not there and for a zombie, which answers for nothing any more;
    None when it cannot be told.
    """
    told = _line(f"/proc/{pid}/stat")
    if told is None:
        return ENDED if paths.lexists("/proc/self/stat") else None
    fields = told.rpartition(")")[2].split()
    if len(fields) < 20 or not fields[19].isdigit():
        return None
    return ENDED if fields[0] in ("Z", "X") else int(fields[19])


def _line(path: str) -> str | None:
    """The text at `path`; "" when it cannot be read at the moment, None when there is none."""
    try:
        fd = posix.open(path, posix.O_RDONLY)
    except (FileNotFoundError, ProcessLookupError):
        return None
    except OSError:
        return ""
    try:
        return posix.read(fd, 4096).decode("utf-8", "replace").strip()
    except ProcessLookupError:
        return None
    except OSError:
        return ""
    finally:
        posix.close(fd)
