"""The place and ledger that a command is about: those of the directory it is run in."""

from __future__ import annotations

import os
from contextlib import contextmanager

from filelock import FileLock, Timeout

from holdshort.adapters import ledger_file
from holdshort.adapters.ledger_file import Ledger, held_ledger
from holdshort.adapters.places import Place, locate
from holdshort.cli.errors import RefusedError

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
    return sensible(*ledger_file.glance(place.state_dir))


def sensible(book: Book, fault: str) -> Book:
    """`book`, unless `fault` left nothing in it. Raises RefusedError."""
    if fault and not book.agents:
        raise RefusedError(
            f"{ledger_file.LEDGER}: {fault}", "the next dispatch sets it aside and starts a new one"
        )
    return book


@contextmanager
def locked(place: Place) -> Iterator[Ledger]:
    """The ledger, under the lock that the hooks take too. Raises RefusedError when it is kept."""
    if not os.path.isdir(place.state_dir):
        raise RefusedError("nothing has been recorded in this project yet")
    try:
        with FileLock(
            os.path.join(place.state_dir, ledger_file.LOCK), timeout=PATIENCE, mode=0o600
        ):
            yield held_ledger(place.state_dir)
    except Timeout as error:
        raise RefusedError(f"{error.lock_file} is held by another process", "try again") from None
