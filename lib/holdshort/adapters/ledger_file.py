"""The ledger on disk: read, decide and write as one step under one lock (docs/ledger.md)."""

from __future__ import annotations

import posix

from holdshort.adapters import locks, paths
from holdshort.adapters.files import contents, make_private, replace
from holdshort.adapters.json_text import compact, parse, parse_text
from holdshort.core.book import Book, book_of, is_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

LEDGER = "wave-dispatch-scopes.json"
LOCK = "wave-dispatch-scopes.lock"
ARCHIVE = "archive.json"
ASIDE = "wave-dispatch-scopes.corrupt.json"
NEWER = "a newer version of holdshort keeps it"
ARCHIVED_MOST = 512  # finished agents kept for a revival


class Ledger:
    """The ledger of one repository, open for one step.

    book: what it holds. is_locked: False when the lock was not to be had, so that another hook may
    have read the same (row 14). fault: what was wrong with the file, now set aside, or nothing.
    """

    __slots__ = ("_fd", "_lines", "book", "directory", "fault", "is_locked")

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self._fd = locks.acquire(paths.join(directory, LOCK))
        self.is_locked = self._fd is not None
        self.book, self.fault, self._lines = _read(paths.join(directory, LEDGER))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd is not None:
            locks.release(self._fd)

    def write(self, book: Book, updated: str) -> None:
        """Make `book` the ledger; a file that made no sense is kept beside it first.

        Raises OSError; also for the ledger of a newer version, which is left as it is.
        """
        path = paths.join(self.directory, LEDGER)
        if self.fault == NEWER:
            raise OSError(93, NEWER, path)
        if self.fault:
            _set_aside(path, paths.join(self.directory, ASIDE))
        replace(path, text_of(book, updated, self._lines))
        self.book = book

    def archived(self) -> Book:
        """The finished agents that were moved out of the ledger."""
        return _read(paths.join(self.directory, ARCHIVE))[0]

    def archive(self, book: Book, updated: str) -> None:
        """Keep `book` as the archive, the newest records of it."""
        book = book.changed(agents=book.agents[-ARCHIVED_MOST:])
        replace(paths.join(self.directory, ARCHIVE), text_of(book, updated))


def open_ledger(directory: str) -> Ledger:
    """The ledger under `directory`, which is made if it is missing. Raises OSError."""
    make_private(directory)
    return Ledger(directory)


def exists(directory: str) -> bool:
    """Whether anything has been recorded yet."""
    return paths.lexists(paths.join(directory, LEDGER))


def glance(directory: str) -> tuple[Book, str]:
    """The book and what is wrong with its file, without the lock: for those who only look."""
    return _read(paths.join(directory, LEDGER))[:2]


def text_of(book: Book, updated: str, lines: dict[int, str] | None = None) -> str:
    """The ledger file's text: one record a line, so that a person can read and compare it.

    lines: the lines of records that were read, by `id` of the record, to be used again.
    """
    known = lines or {}
    value = book.as_json(updated)
    agents = ",\n".join(known.get(id(one)) or compact(one) for one in value.pop("agents"))
    return f'{compact(value)[:-1]},"agents":[\n{agents}\n]}}\n'


def _read(path: str) -> tuple[Book, str, dict[int, str]]:
    """The book in a file, what is wrong with the file, and the line of each of its records."""
    try:
        raw = contents(path)
        if raw is None:
            return Book(), "", {}
        value, lines = _parsed(raw)
        if isinstance(value, dict) and not is_known(value):
            return Book(), NEWER, {}
        found = book_of(value)
    except (OSError, ValueError) as error:
        return Book(), _said(error), {}
    if found is None:
        return Book(), "it is not a ledger", {}
    book, dropped = found
    if dropped:  # an `id` is a record's own only while the record lives
        return book, f"{dropped} of its records make no sense", {}
    return book, "", lines


def _parsed(raw: bytes) -> tuple[Any, dict[int, str]]:
    """The value in a ledger's bytes, and the line of each record when they stand as we write them.

    Records that stay as they are need not be encoded again, which is half of the cost of a write.
    """
    head, opened, rest = raw.partition(b'"agents":[\n')
    body, closed, end = rest.rpartition(b"\n]}\n")
    if not (opened and closed) or end or not body.isascii():
        return parse(raw), {}
    value = parse(head + b'"agents":[]}')
    texts = body.decode().split(",\n") if body else []
    if isinstance(value, dict):
        value["agents"] = [parse_text(text) for text in texts]
        return value, dict(zip(map(id, value["agents"]), texts, strict=True))
    return value, {}


def _said(error: Exception) -> str:
    if isinstance(error, OSError):
        return (error.strerror or "it cannot be read").lower()
    return "it is not JSON"


def _set_aside(path: str, aside: str) -> None:
    try:
        posix.replace(path, aside)
    except OSError:
        pass
