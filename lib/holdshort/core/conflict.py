"""Scopes that meet: who still works on them, and so whether a dispatch is denied or only advised."""

from __future__ import annotations

from holdshort.core.advice import advised, denial, denial_key
from holdshort.core.book import (
    FINISHED,
    RUNNING,
    WEAK,
    Book,
    has_lifecycle,
    is_closed,
    is_isolated,
    is_same,
    key_of,
    moved,
)
from holdshort.core.dispatch import Decision, Dispatch, allowed
from holdshort.core.liveness import UNKNOWN, Evidence, Standing, standing
from holdshort.core.policy import WARN, Policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from holdshort.core.book import Record
    from holdshort.core.meeting import Collision


def settled(
    dispatch: Dispatch,
    book: Book,
    policy: Policy,
    now: float,
    met: list[Collision],
    evidence: Mapping[tuple[str, str], Evidence],
) -> Decision:
    """Deny or allow `dispatch`, which meets the scopes in `met`, by what is known of their agents."""
    for hit in met:
        hit.standing = _standing_of(hit.record, dispatch, book, evidence[key_of(hit.record)], now)
    book = _learned(book, met, evidence, now)
    live = [hit for hit in met if hit.standing.is_in_flight or hit.standing.state == UNKNOWN]
    barred = [hit for hit in live if _is_barred(hit, dispatch)]
    if barred and policy.dispatch != WARN:
        key = denial_key(dispatch.record, barred)
        book = book.having_denied(key)
        denied = Decision(denial(dispatch.record, barred, now, book.denied[key]), book, "11")
        denied.path, denied.holder = barred[0].path, barred[0].record["id"]
        return denied
    verdict, book = advised(dispatch.record, live, barred, book, now, wakes=dispatch.wakes)
    row = "warn" if barred else "10a" if not live else "allow"
    return allowed(dispatch, book, now, verdict, row)


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
