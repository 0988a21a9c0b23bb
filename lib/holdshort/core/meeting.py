"""Which recorded scopes meet the one being judged, and where."""

from __future__ import annotations

from holdshort.core.overlap import Meeting, Unknown
from holdshort.core.scope_index import ScopeIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from holdshort.core.book import Record
    from holdshort.core.liveness import Standing


class Collision:
    """Another agent's record whose scope meets the one being judged.

    shared_only: they meet in shared files and nowhere else. standing: set once evidence is at hand.
    """

    __slots__ = ("index", "meeting", "record", "shared_only", "standing")

    def __init__(
        self,
        record: Record,
        meeting: Meeting | Unknown,
        index: ScopeIndex,
        *,
        shared_only: bool = False,
    ) -> None:
        self.record = record
        self.meeting = meeting
        self.index = index
        self.shared_only = shared_only
        self.standing: Standing

    @property
    def is_certain(self) -> bool:
        """Whether a path in both scopes is at hand, not just a bound that was passed."""
        return isinstance(self.meeting, Meeting)

    @property
    def path(self) -> str:
        """The path that both scopes hold, or why that cannot be told."""
        meeting = self.meeting
        return meeting.witness if isinstance(meeting, Meeting) else meeting.reason

    @property
    def kind(self) -> str:
        """`concrete`, `glob`, or `unknown` when a bound was passed."""
        return self.meeting.kind if isinstance(self.meeting, Meeting) else "unknown"

    def other_paths(self, most: int) -> list[str]:
        """Up to `most` further paths that both scopes hold, one per pair of entries."""
        found = self.index.meetings(self.record["files"], most + 1)
        paths = dict.fromkeys(meeting.witness for meeting in found)
        return [path for path in paths if path != self.path][:most]


def meeting(
    files: Sequence[str], rivals: Sequence[Record], shared: Sequence[str]
) -> list[Collision]:
    """The `rivals` whose scopes meet `files`; first of all outside `shared`, else inside it."""
    anywhere = ScopeIndex(files)
    outside: ScopeIndex | None = None
    met = []
    for rival in rivals:
        inside = anywhere.first_meeting(rival["files"])
        if inside is None:
            continue
        outside = outside or ScopeIndex(files, shared)
        found = outside.first_meeting(rival["files"])
        if found is not None:
            met.append(Collision(rival, found, outside))
        else:
            met.append(Collision(rival, inside, anywhere, shared_only=True))
    return met
