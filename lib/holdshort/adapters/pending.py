"""`pending/`: changes of steps that could not write the ledger, one file each (docs/ledger.md)."""

from __future__ import annotations

import posix
import time

from holdshort.adapters import paths
from holdshort.adapters.files import json_at, replace
from holdshort.adapters.json_text import compact
from holdshort.adapters.places import PENDING
from holdshort.core.book import Book, book_of
from holdshort.core.changes import with_changes

LARGEST = 1 << 20  # bytes of one file
MOST = 256  # files taken in by one step
ABANDONED = 60.0  # seconds after which a file that makes no sense is nobody's any more
_ATTEMPTS = 8


def leave(state_dir: str, book: Book, updated: str) -> None:
    """Keep the changes in `book` for the next step. Raises OSError."""
    directory = paths.join(state_dir, PENDING)
    name = f"{time.time_ns():020}-{posix.getpid()}.json"
    for attempt in range(_ATTEMPTS):
        paths.makedirs(directory, 0o700)
        if not paths.is_own_directory(directory):
            raise OSError(20, "not a directory of ours", directory)
        try:
            return replace(paths.join(directory, name), compact(book.as_json(updated)))
        except FileNotFoundError:  # a step that emptied the directory has just removed it
            if attempt == _ATTEMPTS - 1:
                raise
    return None


def taken_in(state_dir: str, book: Book) -> tuple[Book, list[str]]:
    """`book` with all pending changes, oldest first, and the files that have done their service."""
    directory = paths.join(state_dir, PENDING)
    served = []
    for name in _names_in(directory):
        path = paths.join(directory, name)
        found = book_of(json_at(path, LARGEST)) if name.endswith(".json") else None
        if found is not None:
            book = with_changes(book, found[0])
        if found is not None or _is_abandoned(path):
            served.append(path)
    return book, served


def remove(state_dir: str, served: list[str]) -> None:
    """Take away what is in the ledger now; what cannot be is taken in again, which changes nothing."""
    for path in served:
        try:
            posix.unlink(path)
        except OSError:
            pass
    try:
        posix.rmdir(paths.join(state_dir, PENDING))
    except OSError:
        pass  # somebody has left more


def _names_in(directory: str) -> list[str]:
    try:
        return sorted(posix.listdir(directory))[:MOST] if paths.is_own_directory(directory) else []
    except OSError:
        return []


def _is_abandoned(path: str) -> bool:
    try:
        return time.time() - posix.lstat(path).st_mtime > ABANDONED
    except OSError:
        return False
