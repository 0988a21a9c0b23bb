"""Observed holds: a party in flight wrote a file of this scope, whether it declared it or not."""

from __future__ import annotations

from holdshort.core.book import is_closed, is_same
from holdshort.core.scope_index import ScopeIndex
from holdshort.core.verdict import Verdict, told
from holdshort.core.words import clip, clip_path, quoted, span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdshort.core.book import Book, Record
    from holdshort.core.dispatch import Dispatch

    Touch = dict[str, Any]

SHOWN = 2


def observed(dispatch: Dispatch, book: Book, now: float) -> list[tuple[str, Verdict]]:
    """`(what makes it the same again, advisory)` for each other party that wrote in this scope.

    `dispatch.touches` come newest first. Those who declared the file are left out, as the declared
    hold speaks for them.
    """
    scope = ScopeIndex(dispatch.record["files"])
    newest: dict[tuple[str, str], tuple[str, Verdict]] = {}
    for touch in dispatch.touches:
        who = (touch["session"]["id"], touch["agent"])
        if who in newest or scope.covers_path(touch["path"]) is None:
            continue
        if _is_strange(touch, dispatch, book):
            newest[who] = _advice(touch, dispatch, book, now)
    return list(newest.values())[:SHOWN]


def _is_strange(touch: Touch, dispatch: Dispatch, book: Book) -> bool:
    """Whether another party than this dispatch and its ancestors wrote it, and may still work."""
    record = dispatch.record
    if touch["tree"] != record["tree"]:
        return False
    if is_same(touch["session"], record["session"]):
        lineage = [agent_id for agent_id, _ in dispatch.lineage]
        if touch["agent"] in ("", *lineage):
            return False
    theirs = book.record_of_agent(touch["session"], touch["agent"])
    return theirs is None or not (is_closed(theirs) or _is_declared(touch, theirs))


def _is_declared(touch: Touch, record: Record) -> bool:
    return ScopeIndex(record["files"]).covers_path(touch["path"]) is not None


def _advice(touch: Touch, dispatch: Dispatch, book: Book, now: float) -> tuple[str, Verdict]:
    theirs = book.record_of_agent(touch["session"], touch["agent"])
    is_own = is_same(touch["session"], dispatch.record["session"])
    who = quoted(theirs["id"]) if theirs else f"agent {clip(touch['agent'], 24)}".strip()
    who = who if touch["agent"] else "The main thread"
    where = "" if is_own else f" of another session ({clip(touch['session']['id'], 36)})"
    said = (
        f"HS502 {who}{where} wrote {clip_path(touch['path'])} {span(now - touch['at'])} ago without "
        "having declared it, and may still work on it."
    )
    key = clip(f"HS502|{dispatch.record['id']}|{touch['session']['id']}|{touch['agent']}", 240)
    return key, told("HS502", said)
