"""One lock per ledger: `flock` on a file that is never deleted.

`filelock` takes the same lock on the same file in the command line and elsewhere off the hot path
(docs/adr/0004). Some of its releases delete the file on release, so whoever gets the lock checks
that the path still names the file it has locked.
"""

from __future__ import annotations

import fcntl
import posix
import time

from holdshort.adapters import paths

BUDGET = 2.0  # seconds to wait; below the hook's own deadline, which is below the registration's
_POLL = 0.005


def acquire(path: str, budget: float = BUDGET) -> int | None:
    """A descriptor that holds the lock on `path`, or None when it was not to be had in `budget`.

    Raises OSError when the file cannot be opened at all.
    """
    deadline = time.monotonic() + budget
    while True:
        fd = posix.open(
            path, posix.O_RDWR | posix.O_CREAT | posix.O_CLOEXEC | posix.O_NOFOLLOW, 0o600
        )
        if _try(fd) and _is_still_at(fd, path):
            return fd
        posix.close(fd)
        if time.monotonic() >= deadline:
            return None
        time.sleep(_POLL)


def release(fd: int) -> None:
    """Give the lock back; the file stays."""
    posix.close(fd)


def _try(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_still_at(fd: int, path: str) -> bool:
    try:
        return paths.is_same(posix.fstat(fd), posix.stat(path, follow_symlinks=False))
    except OSError:
        return False
