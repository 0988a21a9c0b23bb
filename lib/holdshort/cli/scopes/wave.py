"""The scopes of one wave as `check` and `union` see them: resolved on disk, expanded, compared."""

from __future__ import annotations

from holdshort.adapters.policy_file import NAME, policy_at
from holdshort.adapters.tracked import tracked_files
from holdshort.cli.scopes.state import bases
from holdshort.cli.scopes.witnesses import Tracked
from holdshort.core.collisions import EVIDENCE_SHOWN, Collision, Doubt, Party, compared
from holdshort.core.declarations import below_root, union
from holdshort.core.entries import is_glob
from holdshort.core.siblings import Siblings, expands
from holdshort.core.words import clip_path, listed, quoted
from holdshort.gather.resolve import Resolver

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from holdshort.adapters.places import Place
    from holdshort.cli.scopes.report import Report
    from holdshort.core.declarations import Declaration


class Wave:
    """One wave in one working tree; what is wrong on the way is noted in `report`."""

    __slots__ = (
        "_bases",
        "_place",
        "_policy",
        "_report",
        "_resolver",
        "_siblings",
        "_tracked",
        "expands",
    )

    def __init__(self, place: Place, role: object, report: Report) -> None:
        self._place = place
        self._bases = bases(place)
        self._policy, faults = policy_at(place.root, place.state_dir)
        self._resolver = Resolver(place.root, place.root)
        self._report = report
        self._siblings = Siblings(self._policy.sibling_rules)
        self.expands = expands(role, self._policy.expand_siblings)
        self._tracked: Tracked | None = None
        report.warnings += [f"{NAME}: {fault}" for fault in faults]

    def relative(self, raw: str) -> str:
        """An entry as written, but an absolute one below the root relative to it."""
        return below_root(raw, self._bases) or raw

    def resolved(self, raw: str, place: str) -> str | None:
        """The canonical entry meant by `raw`; if it can mean no path, that is an error."""
        entry = self._resolver.resolve(self.relative(raw))
        if entry is None:
            self._report.errors.append(f"{place}: '{clip_path(raw)}' can mean no path")
        return entry

    def resolved_siblings_of(self, raw: str) -> list[str]:
        """The test siblings of an entry, as they are compared."""
        path = self.relative(raw)
        siblings = self._siblings.of(path) if self._is_file(path) else []
        found = map(self._resolver.resolve, siblings)
        return [entry for entry in found if entry is not None]

    def union(self, declarations: Sequence[Declaration]) -> list[str]:
        """All entries in first-seen order, each once, and then their siblings."""
        entries = [self.relative(raw) for each in declarations for raw in each.files]
        expanding = filter(self._is_file, entries if self.expands else ())
        return union([entries, self._siblings.expanded(list(expanding))])

    def _is_file(self, path: str) -> bool:
        """Whether an entry may have siblings: a directory has none, however it is spelled."""
        entry = self._resolver.resolve(path)
        return entry is not None and not is_glob(entry)

    def assert_disjoint(self, declarations: Sequence[Declaration], place: str) -> None:
        """Note every collision between the declarations of a file called `place`."""
        parties = [self._party(each, place) for each in declarations]
        found = compared(parties, self._policy.shared)
        for name in found.duplicates:
            self._report.errors.append(f"{place}: id {quoted(name)} is given to several records")
        for collision in found.collisions:
            self._note(collision)
        for doubt in found.doubts:
            lines = self._report.warnings if doubt.by_siblings else self._report.errors
            lines.append(_doubtful(doubt))
        for ours, theirs, path in found.sharing:
            pair = f"{quoted(ours.id)} and {quoted(theirs.id)}"
            self._report.notices.append(f"{pair} meet in shared files only: {clip_path(path)}")

    def _party(self, each: Declaration, place: str) -> Party:
        where = f"{place}: {quoted(each.id)}"
        spelled: dict[str, str] = {}
        for raw in each.files:
            entry = self.resolved(raw, where)
            if entry is not None:
                spelled.setdefault(entry, raw)
        siblings = [s for raw in each.files for s in self._expansion_of(raw)]
        fresh = [entry for entry in dict.fromkeys(siblings) if entry not in spelled]
        return Party(each.id, list(spelled), fresh, spelled)

    def _expansion_of(self, raw: str) -> Iterator[str]:
        if self.expands:
            yield from self.resolved_siblings_of(raw)

    def _note(self, collision: Collision) -> None:
        if self._tracked is None:
            files = tracked_files(self._place.root) or []
            self._tracked = Tracked(files, self._policy.shared, self._name_of)
        collision.seen_in(self._tracked.in_both(collision))
        lines = self._report.errors if collision.is_error else self._report.warnings
        lines.append(_told(collision))
        self._report.collisions.append(_as_json(collision))

    def _name_of(self, path: str) -> str:
        return path.casefold() if self._resolver.folds else path


def _told(collision: Collision) -> str:
    pair = f"{quoted(collision.ours.id)} and {quoted(collision.theirs.id)}"
    how = "collide through test siblings" if collision.by_siblings else "collide"
    evidence = listed([clip_path(entry) for entry in collision.evidence], EVIDENCE_SHOWN)
    there = "tracked" if collision.is_tracked else "not tracked"
    witness = f"both match {clip_path(collision.witness)} ({there})"
    return f"{pair} {how} ({collision.kind}): {evidence}; {witness}"


def _doubtful(doubt: Doubt) -> str:
    pair = f"{quoted(doubt.ours.id)} and {quoted(doubt.theirs.id)}"
    how = " through test siblings" if doubt.by_siblings else ""
    return f"cannot tell whether {pair} collide{how}: {doubt.reason}"


def _as_json(collision: Collision) -> dict[str, Any]:
    return {
        "agents": [collision.ours.id, collision.theirs.id],
        "kind": collision.kind,
        "evidence": collision.evidence,
        "witness": collision.witness,
        "tracked": collision.is_tracked,
        "siblings": collision.by_siblings,
        "error": collision.is_error,
    }
