"""The ledger on disk: read, decide and write as one step under one lock (docs/ledger.md).

Only who holds the lock replaces the file. Who could not get it, or finds that the file is not the
one it has read, leaves its changes in `pending/`, from where the next step takes them in. So a lock
holder that hangs, and writes when it wakes up, overwrites nobody (docs/adr/0009-pending-changes.md).
"""

from __future__ import annotations

import posix

from holdshort.adapters import locks, paths
from holdshort.adapters.files import contents, make_private, replace
from holdshort.adapters.json_text import compact, parse, parse_text
from holdshort.adapters.places import PENDING
from holdshort.core.book import Book, book_of, is_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

LEDGER = "wave-dispatch-scopes.json"
LOCK = "wave-dispatch-scopes.lock"
DEGRADED_LOCK = "pending.lock"
ARCHIVE = "archive.json"
ASIDE = "wave-dispatch-scopes.corrupt.json"
NEWER = "a newer version of holdshort keeps it"
# Read errors that pass by themselves: the file is not at fault and stays. EINTR, EIO, ENOMEM,
# ENFILE, EMFILE, ENOSPC, ETIMEDOUT, ESTALE.
PASSING = (4, 5, 12, 23, 24, 28, 110, 116)
ARCHIVED_MOST = 512  # finished agents kept for a revival
DEGRADED_BUDGET = 1.0  # seconds; with the lock's own 2 still below a hook's deadline


class Ledger:
    """The ledger of one repository, open for one step.

    book: what it holds. is_locked: False when the lock was not to be had (row 14). fault: what was
    wrong with the file, or nothing. is_alone: whether this step may put another file in its place.
    """

    __slots__ = (
        *("_fd", "_lines", "_origin", "_seen", "_served", "book", "directory", "fault"),
        *("is_alone", "is_locked"),
    )

    def __init__(self, directory: str, fd: int | None, *, is_locked: bool) -> None:
        path = paths.join(directory, LEDGER)
        self.directory = directory
        self.is_locked = is_locked
        self._fd = fd
        self._seen = _identity(path)
        try:
            self.book, self.fault, self._lines = _read(path)
            self.is_alone = is_locked
        except OSError as error:
            self.book, self.fault, self._lines = Book(), _said(error), {}
            self.is_alone = False
        self._origin = self.book  # `_lines` goes by the identity of its records, so they must live
        self.book, self._served = _with_pending(directory, self._origin)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._fd is not None:
            locks.release(self._fd)

    def write(self, book: Book, updated: str) -> None:
        """Make `book` the ledger; a file that made no sense is kept beside it first.

        Whoever is not alone with the file leaves what it changed in `pending/` instead. Raises
        OSError; also for the ledger of a newer version, which is left as it is.
        """
        path = paths.join(self.directory, LEDGER)
        if self.fault == NEWER:
            raise OSError(93, NEWER, path)
        if self.is_alone and _identity(path) == self._seen:
            if self.fault:
                _set_aside(path, paths.join(self.directory, ASIDE))
            replace(path, text_of(book, updated, self._lines))
            self._forget_pending()
        else:
            self._leave(book, updated)
        self.book = book

    def archived(self) -> Book:
        """The finished agents that were moved out of the ledger. Raises OSError."""
        return _read(paths.join(self.directory, ARCHIVE))[0]

    def archive(self, book: Book, updated: str) -> None:
        """Keep `book` as the archive, the newest records of it; without the lock, nothing is moved."""
        if self.is_locked:
            book = book.changed(agents=book.agents[-ARCHIVED_MOST:])
            replace(paths.join(self.directory, ARCHIVE), text_of(book, updated))

    def _leave(self, book: Book, updated: str) -> None:
        from holdshort.adapters import pending  # noqa: PLC0415  # hardly ever
        from holdshort.core.changes import changes  # noqa: PLC0415  # same

        pending.leave(self.directory, changes(self.book, book), updated)

    def _forget_pending(self) -> None:
        if self._served is not None:
            from holdshort.adapters import pending  # noqa: PLC0415  # hardly ever

            pending.remove(self.directory, self._served)


def open_ledger(directory: str) -> Ledger:
    """The ledger under `directory`, which is made if it is missing, locked if possible.

    Those who cannot have the lock take turns by another one, so that they see each other's changes.
    Raises OSError.
    """
    make_private(directory)
    fd = locks.acquire(paths.join(directory, LOCK))
    if fd is not None:
        return Ledger(directory, fd, is_locked=True)
    fd = locks.acquire(paths.join(directory, DEGRADED_LOCK), DEGRADED_BUDGET)
    return Ledger(directory, fd, is_locked=False)


def held_ledger(directory: str) -> Ledger:
    """The ledger under `directory` for a caller that holds its lock already."""
    return Ledger(directory, None, is_locked=True)


def exists(directory: str) -> bool:
    """Whether anything has been recorded yet."""
    return any(paths.lexists(paths.join(directory, name)) for name in (LEDGER, PENDING))


def glance(directory: str) -> tuple[Book, str]:
    """The book and what is wrong with its file, without the lock: for those who only look."""
    try:
        book, fault, _ = _read(paths.join(directory, LEDGER))
    except OSError as error:
        book, fault = Book(), _said(error)
    return _with_pending(directory, book)[0], fault


def text_of(book: Book, updated: str, lines: dict[int, str] | None = None) -> str:
    """The ledger file's text: one record a line, so that a person can read and compare it.

    lines: the lines of records that were read, by `id` of the record, to be used again.
    """
    known = lines or {}
    value = book.as_json(updated)
    texts = [known.get(id(one)) or _line_of(one) for one in value.pop("agents")]
    agents = ",\n".join(filter(None, texts))
    return f'{compact(value)[:-1]},"agents":[\n{agents}\n]}}\n'


def _line_of(record: Any) -> str:
    """The record in one line; nothing for one that no JSON can hold, as somebody wrote `1e999`."""
    try:
        return compact(record)
    except ValueError:
        return ""


def _read(path: str) -> tuple[Book, str, dict[int, str]]:
    """The book in a file, what is wrong with the file, and the line of each of its records.

    Raises OSError when it cannot be read at the moment.
    """
    try:
        raw = contents(path)
        if raw is None:
            return Book(), "", {}
        value, lines = _parsed(raw)
        if isinstance(value, dict) and not is_known(value):
            return Book(), NEWER, {}
        found = book_of(value)
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in PASSING:
            raise
        return Book(), _said(error), {}
    if found is None:
        return Book(), "it is not a ledger", {}
    book, dropped = found
    if dropped:  # an `id` is a record's own only while the record lives
        return book, f"{dropped} of its records make no sense", {}
    return book, "", {id(one): lines[id(one)] for one in book.agents if id(one) in lines}


def _with_pending(directory: str, book: Book) -> tuple[Book, list[str] | None]:
    """`book` with the changes of those who could not write, and the files they stood in, if any."""
    if not paths.lexists(paths.join(directory, PENDING)):
        return book, None
    from holdshort.adapters import pending  # noqa: PLC0415  # hardly ever

    return pending.taken_in(directory, book)


def _identity(path: str) -> tuple[int, ...]:
    """What tells one version of a file from the next, as each is a new file put in its place."""
    try:
        info = posix.lstat(path)
    except OSError:
        return ()
    return info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns


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
    if not isinstance(value, dict):
        return value, {}
    try:
        value["agents"] = [parse_text(text) for text in texts]
    except ValueError:  # not quite as we write it: somebody has edited it
        return parse(raw), {}
    return value, dict(zip(map(id, value["agents"]), texts, strict=True))


def _said(error: Exception) -> str:
    if isinstance(error, OSError):
        return (error.strerror or "it cannot be read").lower()
    return "it is not JSON"


def _set_aside(path: str, aside: str) -> None:
    """Keep what is at `path` as `aside` too; what can have no second name loses its first."""
    try:
        posix.unlink(aside)
    except OSError:
        pass
    try:
        posix.link(path, aside, follow_symlinks=False)
    except OSError:
        try:
            posix.replace(path, aside)
        except OSError:
            pass
