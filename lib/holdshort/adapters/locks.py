"""One lock per ledger: `flock` on a file that is never deleted.

`filelock` takes the same lock on the same file in the command line and elsewhere off the hot path
(docs/adr/0004). Some of its releases delete the file on release, so whoever gets the lock checks
that the path still names the file it has locked.
"""

from __future__ import annotations

import os
import time

try:
    import fcntl
except ImportError:  # pragma: no cover  # no POSIX locks: the caller goes on without, and says so
    fcntl = None  # type: ignore[assignment]

BUDGET = 2.0  # seconds to wait; below the hook's own deadline, which is below the registration's
_POLL = 0.005


def acquire(path: str, budget: float = BUDGET) -> int | None:
    """A descriptor that holds the lock on `path`, or None when it was not to be had in `budget`.

    Raises OSError when the file cannot be opened at all.
    """
    deadline = time.monotonic() + budget
    while fcntl is not None:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        if _try(fd) and _is_still_at(fd, path):
            return fd
        os.close(fd)
        if time.monotonic() >= deadline:
            return None
        time.sleep(_POLL)
    return None


def release(fd: int) -> None:
    """Give the lock back; the file stays."""
    os.close(fd)


def _try(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_still_at(fd: int, path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path, follow_symlinks=False))
    except OSError:
        return False
