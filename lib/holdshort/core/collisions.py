"""Which agents of one wave would get in each other's way, before any of them is dispatched.

Compared is what the agents declare, and then what that grows to with test siblings. Whether two
scopes meet is asked of `ScopeIndex`, as for a dispatch.
"""

from __future__ import annotations

from holdshort.core.entries import MAX_ENTRIES
from holdshort.core.overlap import Effort, Meeting, Unknown, meet
from holdshort.core.scope_index import ScopeIndex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

CONCRETE = "concrete"
GLOB = "glob"
EVIDENCE_SHOWN = 8
PAIRS_LOOKED_AT = 64  # pairs of entries of two agents, of which the evidence is made
MAX_STATES_OF_CHECK = 30_000_000  # for one agent against all others; nobody waits for a hook here


class Party:
    """One agent: its canonical entries, and the siblings that expansion adds to them.

    spelled: entries as they were written, where that is not how they are compared.
    """

    __slots__ = ("entries", "id", "siblings", "spelled")

    def __init__(
        self,
        name: str,
        entries: Sequence[str],
        siblings: Sequence[str] = (),
        spelled: Mapping[str, str] | None = None,
    ) -> None:
        self.id = name
        self.spelled = spelled or {}
        self.entries = tuple(entries)
        self.siblings = tuple(siblings)

    @property
    def everything(self) -> tuple[str, ...]:
        """The entries and their siblings."""
        return self.entries + self.siblings


class Collision:
    """Two agents whose scopes meet.

    meetings: pairs of entries with the shortest path both match. by_siblings: they meet only as
    expanded. same: a sibling that both got, or nothing. witness: a path in both scopes;
    is_tracked: of a file that is there.
    """

    __slots__ = ("by_siblings", "is_tracked", "meetings", "ours", "same", "theirs", "witness")

    def __init__(
        self,
        ours: Party,
        theirs: Party,
        meetings: Sequence[Meeting],
        same: str = "",
        *,
        by_siblings: bool,
    ) -> None:
        self.ours = ours
        self.theirs = theirs
        self.meetings = tuple(meetings)
        self.by_siblings = by_siblings
        self.same = same
        self.witness = min((m.witness for m in meetings), key=len)
        self.is_tracked = False

    @property
    def kind(self) -> str:
        """`concrete` if one side of a pair of entries is a path, else `glob`."""
        return CONCRETE if any(m.kind == CONCRETE for m in self.meetings) else GLOB

    @property
    def is_error(self) -> bool:
        """Whether the wave must not start: siblings alone may meet where nobody has a file."""
        return not self.by_siblings or self.is_tracked or bool(self.same)

    @property
    def evidence(self) -> list[str]:
        """The entries that meet as written, each once, in the order in which they were found."""
        ours, theirs = self.ours.spelled, self.theirs.spelled
        pairs = [(ours.get(m.ours, m.ours), theirs.get(m.theirs, m.theirs)) for m in self.meetings]
        return list(dict.fromkeys(entry for pair in pairs for entry in pair))

    def sides(self) -> tuple[list[str], list[str]]:
        """The entries of ours and of theirs that can match a path in both scopes."""
        if len(self.meetings) >= PAIRS_LOOKED_AT:
            return list(self.ours.everything), list(self.theirs.everything)
        ours = dict.fromkeys(meeting.ours for meeting in self.meetings)
        return list(ours), list(dict.fromkeys(meeting.theirs for meeting in self.meetings))

    def seen_in(self, files: Iterable[str]) -> None:
        """Take the first of `files`, which both scopes match outside the shared ones, as witness."""
        first = next(iter(files), None)
        if first is not None:
            self.witness, self.is_tracked = first, True


class Doubt:
    """Two agents of whom it cannot be told whether they meet, and why."""

    __slots__ = ("by_siblings", "ours", "reason", "theirs")

    def __init__(self, ours: Party, theirs: Party, reason: str, *, by_siblings: bool) -> None:
        self.ours = ours
        self.theirs = theirs
        self.reason = reason
        self.by_siblings = by_siblings


class Findings:
    """All of a wave: collisions and doubts, pairs that share shared files, ids given twice."""

    __slots__ = ("collisions", "doubts", "duplicates", "sharing")

    def __init__(self, duplicates: Sequence[str]) -> None:
        self.duplicates = tuple(duplicates)
        self.collisions: list[Collision] = []
        self.doubts: list[Doubt] = []
        self.sharing: list[tuple[Party, Party, str]] = []


def compared(parties: Sequence[Party], shared: Sequence[str] = ()) -> Findings:
    """Compare every pair of agents, in input order; two records of one id are not a pair."""
    ids = [party.id for party in parties]
    found = Findings(list(dict.fromkeys(name for name in ids if ids.count(name) > 1)))
    for at, ours in enumerate(parties):
        scopes = _Scopes(ours, shared)
        for theirs in parties[at + 1 :]:
            if theirs.id != ours.id:
                scopes.compare(theirs, found)
    return found


class _Scopes:
    """One agent's scope as indexes: outside the shared entries, with them, and its siblings."""

    __slots__ = ("_anywhere", "_expanded", "_outside", "_party", "_shared", "_siblings")

    def __init__(self, party: Party, shared: Sequence[str]) -> None:
        def index(entries: Sequence[str], less: Sequence[str] = ()) -> ScopeIndex:
            return ScopeIndex(entries, less, Effort(MAX_STATES_OF_CHECK))

        self._party = party
        self._shared = shared
        self._outside = index(party.entries, shared)
        self._anywhere = index(party.entries)
        self._siblings = [index(part, shared) for part in _parts(party.siblings)]
        self._expanded = [self._outside, *self._siblings]

    def compare(self, theirs: Party, found: Findings) -> None:
        """Add what is to be said of our agent and theirs."""
        first = self._outside.first_meeting(theirs.entries)
        if isinstance(first, Meeting):
            meetings = self._outside.meetings(theirs.entries, PAIRS_LOOKED_AT)
            found.collisions.append(Collision(self._party, theirs, meetings, by_siblings=False))
            return
        if isinstance(first, Unknown):
            found.doubts.append(Doubt(self._party, theirs, first.reason, by_siblings=False))
        elif isinstance(inside := self._anywhere.first_meeting(theirs.entries), Meeting):
            found.sharing.append((self._party, theirs, inside.witness))
        self._compare_expanded(theirs, found, is_doubted=isinstance(first, Unknown))

    def _compare_expanded(self, theirs: Party, found: Findings, *, is_doubted: bool) -> None:
        """The same for pairs of entries of which one is a sibling; one doubt of a pair is enough."""
        pairs = [(index, part) for index in self._expanded for part in _parts(theirs.siblings)]
        pairs += [(index, theirs.entries) for index in self._siblings]
        meetings: list[Meeting] = []
        doubt: Unknown | None = None
        for index, part in pairs:
            first = index.first_meeting(part)
            if isinstance(first, Meeting):
                meetings += index.meetings(part, PAIRS_LOOKED_AT - len(meetings))
            doubt = doubt or (first if isinstance(first, Unknown) else None)
        if meetings:
            same = self._same_sibling(theirs)
            collision = Collision(self._party, theirs, meetings, same, by_siblings=True)
            found.collisions.append(collision)
        elif doubt is not None and not is_doubted:
            found.doubts.append(Doubt(self._party, theirs, doubt.reason, by_siblings=True))

    def _same_sibling(self, theirs: Party) -> str:
        """The first sibling that both got and that is not shared, if there is one."""
        held = set(theirs.siblings)
        both = (entry for entry in self._party.siblings if entry in held)
        found = (e for e in both if isinstance(meet([e], [e], self._shared), Meeting))
        return next(found, "")


def _parts(entries: Sequence[str]) -> Iterator[Sequence[str]]:
    """The entries in portions of which each is a scope within the bounds."""
    for start in range(0, len(entries), MAX_ENTRIES):
        yield entries[start : start + MAX_ENTRIES]
