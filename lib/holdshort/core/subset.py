"""Whether a wave grants all that one of its agents declares, and a place for the tests of it."""

from __future__ import annotations

from holdshort.core.cover import Escape, NotProven, covers
from holdshort.core.entries import MAX_ENTRIES, read_scope
from holdshort.core.scope_index import ScopeIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def escape_from(allowed: Sequence[str], entry: str) -> Escape | NotProven | None:
    """Return None if `allowed` matches every path that `entry` matches, or one that escapes.

    Only what meets the entry can cover it, so a union of any length can be asked.
    """
    return covers(_touching(allowed, entry), entry)


def has_place(allowed: Sequence[str], siblings: Sequence[str]) -> bool:
    """Whether a test can be written under one of its names: a sibling is granted, or a part of it.

    A file has one test, not one under each name that its language's tools would look for.
    """
    return not siblings or any(_is_granted(allowed, sibling) for sibling in siblings)


def _is_granted(allowed: Sequence[str], sibling: str) -> bool:
    touching = _touching(allowed, sibling)
    if touching and covers(touching, sibling) is None:
        return True
    return any(covers([sibling], entry) is None for entry in touching)


def _touching(allowed: Sequence[str], entry: str) -> list[str]:
    """The allowed entries that meet the entry, and those of which that cannot be told."""
    index = ScopeIndex([entry])
    found: set[str] = set()
    for start in range(0, len(allowed), MAX_ENTRIES):
        part = allowed[start : start + MAX_ENTRIES]
        found.update(meeting.theirs for meeting in index.meetings(part, MAX_ENTRIES))
    return [each for each in dict.fromkeys(allowed) if each in found or read_scope((each,))[1]]
