"""PreToolUse of the dispatch tool, and of messages to agents: gather, decide, record."""

from __future__ import annotations

from holdshort.adapters import paths
from holdshort.adapters.files import size_of
from holdshort.adapters.ledger_file import Ledger, open_ledger
from holdshort.adapters.places import TOUCHED, Place, locate, project
from holdshort.adapters.policy_file import NAME as SETTINGS
from holdshort.adapters.policy_file import policy_at
from holdshort.adapters.processes import session_of, started_at
from holdshort.adapters.wire import text
from holdshort.core.book import RESERVED, SILENCE, Book
from holdshort.core.dispatch import Decision, Dispatch, decide
from holdshort.core.policy import OFF, Policy
from holdshort.core.verdict import Outcome, Verdict, joined, unwritable, warned
from holdshort.core.words import clip, clip_path, iso_of, listed
from holdshort.gather.scope import Scope, scope_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdshort.core.book import Record
    from holdshort.core.liveness import Evidence

TOOLS = ("Agent", "Task")
MESSAGE_TOOL = "SendMessage"
_ID_BYTES = 200


def judge(call: dict[str, Any], now: float) -> Outcome:
    """The verdict on one PreToolUse call; silent for every other tool. now: epoch seconds."""
    tool = text(call, "tool_name")
    if tool not in (*TOOLS, MESSAGE_TOOL) or not isinstance(call.get("tool_input"), dict):
        return Outcome()
    place = locate(text(call, "cwd"), project())
    policy, faults = policy_at(place.root, place.state_dir)
    if policy.dispatch == OFF:
        return Outcome(_faults_told(faults))
    if tool == MESSAGE_TOOL:
        from holdshort.gather.message import judge_message  # noqa: PLC0415  # messages only

        return judge_message(call, place, policy, now)
    return _judge_dispatch(call, place, policy, faults, now)


def _judge_dispatch(
    call: dict[str, Any], place: Place, policy: Policy, faults: tuple[str, ...], now: float
) -> Outcome:
    session = session_of(text(call, "session_id"))
    scope = scope_of(call, place, policy, started_at(session))
    lineage = _lineage_of(call)
    record = _record(call, session, place, scope, now)
    touches = _touches(place.state_dir, now) if scope.entries else ()
    dispatch = Dispatch(record, lineage, remarks=scope.remarks, touches=touches)
    try:
        ledger = open_ledger(place.state_dir)
    except OSError as error:
        return Outcome(unrecordable(place, error))
    with ledger:
        remarks, book = guard_remarks(ledger, place, faults, now)
        decision = decided(dispatch, book, policy, now)
        trouble = write(ledger, decision, now)
    verdict = joined(decision.verdict, *remarks, *trouble)
    return Outcome(verdict, place.state_dir, logged(decision, record))


def _lineage_of(call: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    agent_id = text(call, "agent_id")
    if not agent_id:
        return ()
    from holdshort.gather.lineage import lineage_of  # noqa: PLC0415  # nested only

    return lineage_of(text(call, "transcript_path"), agent_id)


def logged(decision: Decision, record: Record) -> dict[str, Any]:
    """What the decisions log shall hold of a decision."""
    facts = {"row": decision.row, "name": record["id"]}
    denied = {"path": clip_path(decision.path), "holder": decision.holder} if decision.path else {}
    return {**facts, **denied}


def decided(dispatch: Dispatch, book: Book, policy: Policy, now: float) -> Decision:
    """The decision, with the evidence that it asks for looked up in between."""
    evidence: dict[tuple[str, str], Evidence] = {}
    decision = decide(dispatch, book, policy, now, evidence)
    if decision.asks:
        from holdshort.gather.evidence import evidence_for  # noqa: PLC0415  # only an overlap pays

        evidence = evidence_for(decision.asks, dispatch.record["transcripts"])
        decision = decide(dispatch, book, policy, now, evidence, decision.met)
    return decision


def _record(
    call: dict[str, Any], session: dict[str, Any], place: Place, scope: Scope, now: float
) -> Record:
    given = call["tool_input"]
    return {
        "id": agent_id_of(text(given, "description"), text(given, "subagent_type")),
        "desc": clip(text(given, "description").strip(), _ID_BYTES),
        "files": scope.entries,
        "at": iso_of(now),
        "wave": scope.wave,
        "session": session,
        "harness": "claude",
        "toolUseId": text(call, "tool_use_id") or f"call-{now:.6f}",
        "agentId": None,
        "agentType": clip(text(given, "subagent_type"), _ID_BYTES),
        "name": clip(text(given, "name"), _ID_BYTES) or None,
        "parent": text(call, "agent_id") or None,
        "tree": place.root,
        "isolation": {"requested": scope.isolation, "verified": None} if scope.isolation else None,
        "access": scope.access,
        "source": scope.source,
        "transcripts": transcripts_of(call),
        "listed": False,
        "waits": [],
        "state": RESERVED,
        "events": [],
    }


def agent_id_of(description: str, agent_type: str) -> str:
    """How people know an agent: `<description> (<type>)`, as in the original."""
    description, agent_type = description.strip(), agent_type.strip()
    if description and agent_type:
        return clip(f"{description} ({agent_type})", _ID_BYTES)
    return clip(description or agent_type, _ID_BYTES) or "unnamed-agent"


def transcripts_of(call: dict[str, Any]) -> list[list[Any]]:
    """`[path, size now]` of the transcripts in which a dispatch of this call leaves its traces.

    The main one gets every notice; the results of an agent's own calls stand in the agent's own.
    """
    main = text(call, "transcript_path")
    if not main:
        return []
    paths = [main]
    if text(call, "agent_id"):
        from holdshort.adapters.transcripts import agent_transcript  # noqa: PLC0415  # nested only

        paths.append(agent_transcript(main, text(call, "agent_id")))
    return [[path, size_of(path)] for path in paths]


def _touches(state_dir: str, now: float) -> tuple[dict[str, Any], ...]:
    """What parties whose process runs wrote lately."""
    if not paths.lexists(paths.join(state_dir, TOUCHED)):
        return ()
    from holdshort.adapters.touched import by_the_living, touches  # noqa: PLC0415  # only then

    return by_the_living(touches(state_dir, now - SILENCE))


def write(ledger: Ledger, decision: Decision, now: float) -> tuple[Verdict, ...]:
    """Record the decision; what cannot be recorded is said, and changes no verdict."""
    if decision.book is None and not ledger.fault:
        return ()
    try:
        ledger.write(decision.book or ledger.book, iso_of(now))
    except OSError as error:
        said = f"HS910 This dispatch could not be recorded ({error.strerror}); others may miss it."
        return (warned("HS910", said),)
    return ()


def guard_remarks(
    ledger: Ledger, place: Place, faults: tuple[str, ...], now: float
) -> tuple[list[Verdict], Book]:
    """What is wrong with the guard itself; faults that last are said once per cooldown."""
    remarks = []
    if ledger.fault:
        done = "kept aside and reset to what made sense" if ledger.is_alone else "left as it is"
        said = f"HS902 The ledger was unreadable ({ledger.fault}): {done}."
        remarks.append(warned("HS902", said))
    if not ledger.is_locked:
        said = "HS904 The ledger's lock was not to be had in time; judged without it."
        remarks.append(warned("HS904", said))
    book = ledger.book
    for verdict in (_faults_told(faults), _fallback_told(place)):
        key = clip(verdict.notice, 200)
        if verdict.code and not book.was_said(key, now):
            remarks.append(verdict)
            book = book.having_said(key, now)
    return remarks, book


def _faults_told(faults: tuple[str, ...]) -> Verdict:
    if not faults:
        return Verdict()
    shown = clip(listed(list(faults), 8), 600)
    return warned("HS906", f"HS906 {SETTINGS}: {shown}. Defaults are used instead.")


def _fallback_told(place: Place) -> Verdict:
    if not place.fallback:
        return Verdict()
    said = (
        f"HS905 State is kept in {clip(place.state_dir, 200)}, as in the project {place.fallback}."
    )
    return warned("HS905", said)


def unrecordable(place: Place, error: OSError) -> Verdict:
    """What is said when the ledger cannot even be opened: nothing was compared."""
    return unwritable(place.state_dir, error.strerror, "This dispatch was not checked.")
