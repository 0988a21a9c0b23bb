"""What each life-cycle event does to the ledger. The sequences are those of the real client."""

from __future__ import annotations

from typing import Any

import pytest
from tests.records import NOW, SESSION, a_record

from holdshort.core import lifecycle
from holdshort.core.book import Book, is_revived

LAUNCHED = {"status": "async_launched", "agentId": "a1"}
COMPLETED = {"status": "completed", "agentId": "a1"}
RUNNING: dict[str, Any] = {
    "state": "running",
    "events": [["started", NOW - 50]],
    "agentId": "a1",
    "listed": True,
}


def task(name: str, status: str = "running") -> dict[str, str]:
    return {"id": name, "type": "subagent", "status": status}


def only(book: Book) -> dict[str, Any]:
    (record,) = book.agents
    return record


def test_a_launch_receipt_binds_the_agent_and_starts_it() -> None:
    book = lifecycle.tool_returned(Book((a_record(),)), SESSION, "toolu_a", LAUNCHED, NOW)

    assert (only(book)["state"], only(book)["agentId"]) == ("running", "a1")


def test_a_completed_call_ends_it() -> None:
    book = lifecycle.tool_returned(Book((a_record(),)), SESSION, "toolu_a", COMPLETED, NOW)

    assert (only(book)["state"], only(book)["agentId"]) == ("finished", "a1")


def test_a_receipt_that_crosses_the_stop_does_not_start_it_again() -> None:
    ended = Book((a_record(state="idle"),))

    book = lifecycle.tool_returned(ended, SESSION, "toolu_a", LAUNCHED, NOW)

    assert (only(book)["state"], only(book)["agentId"]) == ("idle", "a1")


def test_a_receipt_outweighs_an_end_that_we_only_guessed() -> None:
    guessed = Book((a_record(state="finished", events=[["found-ended", NOW - 1]]),))

    book = lifecycle.tool_returned(guessed, SESSION, "toolu_a", LAUNCHED, NOW)

    assert only(book)["state"] == "running"


def test_a_status_never_heard_of_is_no_end() -> None:
    response = {"status": "teammate_spawned", "agentId": "a1"}

    book = lifecycle.tool_returned(Book((a_record(),)), SESSION, "toolu_a", response, NOW)

    assert only(book)["state"] == "running"


def test_another_process_of_the_same_session_ends_nobody_elses_agents() -> None:
    book = Book((a_record(**RUNNING), a_record("toolu_b")))
    twin = {**SESSION, "pid": 99, "start": 6}

    assert book is lifecycle.session_ended(book, twin, "other", NOW)
    assert book is lifecycle.turn_ended(book, twin, None, NOW)
    assert book is lifecycle.tasks_listed(book, twin, [], None, NOW)


@pytest.mark.parametrize("response", [None, "text", ["x"], 3])
def test_an_answer_of_no_known_shape_changes_nothing(response: Any) -> None:
    book = Book((a_record(),))

    assert book is lifecycle.tool_returned(book, SESSION, "toolu_a", response, NOW)


def test_a_failed_call_ends_it() -> None:
    book = lifecycle.tool_failed(Book((a_record(),)), SESSION, "toolu_a", NOW)

    assert only(book)["state"] == "finished"


def test_events_of_unknown_agents_change_nothing() -> None:
    book = Book((a_record(),))

    assert book is lifecycle.tool_failed(book, SESSION, "toolu_other", NOW)
    assert book is lifecycle.agent_started(book, None, NOW, [])
    assert book is lifecycle.agent_stopped(book, SESSION, None, "a9", [], NOW)
    assert book is lifecycle.agent_ended(book, None, "killed", NOW)


def test_a_stop_makes_it_idle() -> None:
    record = a_record(**RUNNING)

    book = lifecycle.agent_stopped(Book((record,)), SESSION, record, "a1", [], NOW)

    assert only(book)["state"] == "idle"


def test_a_stop_with_background_work_of_its_own_leaves_it_running_until_that_is_gone() -> None:
    record = a_record(**RUNNING)

    waiting = lifecycle.agent_stopped(Book((record,)), SESSION, record, "a1", ["shell1"], NOW)
    still = lifecycle.tasks_listed(waiting, SESSION, [task("shell1")], None, NOW)
    gone = lifecycle.tasks_listed(waiting, SESSION, [task("shell1", "completed")], None, NOW)

    assert only(waiting)["state"] == "running"
    assert only(still)["state"] == "running"
    assert only(gone)["state"] == "idle"


def test_an_agent_woken_by_its_own_background_work_runs_and_may_stop_again() -> None:
    record = a_record(**{**RUNNING, "waits": ["shell1"]})

    woken = lifecycle.agent_started(Book((record,)), record, NOW, [["t", 9]])
    stopped = lifecycle.agent_stopped(woken, SESSION, only(woken), "a1", [], NOW)

    assert (only(woken)["state"], only(woken)["waits"]) == ("running", [])
    assert only(stopped)["state"] == "idle"


def test_a_revived_agent_holds_again_and_only_what_follows_counts() -> None:
    record = a_record(**{**RUNNING, "state": "idle"})

    book = lifecycle.agent_started(Book((record,)), record, NOW, [["t", 900]])

    assert only(book)["state"] == "running"
    assert only(book)["transcripts"] == [["t", 900]]
    assert only(book)["listed"] is False
    assert is_revived(only(book))


def test_an_agent_revived_from_the_archive_is_in_the_ledger_again() -> None:
    book = lifecycle.agent_started(Book(), a_record(state="finished", agentId="a1"), NOW, [])

    assert only(book)["state"] == "running"


@pytest.mark.parametrize("event", ["killed", "failed"])
def test_a_killed_or_failed_agent_ends_also_while_it_waits(event: str) -> None:
    record = a_record(**{**RUNNING, "waits": ["shell1"]})

    book = lifecycle.agent_ended(Book((record,)), record, event, NOW)

    assert (only(book)["state"], only(book)["waits"]) == ("finished", [])


def test_a_turn_that_ends_marks_only_reservations_of_its_own_thread() -> None:
    mine, childs = a_record("toolu_a"), a_record("toolu_b", parent="a1")
    running = a_record("toolu_c", **RUNNING)

    book = lifecycle.turn_ended(Book((mine, childs, running)), SESSION, None, NOW)

    assert [[kind for kind, _ in record["events"]] for record in book.agents] == [
        ["turn-ended"],
        [],
        ["started"],
    ]


def test_a_turn_that_ends_twice_is_noted_once() -> None:
    once = lifecycle.turn_ended(Book((a_record(),)), SESSION, None, NOW)

    assert once is lifecycle.turn_ended(once, SESSION, None, NOW + 5)


class TestLists:
    """`background_tasks` proves an end only of an agent that an earlier list named."""

    def test_absence_ends_one_that_was_listed(self) -> None:
        book = lifecycle.tasks_listed(Book((a_record(**RUNNING),)), SESSION, [], None, NOW)

        assert only(book)["state"] == "finished"

    def test_absence_proves_nothing_of_one_that_never_was(self) -> None:
        foreground = Book((a_record(**{**RUNNING, "listed": False}),))

        assert foreground is lifecycle.tasks_listed(foreground, SESSION, [], None, NOW)

    def test_presence_is_remembered(self) -> None:
        book = Book((a_record(**{**RUNNING, "listed": False}),))

        assert only(lifecycle.tasks_listed(book, SESSION, [task("a1")], None, NOW))["listed"]

    def test_the_list_of_its_own_stop_says_nothing_of_the_stopping_one(self) -> None:
        book = Book((a_record(**RUNNING),))

        assert book is lifecycle.tasks_listed(book, SESSION, [], "a1", NOW)

    def test_a_parent_waits_for_its_background_child_until_that_stops(self) -> None:
        parent = a_record(**{**RUNNING, "waits": ["child1"]})

        book = lifecycle.tasks_listed(Book((parent,)), SESSION, [task("child1")], "child1", NOW)

        assert only(book)["state"] == "idle"

    @pytest.mark.parametrize("tasks", [None, "x", {}, 3])
    def test_what_is_no_list_says_nothing(self, tasks: Any) -> None:
        book = Book((a_record(**RUNNING),))

        assert book is lifecycle.tasks_listed(book, SESSION, tasks, None, NOW)

    def test_another_sessions_list_says_nothing(self) -> None:
        book = Book((a_record(**RUNNING),))

        other = {**SESSION, "id": "s2", "pid": 99}
        assert book is lifecycle.tasks_listed(book, other, [], None, NOW)


@pytest.mark.parametrize(
    ("reason", "state"),
    [("other", "finished"), ("logout", "finished"), ("clear", "running"), ("resume", "running")],
)
def test_the_end_of_a_session_ends_its_agents_unless_its_process_goes_on(
    reason: str, state: str
) -> None:
    book = lifecycle.session_ended(Book((a_record(**RUNNING),)), SESSION, reason, NOW)

    assert state == only(book)["state"]
