"""May this dispatch start? The rule and its matrix (docs/fail-matrix.md) as one pure function.

A dispatch is denied exactly when its write scope meets, outside the shared files, the write scope of
another agent in flight in the same tree that is neither its ancestor nor its descendant.
"""

from __future__ import annotations

from holdshort.core.book import (
    LINEAGE_DEPTH,
    RESERVED,
    WRITE,
    Book,
    has_lifecycle,
    holds_files,
    is_closed,
    is_declared,
    is_in_lineage,
    is_same,
    key_of,
)
from holdshort.core.policy import OFF, Policy
from holdshort.core.verdict import SILENT, Verdict, joined
from holdshort.core.words import clip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from holdshort.core.book import Record
    from holdshort.core.liveness import Evidence
    from holdshort.core.meeting import Collision


class Dispatch:
    """One dispatch, or one message to an agent, to be judged.

    record: what the ledger will hold of it; its `files` are what is being asked for.
    lineage: `(agent id, tool-use id)` of the dispatching agent and its ancestors.
    target: the record of the agent that a message goes to; None for a dispatch.
    wakes: the message only wakes the target, which asks for nothing new, so it can only be advised.
    remarks: what is already known to be worth telling, apart from any collision.
    touches: lines of `touched.jsonl` by parties whose process runs.
    """

    __slots__ = ("lineage", "record", "remarks", "target", "touches", "wakes")

    def __init__(
        self,
        record: Record,
        lineage: tuple[tuple[str, str], ...] = (),
        *,
        target: Record | None = None,
        wakes: bool = False,
        remarks: tuple[Verdict, ...] = (),
        touches: tuple[dict[str, Any], ...] = (),
    ) -> None:
        self.touches = touches
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
    met: what was found to meet, for the second call. path, holder: what was denied and whose it is,
    for the log.
    """

    __slots__ = ("asks", "book", "holder", "met", "path", "row", "verdict")

    def __init__(
        self,
        verdict: Verdict = SILENT,
        book: Book | None = None,
        row: str = "",
        asks: tuple[Record, ...] = (),
        met: list[Collision] | None = None,
    ) -> None:
        self.met = met
        self.verdict = verdict
        self.book = book
        self.row = row
        self.asks = asks
        self.path = ""
        self.holder = ""


def decide(
    dispatch: Dispatch,
    book: Book,
    policy: Policy,
    now: float,
    evidence: Mapping[tuple[str, str], Evidence],
    met: list[Collision] | None = None,
) -> Decision:
    """Judge `dispatch` against the ledger; pure, and total for any book.

    now: epoch seconds. evidence: by `key_of(record)`; whatever is missing is asked for.
    met: what a call with the same dispatch and book has found, to spare the search.
    """
    if policy.dispatch == OFF:
        return Decision(row="off")
    if dispatch.target is None and _is_recorded(dispatch.record, book):
        return Decision(row="again")
    if met is None:
        met = _meeting(dispatch, book, policy)
    if not met:
        return allowed(dispatch, book, now)
    asks = tuple(hit.record for hit in met if key_of(hit.record) not in evidence)
    if asks:
        return Decision(asks=asks, met=met)
    from holdshort.core.conflict import settled  # noqa: PLC0415  # only an overlap pays for it

    return settled(dispatch, book, policy, now, met, evidence)


def allowed(
    dispatch: Dispatch, book: Book, now: float, verdict: Verdict = SILENT, row: str = "allow"
) -> Decision:
    """The decision that lets `dispatch` go on and records what it holds."""
    if dispatch.touches and holds_files(dispatch.record):
        from holdshort.core.observed import observed  # noqa: PLC0415  # only if somebody wrote

        for key, advice in observed(dispatch, book, now):
            if not book.was_said(key, now):
                verdict, book = joined(verdict, advice), book.having_said(key, now)
    verdict = joined(verdict, *dispatch.remarks)
    verdict = Verdict(verdict.decision, verdict.code, clip(verdict.reason), verdict.notice)
    return Decision(verdict, _recorded(dispatch, book), row)


def _meeting(dispatch: Dispatch, book: Book, policy: Policy) -> list[Collision]:
    rivals = rivals_of(dispatch, book)
    if not rivals:
        return []
    from holdshort.core.meeting import meeting  # noqa: PLC0415  # only a crowd pays for automata

    return meeting(dispatch.record["files"], rivals, policy.shared)


def rivals_of(dispatch: Dispatch, book: Book) -> list[Record]:
    """The open records that could collide with `dispatch`: same tree, writing, no relatives."""
    record = dispatch.record
    if not holds_files(record):
        return []
    return [other for other in book.agents if _is_rival(other, dispatch, book)]


def _is_recorded(record: Record, book: Book) -> bool:
    """Whether this very call was recorded already: the event came twice.

    An id that comes again with other files, or after its agent was heard of, is another call.
    """
    known = book.record_of_call(record["session"], record["toolUseId"])
    return (
        known is not None
        and known["files"] == record["files"]
        and known["state"] == RESERVED
        and not known["events"]
    )


def _is_rival(other: Record, dispatch: Dispatch, book: Book) -> bool:
    return (
        not is_closed(other)
        and holds_files(other)
        and other["tree"] in ("", dispatch.record["tree"])  # the original records no tree
        and (dispatch.target is None or key_of(other) != key_of(dispatch.target))
        and not is_in_lineage(other, dispatch.record["session"], dispatch.lineage)
        and not _descends(other, dispatch.target, book)
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


def _recorded(dispatch: Dispatch, book: Book) -> Book:
    record = dispatch.record
    if dispatch.target is not None:
        return _grown(dispatch.target, record["files"], book) if not dispatch.wakes else book
    if not has_lifecycle(book, record["session"]):
        book = book.without(_earlier(record, book))
    number = 1
    while book.record_of_call(record["session"], record["toolUseId"]) is not None:
        number += 1  # a client that numbers its calls afresh; the earlier agent keeps its record
        record = {**record, "toolUseId": f"{dispatch.record['toolUseId']}#{number}"}
    return book.changed(wave_key=_wave_key(record)).holding(record)


def _grown(target: Record, files: list[str], book: Book) -> Book:
    """The book with `files` added to an agent's scope: declared now, whatever its scope was before."""
    before = target["files"] if is_declared(target) else []
    fresh = [entry for entry in files if entry not in before]
    if not fresh:
        return book
    source = target["source"] if before else "prompt"
    return book.holding({**target, "files": [*before, *fresh], "access": WRITE, "source": source})


def _earlier(record: Record, book: Book) -> list[Record]:
    """What row 10 replaces: the same dispatch made before, of whose life nothing was ever told."""
    return [
        other
        for other in book.of_session(record["session"])
        if other["id"] == record["id"]
        and other["files"] == record["files"]
        and other["state"] in ("reserved", "finished")
    ]


def _wave_key(record: Record) -> str:
    return f"{record['session']['id']}|{record['wave'] or 'w?|?'}"
