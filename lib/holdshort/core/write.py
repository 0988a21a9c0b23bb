"""May this file be written, by this party, now? One pure function (docs/hooks/enforce_scope.md).

First what nobody's agent may write, then the gates of the wave manifest, then the holds of agents
in flight. Where a manifest governs, doubt denies; a hold denies only what is certain.
"""

from __future__ import annotations

from holdshort.core import write_words as words
from holdshort.core.book import (
    SILENCE,
    has_lifecycle,
    is_closed,
    is_declared,
    is_in_lineage,
    is_isolated,
    is_same,
    key_of,
)
from holdshort.core.grant import OFF, STRICT
from holdshort.core.overlap import first_match
from holdshort.core.policy import OFF as SWITCHED_OFF
from holdshort.core.policy import WARN as WARN_MODE
from holdshort.core.policy import Policy
from holdshort.core.verdict import ASK, DENY, SILENT, Verdict, joined
from holdshort.core.words import clip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdshort.core.book import Book, Record, Session
    from holdshort.core.grant import Grant
    from holdshort.core.liveness import Evidence, Standing


class Party:
    """Who writes.

    session: as the ledger names it. agent_id: "" for the main thread, or where none is told.
    lineage: `(agent id, tool-use id)` of the agent and its ancestors, as far as they are known.
    record: the ledger's own record of it, if it can be told which that is.
    """

    __slots__ = ("agent_id", "lineage", "record", "session")

    def __init__(
        self,
        session: Session,
        agent_id: str = "",
        lineage: tuple[tuple[str, str], ...] = (),
        record: Record | None = None,
    ) -> None:
        self.session = session
        self.agent_id = agent_id
        self.lineage = lineage
        self.record = record


class Target:
    """Where a write lands.

    inside: the path relative to `tree`, None when it lies outside. absolute: with all links
    followed. own: what of the guard's or the wave's own it is ("" for anything else).
    trouble: why it cannot be told where it lands, or "". called: how it is shown, if not as `inside`.
    reach: the entries of all that is written, where that is more than the one path.
    """

    __slots__ = ("absolute", "called", "inside", "own", "reach", "tree", "trouble")

    def __init__(
        self,
        tree: str,
        inside: str | None,
        absolute: str,
        own: str = "",
        trouble: str = "",
        *,
        called: str = "",
        reach: tuple[str, ...] = (),
    ) -> None:
        self.tree = tree
        self.inside = inside
        self.absolute = absolute
        self.own = own
        self.trouble = trouble
        self.called = called
        self.reach = reach


class Wave:
    """The manifest that governs a write: its grant, and why an empty one is empty (`emptiness`)."""

    __slots__ = ("grant", "why_empty")

    def __init__(self, grant: Grant, why_empty: str = "") -> None:
        self.grant = grant
        self.why_empty = why_empty


class Write:
    """One write to be judged.

    wave: the manifest that governs it, if one does. touches: lines of `touched.jsonl` about this
    very file, newest first.
    """

    __slots__ = ("party", "target", "touches", "wave")

    def __init__(
        self,
        party: Party,
        target: Target,
        wave: Wave | None = None,
        touches: tuple[dict[str, Any], ...] = (),
    ) -> None:
        self.party = party
        self.target = target
        self.wave = wave
        self.touches = touches


class Judged:
    """What `judge_write` came to.

    asks: records whose evidence is wanted first; then `verdict` means nothing yet. holder: who has
    the file, for the log. advisories: what is to be said besides, each with what makes it the same
    again.
    """

    __slots__ = ("advisories", "asks", "holder", "verdict")

    def __init__(
        self,
        verdict: Verdict = SILENT,
        asks: tuple[Record, ...] = (),
        holder: str = "",
        advisories: tuple[tuple[str, Verdict], ...] = (),
    ) -> None:
        self.verdict = verdict
        self.asks = asks
        self.holder = holder
        self.advisories = advisories


class Hold:
    """An agent in flight that declared the file: its record, the entry, and the evidence of it."""

    __slots__ = ("agent_id", "entry", "record", "standing", "touched")

    def __init__(
        self, record: Record, entry: str, standing: Standing, agent_id: str | None, *, touched: bool
    ) -> None:
        self.record = record
        self.entry = entry
        self.standing = standing
        self.agent_id = agent_id
        self.touched = touched


def judge_write(
    write: Write,
    book: Book,
    policy: Policy,
    now: float,
    evidence: Mapping[tuple[str, str], Evidence],
) -> Judged:
    """Judge one write; pure, and total for any book.

    now: epoch seconds. evidence: by `key_of(record)`; whatever is missing is asked for.
    """
    if policy.write == SWITCHED_OFF:
        return Judged()
    target = write.target
    if target.own and not _may_write_own(write):
        return Judged(words.own(target, _decision_on_own(write)))
    gate = _gated(target, write.wave)
    if gate.decision == DENY or target.inside is None:
        return Judged(gate)
    met = _met(write, book, policy)
    asks = tuple(record for record, _ in met if key_of(record) not in evidence)
    if asks:
        return Judged(asks=asks)
    holds = _holds(met, book, now, evidence, write.touches)
    return _settled(write, gate, holds, policy, now)


def _settled(write: Write, gate: Verdict, holds: list[Hold], policy: Policy, now: float) -> Judged:
    party, target = write.party, write.target
    binding = [hold for hold in holds if not _may_be(party, hold)]
    if binding:
        hold = binding[0]
        verdict = words.held(party, target, hold, now, decision=_decision(party, target, hold))
        if policy.write == WARN_MODE:
            verdict = words.would_deny(verdict)
        return Judged(joined(verdict, gate), holder=hold.record["id"])
    found = [words.perhaps_held(target, hold) for hold in holds]
    if not holds:
        found += _about_own_scope(write, policy)
        found += _about_touches(write, policy, now)
    denied = next((one for one in found if one.decision == DENY), None)
    if denied:
        return Judged(joined(denied, gate))
    keys = [clip(f"{one.code}|{party.agent_id}|{target.inside}", 240) for one in found]
    return Judged(gate, advisories=tuple(zip(keys, found, strict=True)))


def _may_write_own(write: Write) -> bool:
    """The coordinator writes its manifest, scope files and settings; the guard's state is nobody's."""
    return write.target.own in ("wave", "registration") and not write.party.agent_id


def _decision_on_own(write: Write) -> str:
    """A person may let the coordinator change settings, the guard itself, or what is a tree."""
    is_asked = write.target.own in ("settings", "guard", "repository")
    return ASK if is_asked and not write.party.agent_id else DENY


def _gated(target: Target, wave: Wave | None) -> Verdict:
    """What the manifest says of the write: gates G4 to G8, fail closed."""
    if wave is None or wave.grant.level == OFF or target.own == "wave":
        return SILENT
    if not target.trouble and _is_granted(target, wave.grant):
        return SILENT
    if wave.grant.level == STRICT or target.trouble:
        return words.ungranted(target, wave)
    return words.would_deny(words.ungranted(target, wave))


def _is_granted(target: Target, grant: Grant) -> bool:
    if not target.reach:
        return grant.covers(target.inside, target.absolute)
    from holdshort.core.cover import covers  # noqa: PLC0415  # only a command writes whole trees

    return all(covers(grant.entries, entry) is None for entry in target.reach)


def _met(write: Write, book: Book, policy: Policy) -> list[tuple[Record, str]]:
    """The open records of others that declare the file, with the entry that does."""
    path = write.target.inside or ""
    found = []
    for record in book.agents:
        if is_other_holder(record, write.party, write.target):
            entry = first_match(record["files"], path)
            if entry is not None:
                found.append((record, path if path in record["files"] else entry))
    is_shared = bool(found) and first_match(policy.shared, path) is not None
    return [] if is_shared else found


def is_other_holder(record: Record, party: Party, target: Target) -> bool:
    """Whether an open record of another may hold files in the target's tree against the party."""
    is_ancestor = is_in_lineage(record, party.session, party.lineage)  # which binds no descendant
    return works_beside(record, party, target.tree) and is_declared(record) and not is_ancestor


def works_beside(record: Record, party: Party, tree: str) -> bool:
    """Whether an open record is another's that works in the tree."""
    return (
        not is_closed(record)
        and record["tree"] in ("", tree)
        and not is_isolated(record)
        and not _is_own(record, party)
    )


def _is_own(record: Record, party: Party) -> bool:
    return party.record is not None and key_of(record) == key_of(party.record)


def _holds(
    met: list[tuple[Record, str]],
    book: Book,
    now: float,
    evidence: Mapping[tuple[str, str], Evidence],
    touches: tuple[dict[str, Any], ...],
) -> list[Hold]:
    from holdshort.core.liveness import standing  # noqa: PLC0415  # only where a hold is met

    found = []
    for record, entry in met:
        known = evidence[key_of(record)]
        seen = has_lifecycle(book, record["session"])
        state = standing(record, known, now, "", lifecycle_seen=seen)
        agent_id = record["agentId"] or known.agent_id
        if state.is_in_flight:
            touched = any(_is_by(touch, record, agent_id) for touch in touches)
            found.append(Hold(record, entry, state, agent_id, touched=touched))
    return found


def _is_by(touch: dict[str, Any], record: Record, agent_id: str | None) -> bool:
    return (
        bool(agent_id)
        and touch["agent"] == agent_id
        and is_same(touch["session"], record["session"])
    )


def _may_be(party: Party, hold: Hold) -> bool:
    """Whether the writer may be the very agent that holds the file, for all that is known."""
    if not is_same(party.session, hold.record["session"]) or party.record is not None:
        return False
    return hold.agent_id is None or (bool(party.agent_id) and hold.agent_id == party.agent_id)


def _decision(party: Party, target: Target, hold: Hold) -> str:
    """A person decides where the coordinator writes below a directory that its agent holds."""
    is_coordinator = not party.agent_id and is_same(party.session, hold.record["session"])
    return ASK if is_coordinator and hold.entry != target.inside and not hold.touched else DENY


def _about_own_scope(write: Write, policy: Policy) -> list[Verdict]:
    record, target = write.party.record, write.target
    if record is None or not is_declared(record) or record["tree"] not in ("", target.tree):
        return []
    if first_match([*record["files"], *policy.shared], target.inside or "") is not None:
        return []
    return [words.outside_own_scope(target, record, is_denied=policy.own_scope == STRICT)]


def _about_touches(write: Write, policy: Policy, now: float) -> list[Verdict]:
    for touch in write.touches:
        if now - touch["at"] < SILENCE and _is_stranger(touch, write.party):
            return [words.touched(write.target, touch, now, is_denied=policy.observed == DENY)]
    return []


def _is_stranger(touch: dict[str, Any], party: Party) -> bool:
    """Whether another party wrote it that is neither an ancestor nor the coordinator of this one."""
    if not is_same(touch["session"], party.session):
        return True
    return bool(touch["agent"]) and touch["agent"] not in [name for name, _ in party.lineage]
