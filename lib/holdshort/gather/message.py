"""PreToolUse of a message to an agent: it may add files to its scope, and wakes one that ended."""

from __future__ import annotations

from holdshort.adapters.ledger_file import Ledger, exists, open_ledger
from holdshort.adapters.processes import session_of
from holdshort.adapters.transcripts import binding_of
from holdshort.adapters.wire import text
from holdshort.core.book import WRITE, Book, is_closed
from holdshort.core.dispatch import Decision, Dispatch
from holdshort.core.verdict import DENY, Outcome, Verdict, joined
from holdshort.core.words import clip
from holdshort.gather.dispatch import (
    decided,
    guard_remarks,
    logged,
    unrecordable,
    write,
)
from holdshort.gather.lineage import lineage_of
from holdshort.gather.scope import Scope, message_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdshort.adapters.places import Place
    from holdshort.core.book import Record
    from holdshort.core.policy import Policy


def judge_message(call: dict[str, Any], place: Place, policy: Policy, now: float) -> Outcome:
    """The verdict on one message, where an agent of this session is known to be its recipient."""
    if not exists(place.state_dir):
        return Outcome()
    given = call["tool_input"]
    scope = message_scope(text(given, "message") or text(given, "content"), call, place, policy)
    try:
        ledger = open_ledger(place.state_dir)
    except OSError as error:
        return Outcome(unrecordable(place, error))
    with ledger:
        session = session_of(text(call, "session_id"))
        target = _recipient(ledger, session, text(given, "to"), text(call, "transcript_path"))
        if target is None or not (scope.entries or is_closed(target)):
            return Outcome()
        remarks, book = guard_remarks(ledger, place, (), now)
        decision = _decided_message(call, session, target, scope, book, policy, now)
        trouble = write(ledger, decision, now)
    verdict = joined(decision.verdict, *remarks, *trouble)
    return Outcome(verdict, place.state_dir, logged(decision, target))


def _decided_message(
    call: dict[str, Any],
    session: dict[str, Any],
    target: Record,
    scope: Scope,
    book: Book,
    policy: Policy,
    now: float,
) -> Decision:
    asked = {
        **target,
        "session": session,
        "toolUseId": text(call, "tool_use_id"),
        "source": scope.source,
    }
    main = text(call, "transcript_path")
    relatives = lineage_of(main, target["parent"] or "") + lineage_of(main, text(call, "agent_id"))
    decision = Decision(book=None)
    if scope.entries:
        asking = {**asked, "files": scope.entries, "access": WRITE}
        grown = Dispatch(asking, relatives, target=target, remarks=scope.remarks)
        decision = decided(grown, book, policy, now)
    if decision.verdict.decision == DENY or not is_closed(target):
        return decision
    woken = Dispatch(asked, relatives, target=target, wakes=True)
    waking = decided(woken, decision.book or book, policy, now)
    both = joined(decision.verdict, waking.verdict)
    waking.verdict = Verdict(both.decision, both.code, clip(both.reason), both.notice)
    return waking


def _recipient(
    ledger: Ledger, session: dict[str, Any], name: str, transcript: str
) -> Record | None:
    """The agent that a message is addressed to, by its id or by the name it was dispatched with."""
    try:
        archive = ledger.archived()
    except OSError:
        archive = Book()  # then whoever was moved there is nobody known
    for book in (ledger.book, archive):
        for record in reversed(book.of_session(session)):
            if name and name in (record["agentId"], record["name"]):
                return record
    bound = binding_of(transcript, name)
    return ledger.book.record_of_call(session, bound[0]) if bound else None
