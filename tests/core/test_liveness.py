"""Is the other one still in flight? Each source alone, then who wins over whom (design section 6)."""

from __future__ import annotations

from typing import Any

import pytest
from holdshort.core.liveness import IN_FLIGHT_TTL, SILENCE, Evidence, standing
from holdshort.core.sightings import Sighting

from tests.records import NOW, a_record

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
        assert "finished" == state_of(a_record(**STARTED), Evidence("gone"))

    @pytest.mark.parametrize("ended", ["completed", "error", "failed", "killed", "stopped"])
    def test_the_transcript_tells_it(self, ended: str) -> None:
        evidence = Evidence("alive", Sighting(launched="a1", ended=ended))

        assert "finished" == state_of(a_record(**STARTED), evidence)

    def test_the_meta_file_says_finished_after_the_last_start(self) -> None:
        evidence = Evidence("alive", agent_id="a1", meta_ended=NOW - 10)

        assert "finished" == state_of(a_record(**STARTED), evidence)

    def test_a_meta_file_from_before_the_last_start_proves_nothing(self) -> None:
        evidence = Evidence("alive", agent_id="a1", meta_ended=NOW - 100)

        assert "running" == state_of(a_record(**STARTED), evidence)

    @pytest.mark.parametrize(("ended", "state"), [("completed", "running"), ("killed", "finished")])
    def test_completed_is_no_end_while_its_own_background_work_goes_on(
        self, ended: str, state: str
    ) -> None:
        waiting = a_record(**{**STARTED, "waits": ["shell1"]})

        assert state == state_of(waiting, Evidence("alive", Sighting(ended=ended)))


class TestSignsOfLife:
    def test_it_was_seen_to_start(self) -> None:
        assert "running" == state_of(a_record(**STARTED))

    def test_the_transcript_shows_its_launch(self) -> None:
        assert "running" == state_of(a_record(), Evidence("alive", Sighting(launched="")))

    def test_the_client_bound_an_agent_to_it(self) -> None:
        assert "running" == state_of(a_record(), Evidence("alive", agent_id="a1"))

    def test_its_turn_ending_does_not_end_it(self) -> None:
        moved_to_background = a_record(events=[["turn-ended", NOW - 5]])

        assert "running" == state_of(moved_to_background, Evidence("alive", agent_id="a1"))

    def test_long_silence_makes_it_unknown(self) -> None:
        old = a_record(age=9000, **{**STARTED, "events": [["started", NOW - SILENCE]]})

        assert "unknown" == state_of(old)

    def test_a_growing_transcript_is_no_silence(self) -> None:
        old = a_record(age=9000, **{**STARTED, "events": [["started", NOW - SILENCE]]})

        assert "running" == state_of(old, Evidence("alive", grew_at=NOW - 5))

    def test_the_last_list_of_background_tasks_speaks_for_it(self) -> None:
        old = a_record(
            age=9000, **{**STARTED, "events": [["started", NOW - SILENCE]], "listed": True}
        )

        assert "running" == state_of(old)

    def test_what_we_found_out_ourselves_is_no_sign_of_life(self) -> None:
        old = a_record(age=9000, state="running", events=[["found-running", NOW - 1]])

        assert "unknown" == state_of(old)


class TestReservations:
    def test_a_reservation_holds_while_its_turn_goes_on(self) -> None:
        assert "reserved" == state_of(a_record())

    def test_it_dies_with_its_turn(self) -> None:
        assert "finished" == state_of(a_record(events=[["turn-ended", NOW - 5]]))

    def test_it_is_unknown_when_nothing_came_of_it_for_long(self) -> None:
        assert "unknown" == state_of(a_record(age=SILENCE))

    def test_a_call_that_the_transcript_knows_is_one_without_life_cycle_events(self) -> None:
        evidence = Evidence("alive", Sighting(dispatched=True))

        assert "reserved" == state_of(a_record(), evidence, lifecycle_seen=False)


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

        assert "finished" == state_of(record, Evidence(), wave="w2|Impl", lifecycle_seen=False)
        assert "reserved" == state_of(record, Evidence(), wave="w1|Impl", lifecycle_seen=False)

    def test_a_wave_alone_never_ends_an_agent_that_runs(self) -> None:
        assert "running" == state_of(a_record(wave="w1|Impl", **STARTED), wave="w2|Impl")

    def test_a_record_without_a_readable_time_holds(self) -> None:
        assert "reserved" == state_of({**a_record(), "at": "?"}, Evidence(), lifecycle_seen=False)
