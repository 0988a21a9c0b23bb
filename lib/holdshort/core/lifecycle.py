"""What the harness tells of an agent's life, as moves of the ledger.

Every function takes the book and gives the changed one, or the same object when nothing changed, so
that a hook writes only when there is something new. Which payload says what: docs/harness-claude.md.
"""

from __future__ import annotations

from holdshort.core.book import (
    FINISHED,
    IDLE,
    RESERVED,
    RUNNING,
    Book,
    is_closed,
    last_event,
    moved,
)
from holdshort.core.sightings import ENDED_STATUSES, is_final

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from holdshort.core.book import Record, Session

# A session that ends for these reasons leaves its process, and so its agents, running.
LASTING_ENDS = ("clear", "resume")


def tool_returned(
    book: Book, session: Session, tool_use_id: str, response: Any, now: float
) -> Book:
    """The dispatch tool came back: a launch receipt binds the agent, anything else ends it."""
    record = book.record_of_call(session, tool_use_id)
    if record is None or not isinstance(response, dict):
        return book
    agent_id = response.get("agentId")
    agent_id = agent_id if isinstance(agent_id, str) else record["agentId"]
    if response.get("status") in ENDED_STATUSES or "status" not in response:
        ended = moved(record, FINISHED, "completed", now, agentId=agent_id, waits=[])
        return book.updated([ended])
    if is_closed(record) and not _is_guess(record):  # hooks of one agent may cross
        return book.updated([{**record, "agentId": agent_id}])
    return book.updated([moved(record, RUNNING, "started", now, agentId=agent_id)])


def tool_failed(book: Book, session: Session, tool_use_id: str, now: float) -> Book:
    """The dispatch tool failed or was refused: no agent of this call runs."""
    record = book.record_of_call(session, tool_use_id)
    if record is None or is_closed(record):
        return book
    return book.updated([moved(record, FINISHED, "failed", now)])


def agent_started(
    book: Book, record: Record | None, now: float, transcripts: list[list[Any]]
) -> Book:
    """A known agent started again: it holds its files again, and only what follows counts."""
    if record is None or (record["state"] == RUNNING and not record["waits"]):
        return book
    if record["state"] == RESERVED:
        return book.updated([moved(record, RUNNING, "started", now)])
    fresh = {"listed": False, "waits": [], "transcripts": transcripts}
    return book.holding(moved(record, RUNNING, "revived", now, **fresh))


def agent_stopped(
    book: Book, session: Session, record: Record | None, agent_id: str, waits: list[str], now: float
) -> Book:
    """An agent stopped; with background tasks of its own in `waits` it still counts as running."""
    book = turn_ended(book, session, agent_id, now)
    if record is None:
        return book
    state, event = (RUNNING, "waiting") if waits else (IDLE, "stopped")
    fresh = {"agentId": agent_id, "waits": waits, "listed": False}
    return book.updated([moved(record, state, event, now, **fresh)])


def agent_ended(book: Book, record: Record | None, event: str, now: float) -> Book:
    """An agent was killed or failed (`event`); no stop event of its own follows."""
    if record is None or is_closed(record):
        return book
    return book.updated([moved(record, FINISHED, event, now, waits=[])])


def turn_ended(book: Book, session: Session, parent: str | None, now: float) -> Book:
    """A thread's turn is over: what it dispatched and was never seen to start will not start."""
    waiting = [
        moved(record, RESERVED, "turn-ended", now)
        for record in book.of_process(session)
        if record["state"] == RESERVED
        and record["parent"] == parent
        and last_event(record, "turn-ended") is None
    ]
    return book.updated(waiting) if waiting else book


def tasks_listed(
    book: Book, session: Session, tasks: Any, stopping: str | None, now: float
) -> Book:
    """The harness listed the session's background tasks.

    An agent that was in an earlier list and is not in this one has ended; one that never was listed
    may be of a kind that the list leaves out. `stopping` is the agent whose own stop carries the list.
    """
    running = running_tasks(tasks)
    if running is None:
        return book
    alive = [task for task in running if task != stopping]
    changed = []
    for record in book.of_process(session):
        if record["state"] == RUNNING and record["agentId"] not in (None, stopping):
            after = _after_list(record, alive, now)
            changed += [after] if after is not record else []
    return book.updated(changed) if changed else book


def session_ended(book: Book, session: Session, reason: str, now: float) -> Book:
    """The session is over, and with its process every agent of it."""
    if reason in LASTING_ENDS:
        return book
    open_ones = [record for record in book.of_process(session) if not is_closed(record)]
    ended = [moved(record, FINISHED, "session-ended", now) for record in open_ones]
    return book.updated(ended) if ended else book


def running_tasks(tasks: Any) -> list[str] | None:
    """Ids of the tasks in a `background_tasks` list that still run; None when it is no list."""
    if not isinstance(tasks, list):
        return None
    return [
        task["id"]
        for task in tasks
        if isinstance(task, dict)
        and isinstance(task.get("id"), str)
        and not is_final(str(task.get("status", "")))
    ]


def _is_guess(record: Record) -> bool:
    """Whether nobody told that the agent ended; we found it so when an overlap asked."""
    return bool(record["events"]) and record["events"][-1][0] == "found-ended"


def _after_list(record: Record, alive: list[str], now: float) -> Record:
    if record["waits"] and not any(task in alive for task in record["waits"]):
        return moved(record, IDLE, "stopped", now, waits=[])
    if record["agentId"] in alive:
        return record if record["listed"] else {**record, "listed": True}
    if record["listed"] and not record["waits"]:
        return moved(record, FINISHED, "unlisted", now, listed=False)
    return record
