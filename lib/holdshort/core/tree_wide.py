"""Whose work a git command on the whole tree would take back, replace or sweep in (design section 7).

Only what another party in flight holds or wrote is at stake; of one's own, and of nobody's, nothing is.
"""

from __future__ import annotations

from holdshort.core.book import (
    SILENCE,
    has_lifecycle,
    is_declared,
    is_in_lineage,
    is_same,
    key_of,
)
from holdshort.core.overlap import Meeting, first_match, meet
from holdshort.core.policy import OFF, WARN
from holdshort.core.shell_git import IGNORED, STAGED, SUBMODULES, SWEEPS, TRACKED, UNTRACKED
from holdshort.core.write import Judged, works_beside
from holdshort.core.write_words import would_deny

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from holdshort.core.book import Book, Record
    from holdshort.core.liveness import Evidence
    from holdshort.core.policy import Policy
    from holdshort.core.shell_git import Deed
    from holdshort.core.write import Party


class Change:
    """What `git status` says of one path: relative to the tree, a directory with a `/` at its end.

    index, worktree: its letters, as git's short format gives them. original: the name before a rename.
    """

    __slots__ = ("index", "original", "path", "worktree")

    def __init__(self, index: str, worktree: str, path: str, original: str = "") -> None:
        self.index = index
        self.worktree = worktree
        self.path = path
        self.original = original


class Stake:
    """A file at stake, and whose it is: the record of an agent, or the line of who wrote it."""

    __slots__ = ("path", "record", "touch")

    def __init__(
        self, path: str, record: Record | None = None, touch: dict[str, Any] | None = None
    ) -> None:
        self.path = path
        self.record = record
        self.touch = touch


def concerned(deed: Deed, changes: Sequence[Change], paths: Sequence[str]) -> list[str]:
    """The paths of `changes` that a deed concerns. paths: entries that it is limited to, `()` for none.

    An entry that begins with `!` is left out.
    """
    excluded = [entry[1:] for entry in paths if entry[:1] == "!"]
    included = [entry for entry in paths if entry[:1] != "!"]
    found: dict[str, None] = {}
    for change in changes:
        if deed.reach & _kinds_of(change):
            for name in filter(None, (change.path, change.original)):
                is_meant = not included or _lies_in(name, included)
                if is_meant and not _lies_in(name, excluded):
                    found[name] = None
    return list(found)


class Case:
    """One deed to be judged, in one tree.

    names: what it concerns, relative to the tree. touches: lines of `touched.jsonl` by parties whose
    process runs, newest first.
    """

    __slots__ = ("deed", "names", "party", "touches", "tree")

    def __init__(
        self,
        deed: Deed,
        party: Party,
        tree: str,
        touches: Sequence[dict[str, Any]] = (),
        names: Sequence[str] = (),
    ) -> None:
        self.deed = deed
        self.party = party
        self.tree = tree
        self.touches = touches
        self.names = names


def others_in_flight(case: Case, book: Book) -> bool:
    """Whether anybody else may have work in the tree; if not, git is not even asked."""
    return any(works_beside(record, case.party, case.tree) for record in book.agents) or any(
        touch["tree"] == case.tree and not _is_by(touch, case.party) for touch in case.touches
    )


def judge_deed(
    case: Case,
    book: Book,
    policy: Policy,
    now: float,
    evidence: Mapping[tuple[str, str], Evidence],
) -> Judged:
    """Judge one deed; pure, and total for any book.

    now: epoch seconds. evidence: by `key_of(record)`; whatever is missing is asked for.
    """
    if policy.write == OFF or not case.names:
        return Judged()
    candidates = [record for record in book.agents if works_beside(record, case.party, case.tree)]
    asks = tuple(record for record in candidates if key_of(record) not in evidence)
    if asks:
        return Judged(asks=asks)
    alive = [one for one in candidates if _is_in_flight(one, book, now, evidence)]
    binding = [one for one in alive if _binds(case.party, one)]
    found = (
        _held(name, binding, policy) or _touched(case, name, alive, now) for name in case.names
    )
    stakes = [stake for stake in found if stake is not None]
    if not stakes:
        return Judged()
    from holdshort.core.tree_wide_words import denied  # noqa: PLC0415  # only a denial pays

    verdict = denied(case.deed, stakes, now)
    holder = next((one.record["id"] for one in stakes if one.record is not None), "")
    return Judged(would_deny(verdict) if policy.write == WARN else verdict, holder=holder)


def _kinds_of(change: Change) -> frozenset[str]:
    if change.index == "?":
        return frozenset((UNTRACKED,))
    if change.index == "!":
        return frozenset((IGNORED,))
    kinds = {TRACKED} if change.worktree.strip() else set()
    kinds |= {STAGED} if change.index.strip() else set()
    return frozenset(kinds | ({SUBMODULES} if change.path[-1:] == "/" else set()))


def _lies_in(name: str, entries: Sequence[str]) -> bool:
    return first_match(entries, name.rstrip("/")) is not None or (
        name[-1:] == "/" and isinstance(meet((f"{name}**",), tuple(entries)), Meeting)
    )


def _binds(party: Party, record: Record) -> bool:
    """Whether its scope binds the party; an ancestor's binds no descendant, only what it has written."""
    return is_declared(record) and not is_in_lineage(record, party.session, party.lineage)


def _is_in_flight(
    record: Record, book: Book, now: float, evidence: Mapping[tuple[str, str], Evidence]
) -> bool:
    from holdshort.core.liveness import standing  # noqa: PLC0415  # only where others may be at work

    seen = has_lifecycle(book, record["session"])
    return standing(record, evidence[key_of(record)], now, "", lifecycle_seen=seen).is_in_flight


def _held(name: str, binding: Sequence[Record], policy: Policy) -> Stake | None:
    """Whose declared file or directory it is."""
    if first_match(policy.shared, name.rstrip("/")) is not None:
        return None
    for record in binding:
        if name[-1:] == "/":
            met = meet(tuple(record["files"]), (f"{name}**",), policy.shared)
            if isinstance(met, Meeting):
                return Stake(met.witness, record)
        elif first_match(record["files"], name) is not None:
            return Stake(name, record)
    return None


def _touched(case: Case, name: str, alive: Sequence[Record], now: float) -> Stake | None:
    """Who wrote it last, if that is another party still at work."""
    for touch in case.touches:
        is_it = touch["path"] == name or (name[-1:] == "/" and touch["path"].startswith(name))
        if is_it and touch["tree"] == case.tree and now - touch["at"] < SILENCE:
            is_at_stake = not _is_by(touch, case.party) and _is_at_work(case, touch, alive)
            return Stake(touch["path"], touch=touch) if is_at_stake else None
    return None


def _is_by(touch: dict[str, Any], party: Party) -> bool:
    return is_same(touch["session"], party.session) and touch["agent"] == party.agent_id


def _is_at_work(case: Case, touch: dict[str, Any], alive: Sequence[Record]) -> bool:
    """Whether who wrote it may go on: an agent in flight, another session, or one's coordinator."""
    is_sweeping = case.deed.kind == SWEEPS
    if not touch["agent"]:
        return not (is_sweeping and is_same(touch["session"], case.party.session))
    is_ancestor = touch["agent"] in [name for name, _ in case.party.lineage]
    return not (is_sweeping and is_ancestor) and any(
        record["agentId"] == touch["agent"] and is_same(record["session"], touch["session"])
        for record in alive
    )
