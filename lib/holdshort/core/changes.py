"""What one step changed in the ledger, kept apart from it until the step that can write takes it in."""

from __future__ import annotations

from holdshort.core.book import Book, key_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdshort.core.book import Record


def changes(before: Book, after: Book) -> Book:
    """What `after` has that `before` has not, as a book of its own. What was removed is not told."""
    known = set(map(id, before.agents))
    return Book(
        tuple(record for record in after.agents if id(record) not in known),
        {key: at for key, at in after.said.items() if before.said.get(key) != at},
        {key: times for key, times in after.denied.items() if before.denied.get(key) != times},
        after.wave_key,
    )


def with_changes(book: Book, found: Book) -> Book:
    """`book` with `found` taken in; taking the same in twice changes nothing more.

    Of two states of one agent that with the newest event holds: both steps may have started from
    the same ledger, so neither is simply the later.
    """
    ours = {key_of(record): record for record in book.agents}
    for record in found.agents:
        known = ours.get(key_of(record))
        if known is None or _newest_event(record) >= _newest_event(known):
            ours[key_of(record)] = record
    return Book(
        tuple(ours.values()),
        {**book.said, **{key: max(at, book.said.get(key, at)) for key, at in found.said.items()}},
        {
            **book.denied,
            **{key: max(n, book.denied.get(key, n)) for key, n in found.denied.items()},
        },
        found.wave_key or book.wave_key,
    )


def _newest_event(record: Record) -> float:
    return max((at for _, at in record["events"]), default=0.0)
