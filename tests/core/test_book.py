"""The ledger as a value: what it finds, keeps, forgets and takes for a record."""

from __future__ import annotations

from typing import Any

import pytest
from tests.records import NOW, SESSION, a_record

from holdshort.core.book import (
    COOLDOWN,
    EVENTS_KEPT,
    NOTES_KEPT,
    SCHEMA,
    SILENCE,
    STATES,
    Book,
    book_of,
    has_lifecycle,
    holds_files,
    is_closed,
    is_declared,
    is_in_lineage,
    is_isolated,
    is_known,
    is_number,
    is_revived,
    is_same,
    last_event,
    moved,
)

STRANGER = {**SESSION, "id": "s2", "pid": 12, "start": 6}
TWIN = {**STRANGER, "id": SESSION["id"]}  # the same session, resumed in a second process
CLEARED = {**SESSION, "id": "s1-after-clear"}
BARE = {"id": "s1"}


def test_news_and_advisories_age_as_documented() -> None:
    assert (SILENCE, COOLDOWN) == (1800, 900)


class TestFinding:
    def test_a_call_and_an_agent_are_known_only_in_their_own_session(self) -> None:
        theirs, ours = (
            a_record("toolu_a", agentId="a1", session=session) for session in (STRANGER, SESSION)
        )
        book = Book((theirs, ours))

        assert book.record_of_call(SESSION, "toolu_a") is ours
        assert book.record_of_call(SESSION, "toolu_b") is None
        assert book.record_of_agent(CLEARED, "a1") is ours
        assert book.record_of_agent(SESSION, "a2") is None
        assert Book((theirs,)).record_of_call(SESSION, "toolu_a") is None
        assert Book((theirs,)).record_of_agent(SESSION, "a1") is None

    def test_the_newest_record_of_an_agent_speaks_for_it(self) -> None:
        first, second = a_record("toolu_a", agentId="a1"), a_record("toolu_b", agentId="a1")

        assert Book((first, second)).record_of_agent(SESSION, "a1") is second

    @pytest.mark.parametrize("nobody", [None, ""])
    def test_no_agent_has_no_record(self, nobody: str | None) -> None:
        unbound = [a_record("toolu_a"), a_record("toolu_b", agentId="")]

        assert Book(tuple(unbound)).record_of_agent(SESSION, nobody) is None

    def test_of_a_session_open_twice_each_process_speaks_for_its_own(self) -> None:
        ours, twins, early, theirs = (
            a_record(f"toolu_{n}", session=session)
            for n, session in enumerate((SESSION, TWIN, BARE, STRANGER))
        )
        book = Book((ours, twins, early, theirs))

        assert book.of_session(SESSION) == [ours, twins, early]
        assert book.of_process(SESSION) == [ours, early]
        assert book.of_process(BARE) == [ours, twins, early]

    @pytest.mark.parametrize("differs", ["pid", "boot", "pidns", "host"])
    def test_a_process_is_told_apart_by_all_that_was_read_of_it(self, differs: str) -> None:
        other = {**SESSION, differs: "another"}

        assert Book((a_record(session=other),)).of_process(SESSION) == []
        assert not is_same({**other, "id": "s3"}, SESSION)
        assert is_same(CLEARED, SESSION)

    def test_a_process_of_which_no_start_was_read_is_nobody_in_particular(self) -> None:
        vague = {name: value for name, value in SESSION.items() if name != "start"}

        assert not is_same({**vague, "id": "s3"}, vague)
        assert is_same(vague, {**vague, "pid": 99})
        assert Book((a_record(session={**vague, "pid": 99}),)).of_process(vague)


class TestChanging:
    RECORDS = (a_record("toolu_a"), a_record("toolu_b"), a_record("toolu_c"))

    def test_a_held_record_comes_last_and_an_updated_one_stays_in_its_place(self) -> None:
        a, b, c = self.RECORDS
        fresh = {**b, "state": "running"}
        stranger = {**b, "session": STRANGER}
        book = Book(self.RECORDS, {"k": 1.0}, {"d": 1}, "w")

        assert book.holding(fresh).agents == (a, c, fresh)
        assert book.holding(stranger).agents == (a, b, c, stranger)
        assert book.updated([fresh, stranger]).agents == (a, fresh, c)
        assert book.without([b, stranger]).agents == (a, c)
        assert book.agents == self.RECORDS
        for changed in (book.holding(fresh), book.updated([fresh]), book.without([b])):
            assert (changed.said, changed.denied, changed.wave_key) == ({"k": 1.0}, {"d": 1}, "w")

    def test_an_advisory_was_said_until_its_cooldown_is_over(self) -> None:
        book = Book().having_said("k", NOW)

        assert book.was_said("k", NOW)
        assert book.was_said("k", NOW + COOLDOWN - 1)
        assert not book.was_said("k", NOW + COOLDOWN)
        assert not book.was_said("other", NOW)

    def test_a_denial_is_counted_and_the_oldest_notes_are_forgotten(self) -> None:
        book = Book()
        for number in range(64 + 6):
            book = book.having_said(str(number), NOW).having_denied(str(number)).having_denied("0")

        assert NOTES_KEPT == len(book.said) == len(book.denied) == 64
        assert next(iter(book.said)) == "6"
        assert book.denied["0"] == 71
        assert book.denied["69"] == 1


class TestWriting:
    def test_the_ledger_file_holds_all_of_it(self) -> None:
        book = Book((a_record(),), {"k": NOW}, {"d": 2}, "s1|w1|code")

        written = book.as_json("2027-01-15T08:00:00Z")

        assert written == {
            "schema": 1,
            "waveKey": "s1|w1|code",
            "updated": "2027-01-15T08:00:00Z",
            "said": {"k": NOW},
            "denied": {"d": 2},
            "agents": [a_record()],
        }
        found = book_of(written)
        assert found is not None
        again, odd = found
        assert (again.as_json("2027-01-15T08:00:00Z"), odd) == (written, 0)

    @pytest.mark.parametrize(
        ("ledger", "known"),
        [
            *((each, True) for each in ({}, {"schema": 0}, {"schema": SCHEMA}, {"schema": "2"})),
            ({"schema": SCHEMA + 1}, False),
        ],
    )
    def test_only_a_newer_schema_is_left_alone(self, ledger: dict[str, Any], known: bool) -> None:
        assert is_known(ledger) is known


class TestReading:
    @pytest.mark.parametrize("value", [None, [], "x", {}, {"agents": None}, {"agents": {}}])
    def test_what_has_no_list_of_agents_is_no_ledger(self, value: Any) -> None:
        assert book_of(value) is None

    def test_a_record_of_the_originals_shape_is_taken_in(self) -> None:
        old = {"id": "x (code)", "desc": "x", "files": ["a.py"], "at": "2027-01-15T08:00:00Z"}

        found = book_of({"waveKey": "s9|w2|code", "agents": [old]})

        assert found is not None
        (record,) = found[0].agents
        assert found[0].wave_key == "s9|w2|code"
        assert record == {
            **a_record(),
            **old,
            "session": {"id": "s9"},
            "harness": "",
            "toolUseId": "id:x (code)",
            "agentType": "",
            "tree": "",
        }

    def test_what_makes_no_sense_is_left_out_and_counted(self) -> None:
        notes = {"good": 3.0, "text": "x", "true": True, "large": 1e15, "nan": float("nan")}
        value = {"waveKey": 3, "agents": [a_record(), 3, {}], "said": notes, "denied": notes}

        found = book_of(value)
        assert found is not None
        book, odd = found
        assert (book.agents, odd, book.wave_key) == ((a_record(),), 2, "")
        assert book.said == {"good": 3.0}
        assert book.denied == {"good": 3}
        assert type(book.denied["good"]) is int

    def test_notes_that_are_no_table_are_none(self) -> None:
        found = book_of({"agents": [], "said": [], "denied": "x"})

        assert found is not None
        assert (found[0].said, found[0].denied) == ({}, {})

    @pytest.mark.parametrize(
        "damage",
        [
            *({name: 3} for name in a_record()),
            *({name: None} for name in ("id", "at", "toolUseId", "tree", "access", "state")),
            {"state": "asleep"},
            {"session": {}},
            {"session": {"id": 3}},
            {"files": [3]},
            {"files": ["a", None]},
            {"waits": [3]},
            {"listed": 0},
            *({"events": [pair]} for pair in ("ab", ["a"], ["a", 1, 2], [3, 1], ["a", "b"])),
            {"events": [["a", True]]},
            {"events": [["a", float("inf")]]},
            {"transcripts": [["a", 1], ["b"]]},
        ],
    )
    def test_a_record_with_one_senseless_field_is_none(self, damage: dict[str, Any]) -> None:
        found = book_of({"agents": [{**a_record(), **damage}]})

        assert found is not None
        assert (found[0].agents, found[1]) == ((), 1)

    @pytest.mark.parametrize("state", STATES)
    def test_a_record_with_all_its_fields_is_taken_as_it_is(self, state: str) -> None:
        record = a_record(
            state=state,
            name="x",
            agentId="a1",
            parent="p1",
            isolation={},
            events=[["a", 1], ["b", 2.5]],
            transcripts=[["/t", 0]],
        )

        found = book_of({"agents": [record]})

        assert found is not None
        assert found[0].agents[0] is record

    def test_a_number_is_finite_and_no_truth_value(self) -> None:
        assert all(map(is_number, (0, -3, 2.5, 999_999_999_999_999)))
        assert not any(map(is_number, (True, "1", None, 1e15, -1e15, float("nan"))))


class TestRecords:
    def test_a_move_leaves_its_event_and_the_newest_events_are_kept(self) -> None:
        record = a_record()
        for number in range(20):
            record = moved(record, "running", f"e{number}", number + 0.12345, agentId="a1")

        assert (record["state"], record["agentId"]) == ("running", "a1")
        assert EVENTS_KEPT == len(record["events"]) == 16
        assert record["events"][-1] == ["e19", 19.123]
        assert record["events"][0][0] == "e4"

    def test_only_an_idle_or_finished_agent_is_closed(self) -> None:
        closed = {state for state in STATES if is_closed(a_record(state=state))}

        assert closed == {"idle", "finished"}

    def test_what_we_found_out_ourselves_is_no_news_unless_asked_for(self) -> None:
        found = a_record(events=[["started", 1.0], ["revived", 2.0], ["found-ended", 3.0]])

        assert last_event(found) == 2.0
        assert last_event(found, "started", "found-ended") == 3.0
        assert last_event(found, "started") == 1.0
        assert last_event(found, "stopped") is None
        assert is_revived(found)
        assert not is_revived(a_record(events=[["started", 1.0]]))

    def test_a_life_is_known_of_a_session_once_the_harness_told_of_one(self) -> None:
        told, guessed = [["started", 1.0]], [["found-ended", 1.0]]

        assert has_lifecycle(Book((a_record(), a_record("toolu_b", events=told))), SESSION)
        assert not has_lifecycle(Book((a_record(events=guessed),)), SESSION)
        assert not has_lifecycle(Book((a_record(events=told, session=STRANGER),)), SESSION)

    @pytest.mark.parametrize(
        ("fields", "holds", "declared"),
        [
            ({}, True, True),
            ({"source": "weak"}, True, False),
            ({"access": "read"}, False, False),
            ({"files": []}, False, False),
        ],
    )
    def test_others_are_kept_off_by_declared_files_that_are_written(
        self, fields: dict[str, Any], holds: bool, declared: bool
    ) -> None:
        record = a_record(**fields)

        assert (holds_files(record), is_declared(record)) == (holds, declared)

    def test_a_lineage_names_agents_of_its_own_session(self) -> None:
        bound, unbound = a_record("toolu_a", agentId="a1"), a_record("toolu_b")

        assert is_in_lineage(bound, SESSION, (("a1", ""),))
        assert is_in_lineage(unbound, SESSION, (("a9", "toolu_x"), ("a1", "toolu_b")))
        assert not is_in_lineage(bound, STRANGER, (("a1", "toolu_a"),))
        assert not is_in_lineage(bound, SESSION, (("a2", "toolu_b"),))
        assert not is_in_lineage({**bound, "agentId": "", "toolUseId": ""}, SESSION, (("", ""),))
        assert not is_in_lineage(bound, SESSION, ())

    @pytest.mark.parametrize(
        ("isolation", "isolated"),
        [(None, False), ({}, True), ({"verified": None}, True), ({"verified": False}, False)],
    )
    def test_an_isolation_counts_until_it_is_known_not_to_be(
        self, isolation: dict[str, Any] | None, isolated: bool
    ) -> None:
        assert is_isolated(a_record(isolation=isolation)) is isolated
