"""Is the other one still in flight? Each source alone, then who wins over whom."""

from __future__ import annotations

from typing import Any

import pytest
from tests.records import NOW, a_record

from holdshort.core.book import SILENCE
from holdshort.core.liveness import IN_FLIGHT_TTL, Evidence, standing
from holdshort.core.sightings import Sighting

STARTED: dict[str, Any] = {
    "state": "running",
    "events": [["started", NOW - 50]],
    "agentId": "a1",
}


def state_of(record: dict[str, Any], evidence: Evidence | None = None, **fields: Any) -> str:
    seen = fields.pop("lifecycle_seen", True)
    wave = fields.pop("wave", "")
    now = fields.pop("now", NOW)
    return standing(record, evidence or Evidence("alive"), now, wave, lifecycle_seen=seen).state


class TestProofOfAnEnd:
    @pytest.mark.parametrize("state", ["idle", "finished"])
    def test_the_ledger_knows_it(self, state: str) -> None:
        assert state == state_of(a_record(state=state))

    def test_the_harness_process_is_gone(self) -> None:
        assert state_of(a_record(**STARTED), Evidence("gone")) == "finished"

    @pytest.mark.parametrize("ended", ["completed", "error", "failed", "killed", "stopped"])
    def test_the_transcript_tells_it(self, ended: str) -> None:
        evidence = Evidence("alive", Sighting(launched="a1", ended=ended))

        assert state_of(a_record(**STARTED), evidence) == "finished"

    def test_the_meta_file_says_finished_after_the_last_start(self) -> None:
        evidence = Evidence("alive", agent_id="a1", meta_ended=NOW - 10)

        assert state_of(a_record(**STARTED), evidence) == "finished"

    def test_a_meta_file_from_before_the_last_start_proves_nothing(self) -> None:
        evidence = Evidence("alive", agent_id="a1", meta_ended=NOW - 100)

        assert state_of(a_record(**STARTED), evidence) == "running"

    @pytest.mark.parametrize(("ended", "state"), [("completed", "running"), ("killed", "finished")])
    def test_completed_is_no_end_while_its_own_background_work_goes_on(
        self, ended: str, state: str
    ) -> None:
        waiting = a_record(**{**STARTED, "waits": ["shell1"]})

        assert state == state_of(waiting, Evidence("alive", Sighting(ended=ended)))


class TestSignsOfLife:
    def test_it_was_seen_to_start(self) -> None:
        assert state_of(a_record(**STARTED)) == "running"

    def test_the_transcript_shows_its_launch(self) -> None:
        assert state_of(a_record(), Evidence("alive", Sighting(launched=""))) == "running"

    def test_the_client_bound_an_agent_to_it(self) -> None:
        assert state_of(a_record(), Evidence("alive", agent_id="a1")) == "running"

    def test_its_turn_ending_does_not_end_it(self) -> None:
        moved_to_background = a_record(events=[["turn-ended", NOW - 5]])

        assert state_of(moved_to_background, Evidence("alive", agent_id="a1")) == "running"

    def test_long_silence_makes_it_unknown(self) -> None:
        old = a_record(age=9000, **{**STARTED, "events": [["started", NOW - SILENCE]]})

        assert state_of(old) == "unknown"

    def test_a_growing_transcript_is_no_silence(self) -> None:
        old = a_record(age=9000, **{**STARTED, "events": [["started", NOW - SILENCE]]})

        assert state_of(old, Evidence("alive", grew_at=NOW - 5)) == "running"

    def test_the_last_list_of_background_tasks_speaks_for_it(self) -> None:
        old = a_record(
            age=9000, **{**STARTED, "events": [["started", NOW - SILENCE]], "listed": True}
        )

        assert state_of(old) == "running"

    def test_a_list_speaks_only_while_its_process_is_known_to_run(self) -> None:
        started = {**STARTED, "events": [["started", NOW - SILENCE]], "listed": True}

        assert state_of(a_record(age=9000, **started), Evidence("unknown")) == "unknown"

    def test_what_we_found_out_ourselves_is_no_sign_of_life(self) -> None:
        old = a_record(age=9000, state="running", events=[["found-running", NOW - 1]])

        assert state_of(old) == "unknown"


class TestReservations:
    def test_a_reservation_holds_while_its_turn_goes_on(self) -> None:
        assert state_of(a_record()) == "reserved"

    def test_it_dies_with_its_turn(self) -> None:
        assert state_of(a_record(events=[["turn-ended", NOW - 5]])) == "finished"

    def test_a_prompt_in_mid_turn_does_not_end_a_call_that_stands_open(self) -> None:
        open_call = Evidence("alive", Sighting(dispatched=True))

        assert state_of(a_record(events=[["turn-ended", NOW - 5]]), open_call) == "reserved"

    def test_it_is_unknown_when_nothing_came_of_it_for_long(self) -> None:
        assert state_of(a_record(age=SILENCE)) == "unknown"

    def test_a_call_that_the_transcript_knows_is_one_without_life_cycle_events(self) -> None:
        evidence = Evidence("alive", Sighting(dispatched=True))

        assert state_of(a_record(), evidence, lifecycle_seen=False) == "reserved"


class TestByTheClock:
    """Only where nothing else is known."""

    @pytest.mark.parametrize(
        ("age", "state"),
        [
            (0, "reserved"),
            (IN_FLIGHT_TTL - 1, "reserved"),
            (IN_FLIGHT_TTL, "finished"),
            (7200, "finished"),
            (-60, "reserved"),
            (-IN_FLIGHT_TTL, "unknown"),
        ],
    )
    def test_age_decides_also_when_the_clock_went_back(self, age: float, state: str) -> None:
        assert state == state_of(a_record(age=age), Evidence(), lifecycle_seen=False)

    def test_a_later_wave_of_the_session_ends_it(self) -> None:
        record = a_record(wave="w1|Impl")

        assert state_of(record, Evidence(), wave="w2|Impl", lifecycle_seen=False) == "finished"
        assert state_of(record, Evidence(), wave="w1|Impl", lifecycle_seen=False) == "reserved"

    def test_a_wave_alone_never_ends_an_agent_that_runs(self) -> None:
        assert state_of(a_record(wave="w1|Impl", **STARTED), wave="w2|Impl") == "running"

    def test_a_record_without_a_readable_time_holds(self) -> None:
        assert state_of({**a_record(), "at": "?"}, Evidence(), lifecycle_seen=False) == "reserved"
