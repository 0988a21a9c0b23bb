"""May this dispatch start? The rule of design section 7 and the seed's matrix, as one pure function.

A dispatch is denied exactly when its write scope meets, outside the shared files, the write scope of
another agent in flight in the same tree that is neither its ancestor nor its descendant.
"""

from __future__ import annotations

from holdshort.core.advice import Collision, advised, denial, denial_key
from holdshort.core.book import (
    FINISHED,
    RUNNING,
    WRITE,
    Book,
    has_lifecycle,
    is_closed,
    is_isolated,
    is_same,
    key_of,
    moved,
)
from holdshort.core.liveness import UNKNOWN, Evidence, Standing, standing
from holdshort.core.policy import OFF, WARN, Policy
from holdshort.core.scope_index import ScopeIndex
from holdshort.core.verdict import SILENT, Verdict, joined

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdshort.core.book import Record

WEAK = "weak"  # source of a scope that was read from prose or an ambiguous place
LINEAGE_DEPTH = 8  # the client's own limit of nested agents is 3


class Dispatch:
    """One dispatch, or one message to an agent, to be judged.

    record: what the ledger will hold of it; its `files` are what is being asked for.
    lineage: `(agent id, tool-use id)` of the dispatching agent and its ancestors.
    target: the record of the agent that a message goes to; None for a dispatch.
    wakes: the message only wakes the target, which asks for nothing new, so it can only be advised.
    remarks: what is already known to be worth telling, apart from any collision.
    """

    __slots__ = ("lineage", "record", "remarks", "target", "wakes")

    def __init__(
        self,
        record: Record,
        lineage: tuple[tuple[str, str], ...] = (),
        *,
        target: Record | None = None,
        wakes: bool = False,
        remarks: tuple[Verdict, ...] = (),
    ) -> None:
        self.record = record
        self.lineage = lineage
        self.target = target
        self.wakes = wakes
        self.remarks = remarks


class Decision:
    """What `decide` came to.

    asks: records whose evidence is wanted first; then `verdict` means nothing yet.
    book: the ledger as it shall be from now on, or None when it stays as it is.
    row: the row of the fail matrix (docs/fail-matrix.md) that decided.
    """

    __slots__ = ("asks", "book", "row", "verdict")

    def __init__(
        self,
        verdict: Verdict = SILENT,
        book: Book | None = None,
        row: str = "",
        asks: tuple[Record, ...] = (),
    ) -> None:
        self.verdict = verdict
        self.book = book
        self.row = row
        self.asks = asks


def decide(
    dispatch: Dispatch,
    book: Book,
    policy: Policy,
    now: float,
    evidence: Mapping[tuple[str, str], Evidence],
) -> Decision:
    """Judge `dispatch` against the ledger; pure, and total for any book.

    now: epoch seconds. evidence: by `key_of(record)`; whatever is missing is asked for.
    """
    if policy.dispatch == OFF:
        return Decision(row="off")
    if dispatch.target is None and _is_recorded(dispatch.record, book):
        return Decision(row="again")
    met = _meeting(dispatch, book, policy)
    asks = tuple(hit.record for hit in met if key_of(hit.record) not in evidence)
    if asks:
        return Decision(asks=asks)
    for hit in met:
        hit.standing = _standing_of(hit.record, dispatch, book, evidence[key_of(hit.record)], now)
    return _settled(dispatch, _learned(book, met, evidence, now), policy, now, met)


def _settled(
    dispatch: Dispatch, book: Book, policy: Policy, now: float, met: list[Collision]
) -> Decision:
    live = [hit for hit in met if hit.standing.is_in_flight or hit.standing.state == UNKNOWN]
    barred = [hit for hit in live if _is_barred(hit, dispatch)]
    if barred and policy.dispatch != WARN:
        key = denial_key(dispatch.record, barred)
        book = book.having_denied(key)
        return Decision(denial(dispatch.record, barred, now, book.denied[key]), book, "11")
    verdict, book = advised(dispatch.record, live, barred, book, now, wakes=dispatch.wakes)
    verdict = joined(verdict, *dispatch.remarks)
    row = "warn" if barred else "10a" if met and not live else "allow"
    return Decision(verdict, _recorded(dispatch, book, met), row)


def _is_recorded(record: Record, book: Book) -> bool:
    return book.record_of_call(record["session"], record["toolUseId"]) is not None


def _meeting(dispatch: Dispatch, book: Book, policy: Policy) -> list[Collision]:
    """Every open record of another agent whose scope meets this one, relatives left out."""
    record = dispatch.record
    if record["access"] != WRITE or not record["files"]:
        return []
    index = ScopeIndex(record["files"], policy.shared)
    anywhere = ScopeIndex(record["files"])
    touches_shared = anywhere.first_meeting(policy.shared) is not None
    met = []
    for other in book.agents:
        if not _is_rival(other, dispatch, book):
            continue
        found = index.first_meeting(other["files"])
        if found is not None:
            met.append(Collision(other, found, index))
        elif touches_shared and (found := anywhere.first_meeting(other["files"])) is not None:
            met.append(Collision(other, found, anywhere, shared_only=True))
    return met


def _is_rival(other: Record, dispatch: Dispatch, book: Book) -> bool:
    return (
        not is_closed(other)
        and other["access"] == WRITE
        and bool(other["files"])
        and other["tree"] == dispatch.record["tree"]
        and (dispatch.target is None or key_of(other) != key_of(dispatch.target))
        and not _is_ancestor(other, dispatch)
        and not _descends(other, dispatch.target, book)
    )


def _is_ancestor(other: Record, dispatch: Dispatch) -> bool:
    return is_same(other["session"], dispatch.record["session"]) and any(
        other["agentId"] == agent_id or other["toolUseId"] == call
        for agent_id, call in dispatch.lineage
    )


def _descends(other: Record, ancestor: Record | None, book: Book) -> bool:
    """Whether `other` was dispatched by `ancestor`, or by one of its descendants."""
    if ancestor is None or ancestor["agentId"] is None:
        return False
    child: Record | None = other
    for _ in range(LINEAGE_DEPTH):
        if child is None or child["parent"] is None:
            return False
        if child["parent"] == ancestor["agentId"]:
            return is_same(child["session"], ancestor["session"])
        child = book.record_of_agent(child["session"], child["parent"])
    return False


def _standing_of(
    other: Record, dispatch: Dispatch, book: Book, evidence: Evidence, now: float
) -> Standing:
    is_own = is_same(other["session"], dispatch.record["session"])
    seen = has_lifecycle(book, other["session"])
    if is_own and not seen and _is_retry(other, dispatch, evidence):
        return Standing(FINISHED, "the same dispatch, made again")
    wave = dispatch.record["wave"] if is_own else ""
    return standing(other, evidence, now, wave, lifecycle_seen=seen)


def _is_retry(other: Record, dispatch: Dispatch, evidence: Evidence) -> bool:
    """Whether, with nothing known of its life, `other` is this same dispatch made earlier (row 10).

    Where the transcript knows its call, its end would stand there too, so it is a second agent.
    """
    sighting = evidence.sighting
    return (
        other["id"] == dispatch.record["id"]
        and not sighting.dispatched
        and sighting.launched is None
    )


def _is_barred(hit: Collision, dispatch: Dispatch) -> bool:
    return bool(
        hit.is_certain
        and hit.standing.is_in_flight
        and not hit.shared_only
        and not dispatch.wakes
        and WEAK not in (hit.record["source"], dispatch.record["source"])
        and not is_isolated(dispatch.record)
        and not is_isolated(hit.record)
    )


def _learned(
    book: Book,
    met: list[Collision],
    evidence: Mapping[tuple[str, str], Evidence],
    now: float,
) -> Book:
    """The ledger with what the evidence revealed: ends, starts and bindings."""
    return book.updated(_taught(hit, evidence[key_of(hit.record)], now) for hit in met)


def _taught(hit: Collision, evidence: Evidence, now: float) -> Record:
    record = hit.record
    if evidence.agent_id is not None and record["agentId"] is None:
        record = {**record, "agentId": evidence.agent_id}
    if hit.standing.state == FINISHED and not is_closed(record):
        return moved(record, FINISHED, "found-ended", now)
    if hit.standing.state == RUNNING and record["state"] != RUNNING:
        return moved(record, RUNNING, "found-running", now)
    return record


def _recorded(dispatch: Dispatch, book: Book, met: list[Collision]) -> Book:
    record = dispatch.record
    if dispatch.target is not None:
        target = dispatch.target
        fresh = [entry for entry in record["files"] if entry not in target["files"]]
        return book.holding({**target, "files": [*target["files"], *fresh]}) if fresh else book
    earlier = [hit.record for hit in met if hit.record["id"] == record["id"]]
    if earlier and not has_lifecycle(book, record["session"]):
        book = book.without(earlier)
    return book.changed(wave_key=_wave_key(record)).holding(record)


def _wave_key(record: Record) -> str:
    return f"{record['session']['id']}|{record['wave'] or 'w?|?'}"
