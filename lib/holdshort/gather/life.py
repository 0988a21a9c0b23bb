"""What the harness tells of its agents' lives, taken into the ledger.

docs/harness-claude.md says which event proves what. These hooks only listen: they never deny, and
say nothing on SubagentStop, where any text would set the agent to work again.
"""

from __future__ import annotations

from holdshort.adapters import processes, transcripts
from holdshort.adapters.files import size_of
from holdshort.adapters.ledger_file import Ledger, exists, open_ledger
from holdshort.adapters.places import locate, project
from holdshort.adapters.wire import text
from holdshort.core import lifecycle
from holdshort.core.book import RESERVED, SILENCE, Book, is_closed, key_of, last_event
from holdshort.core.sightings import NOTIFICATION
from holdshort.core.verdict import SILENT, Outcome, Verdict, told, unwritable
from holdshort.core.words import clip_path, iso_of, listed, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from holdshort.core.book import Record

    Take = Callable[["Event", Book], Book]

GENERAL = "general-purpose"  # what the client starts when no type is asked for
AGENTS_MANY = 64  # records in the ledger from which on it is worth tidying
ENTRIES_SHOWN = 12


class Event:
    """One life-cycle payload, with the ledger it meets and the time, in epoch seconds."""

    __slots__ = ("agent_id", "call", "ledger", "main", "now", "session")

    def __init__(self, call: dict[str, Any], ledger: Ledger, now: float) -> None:
        self.call = call
        self.ledger = ledger
        self.now = now
        self.session = processes.session_of(text(call, "session_id"))
        self.agent_id = text(call, "agent_id")
        self.main = text(call, "transcript_path")

    def record_of(self, agent_id: str) -> Record | None:
        """The record of an agent, even one that no event has bound to its dispatch yet."""
        book = self.ledger.book
        found = book.record_of_agent(self.session, agent_id)
        if found is None and (meta := transcripts.binding_of(self.main, agent_id)):
            found = book.record_of_call(self.session, meta[0])
        return found


def judge(call: dict[str, Any], now: float) -> Outcome:
    """Take one life-cycle call into the ledger, where there is a ledger."""
    take = _TAKERS.get(text(call, "hook_event_name"))
    place = locate(text(call, "cwd"), project())
    if take is None or not exists(place.state_dir):
        return Outcome()
    try:
        with open_ledger(place.state_dir) as ledger:
            event = Event(call, ledger, now)
            after = take(event, ledger.book)
            if after is not ledger.book and not ledger.fault:
                ledger.write(_compacted(event, after), iso_of(now))
    except OSError as error:
        so = "What became of an agent is not recorded."
        return Outcome(unwritable(place.state_dir, error.strerror, so))
    return Outcome(_echo(event, after))


def _tool_returned(event: Event, book: Book) -> Book:
    call = event.call
    tool, response = text(call, "tool_name"), call.get("tool_response")
    if tool in ("Agent", "Task"):
        call_id = text(call, "tool_use_id")
        return lifecycle.tool_returned(book, event.session, call_id, response, event.now)
    if tool == "TaskStop":
        record = event.record_of(text(response, "task_id"))
        return lifecycle.agent_ended(book, record, "killed", event.now)
    return book


def _tool_failed(event: Event, book: Book) -> Book:
    call_id = text(event.call, "tool_use_id")
    return lifecycle.tool_failed(book, event.session, call_id, event.now)


def _started(event: Event, book: Book) -> Book:
    record = book.record_of_agent(event.session, event.agent_id)
    record = record or event.ledger.archived().record_of_agent(event.session, event.agent_id)
    sizes = [[path, size_of(path)] for path, _ in (record or {}).get("transcripts", [])]
    return lifecycle.agent_started(book, record, event.now, sizes)


def _stopped(event: Event, book: Book) -> Book:
    tasks = event.call.get("background_tasks")
    own = text(event.call, "agent_transcript_path")
    running = lifecycle.running_tasks(tasks) or []
    waits = [task for task in running if task != event.agent_id and _is_own(event, task, own)]
    record = event.record_of(event.agent_id)
    args = (event.session, record, event.agent_id, waits, event.now)
    book = lifecycle.agent_stopped(book, *args)
    return lifecycle.tasks_listed(book, event.session, tasks, event.agent_id, event.now)


def _is_own(event: Event, task: str, own_transcript: str) -> bool:
    """Whether a background task is the stopping agent's own; the list names no owners.

    An agent is somebody's own by its parent, as its id may be mentioned to anyone; for the rest, the
    receipt with the task's id stands in the transcript of the agent that started it.
    """
    child = event.record_of(task)
    if child is not None:
        return bool(child["parent"] == event.agent_id)
    meta = transcripts.binding_of(event.main, task)
    if meta is not None:
        return meta[1] == event.agent_id
    return transcripts.mentions(own_transcript, task)


def _prompted(event: Event, book: Book) -> Book:
    """A person's prompt begins a turn; a notice of the harness may come in the middle of one."""
    if text(event.call, "prompt").startswith(NOTIFICATION):
        return book
    return lifecycle.turn_ended(book, event.session, None, event.now)


def _turn_ended(event: Event, book: Book) -> Book:
    book = lifecycle.turn_ended(book, event.session, None, event.now)
    tasks = event.call.get("background_tasks")
    return lifecycle.tasks_listed(book, event.session, tasks, None, event.now)


def _turn_failed(event: Event, book: Book) -> Book:
    """An agent that fails, fails its turn, and fires no stop event (docs/harness-claude.md)."""
    book = lifecycle.turn_ended(book, event.session, event.agent_id or None, event.now)
    record = event.record_of(event.agent_id) if event.agent_id else None
    return lifecycle.agent_ended(book, record, "failed", event.now)


def _session_ended(event: Event, book: Book) -> Book:
    return lifecycle.session_ended(book, event.session, text(event.call, "reason"), event.now)


_TAKERS: dict[str, Take] = {
    "PostToolUse": _tool_returned,
    "PostToolUseFailure": _tool_failed,
    "PermissionDenied": _tool_failed,
    "SubagentStart": _started,
    "SubagentStop": _stopped,
    "Stop": _turn_ended,
    "StopFailure": _turn_failed,
    "UserPromptSubmit": _prompted,
    "SessionEnd": _session_ended,
}


def _compacted(event: Event, book: Book) -> Book:
    """`book` without those that need not be looked at on every dispatch, once there are many.

    Closed records move to the archive, as a revived agent needs its scope back; whatever belongs to a
    harness process that is gone is dropped from both.
    """
    if len(book.agents) <= AGENTS_MANY:
        return book
    book = _without_gone(book)
    closed = [record for record in book.agents if _is_settled(record, event.now)]
    if closed:
        archive = event.ledger.archived()
        for record in closed:
            archive = archive.holding(record)
        event.ledger.archive(_without_gone(archive), iso_of(event.now))
    return book.without(closed)


def _is_settled(record: Record, now: float) -> bool:
    """Whether a record closed long ago, or was reserved in a turn that ended long ago.

    One that closed lately stays, as it tells that its agent's last writes are no work in progress.
    """
    last = record["events"][-1][1] if record["events"] else now
    never_started = record["state"] == RESERVED and last_event(record, "turn-ended") is not None
    return (is_closed(record) or never_started) and now - last > SILENCE


def _without_gone(book: Book) -> Book:
    gone = _gone_sessions(book)
    kept = tuple(record for record in book.agents if key_of(record)[0] not in gone)
    return book.changed(agents=kept)


def _gone_sessions(book: Book) -> set[str]:
    newest = {record["session"]["id"]: record["session"] for record in book.agents}
    return {name for name, session in newest.items() if processes.status(session) == processes.GONE}


def _echo(event: Event, book: Book) -> Verdict:
    """Tells a starting agent its scope as it was understood, once it is certain which it is."""
    if text(event.call, "hook_event_name") != "SubagentStart":
        return SILENT
    record = book.record_of_agent(event.session, event.agent_id)
    if record is None:
        waiting = [other for other in book.of_session(event.session) if _may_be(other, event)]
        record = waiting[0] if len(waiting) == 1 else None
    if record is None or not record["files"] or record["access"] != "write":
        return SILENT
    entries = listed([clip_path(entry, 60) for entry in record["files"]], ENTRIES_SHOWN)
    return told("HS511", f"HS511 Declared write scope of this agent, as understood: {entries}.")


def _may_be(record: Record, event: Event) -> bool:
    return (
        record["state"] == RESERVED
        and record["agentId"] is None
        and last_event(record, "turn-ended") is None
        and type_name(record["agentType"] or GENERAL) == type_name(text(event.call, "agent_type"))
    )
