"""The place and ledger that a command is about: those of the directory it is run in."""

from __future__ import annotations

import os
from contextlib import contextmanager

from filelock import FileLock, Timeout

from holdshort.adapters import ledger_file
from holdshort.adapters.files import replace
from holdshort.adapters.places import Place, locate
from holdshort.cli.errors import RefusedError
from holdshort.core.words import iso_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdshort.core.book import Book

PATIENCE = 10.0  # seconds to wait for the ledger's lock; a hook holds it for milliseconds


def here() -> Place:
    """The place of the current directory."""
    return locate(os.getcwd(), os.getcwd())


def book_here(place: Place) -> Book:
    """The ledger of `place`, empty when there is none. Raises RefusedError when it makes no sense."""
    book, fault = ledger_file.glance(place.state_dir)
    if fault and not book.agents:
        raise RefusedError(
            f"{ledger_file.LEDGER}: {fault}", "the next dispatch sets it aside and starts a new one"
        )
    return book


@contextmanager
def locked(place: Place) -> Iterator[None]:
    """Hold the ledger's lock, the same one the hooks take. Raises RefusedError when it is kept."""
    if not os.path.isdir(place.state_dir):
        raise RefusedError("nothing has been recorded in this project yet")
    try:
        with FileLock(
            os.path.join(place.state_dir, ledger_file.LOCK), timeout=PATIENCE, mode=0o600
        ):
            yield
    except Timeout as error:
        raise RefusedError(f"{error.lock_file} is held by another process", "try again") from None


def write(place: Place, book: Book, now: float, *, name: str = ledger_file.LEDGER) -> None:
    """Make `book` the ledger, or the archive by its `name`. Call it while `locked`.

    A file of which not everything makes sense is kept aside first.
    """
    path = os.path.join(place.state_dir, name)
    if name == ledger_file.LEDGER and ledger_file.glance(place.state_dir)[1]:
        os.replace(path, os.path.join(place.state_dir, ledger_file.ASIDE))
    replace(path, ledger_file.text_of(book, iso_of(now)))
