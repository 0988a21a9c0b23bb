"""The rule of a dispatch, as a pure function: what denies, what only advises, what says nothing."""

from __future__ import annotations

from typing import Any

import pytest
from tests.records import NOW, SESSION, a_record

from holdshort.core.book import COOLDOWN, Book, key_of
from holdshort.core.dispatch import Decision, Dispatch, decide
from holdshort.core.liveness import Evidence
from holdshort.core.policy import Policy
from holdshort.core.sightings import Sighting

OTHER_SESSION = {**SESSION, "id": "s2", "pid": 12, "start": 6}
RUNNING: dict[str, Any] = {"state": "running", "events": [["started", NOW - 30]], "agentId": "a1"}


def decided(
    book: Book | list[dict[str, Any]],
    *files: str,
    evidence: Evidence | None = None,
    policy: Policy | None = None,
    now: float = NOW,
    dispatch: Dispatch | None = None,
    **fields: Any,
) -> Decision:
    book = book if isinstance(book, Book) else Book(tuple(book))
    dispatch = dispatch or Dispatch(a_record("toolu_new", *files, age=0, **fields))
    found = {key_of(record): evidence or Evidence("alive") for record in book.agents}
    return decide(dispatch, book, policy or Policy(), now, found)


def calls_in(decision: Decision) -> list[str]:
    assert decision.book is not None
    return [record["toolUseId"] for record in decision.book.agents]


def test_an_overlap_with_a_running_agent_is_denied_and_not_recorded() -> None:
    decision = decided([a_record("toolu_a", "src/a.py", **RUNNING)], "src/**")

    assert (
        decision.verdict.decision,
        decision.verdict.code,
        decision.row,
    ) == ("deny", "HS101", "11")
    assert calls_in(decision) == ["toolu_a"]


def test_a_disjoint_scope_is_allowed_in_silence_and_recorded() -> None:
    decision = decided([a_record("toolu_a", "src/a.py", **RUNNING)], "lib/**")

    assert decision.verdict.is_silent
    assert calls_in(decision) == ["toolu_a", "toolu_new"]


def test_evidence_is_asked_for_only_where_scopes_meet() -> None:
    met, apart = a_record("toolu_a", "src/a.py"), a_record("toolu_b", "lib/b.py")

    decision = decide(
        Dispatch(a_record("toolu_new", "src/**")), Book((met, apart)), Policy(), NOW, {}
    )

    assert (met,) == decision.asks


@pytest.mark.parametrize("state", ["idle", "finished"])
def test_an_agent_that_has_ended_does_not_block(state: str) -> None:
    assert decided([a_record("toolu_a", state=state)], "src/a.py").verdict.is_silent


def test_an_end_found_in_the_evidence_allows_and_is_recorded() -> None:
    ended = Evidence("alive", Sighting(ended="completed"))

    decision = decided([a_record("toolu_a", **RUNNING)], "src/a.py", evidence=ended)

    assert decision.verdict.is_silent
    assert decision.row == "10a"
    assert decision.book is not None
    assert [record["state"] for record in decision.book.agents] == ["finished", "reserved"]


def test_a_reading_agent_collides_with_nobody() -> None:
    running = [a_record("toolu_a", "src/**", **RUNNING)]

    assert decided(running, "src/a.py", access="read").verdict.is_silent
    assert decided([{**running[0], "access": "read"}], "src/a.py").verdict.is_silent


def test_agents_of_two_trees_do_not_collide() -> None:
    running = [a_record("toolu_a", **RUNNING)]

    assert decided(running, "src/a.py", tree="/repo/.claude/worktrees/x").verdict.is_silent


def test_another_sessions_agent_counts_and_the_denial_names_the_session() -> None:
    decision = decided([a_record("toolu_a", session=OTHER_SESSION, **RUNNING)], "src/a.py")

    assert "another session (s2, process 12)" in decision.verdict.reason


def test_a_session_that_was_cleared_is_still_the_same_one() -> None:
    cleared = {**SESSION, "id": "s1-after-clear"}

    decision = decided([a_record("toolu_a", session=cleared, **RUNNING)], "src/a.py")

    assert decision.verdict.decision == "deny"
    assert "another session" not in decision.verdict.reason


def test_the_same_call_delivered_twice_is_recorded_once() -> None:
    first = decided([], "src/a.py")
    assert first.book is not None

    second = decided(first.book, "src/a.py")

    assert second.verdict.is_silent
    assert second.book is None


def test_a_call_id_that_comes_again_with_other_files_is_judged_again() -> None:
    first = decided([a_record("toolu_a", **RUNNING)], "lib/x.py")
    assert first.book is not None

    taken, free = decided(first.book, "src/a.py"), decided(first.book, "lib/y.py")

    assert taken.verdict.decision == "deny"
    assert calls_in(free) == ["toolu_a", "toolu_new", "toolu_new#2"]


def test_a_child_inside_its_parents_scope_is_allowed() -> None:
    parent = a_record("toolu_a", "src/**", **RUNNING)
    child = a_record("toolu_new", "src/a.py", parent="a1")

    bound = decided([parent], dispatch=Dispatch(child, (("a1", "toolu_a"),)))
    by_call = decided([{**parent, "agentId": None}], dispatch=Dispatch(child, (("a1", "toolu_a"),)))

    assert bound.verdict.is_silent
    assert by_call.verdict.is_silent


def test_a_child_on_a_strangers_file_is_denied() -> None:
    stranger = a_record("toolu_b", "src/**", **{**RUNNING, "agentId": "a2"})
    child = a_record("toolu_new", "src/a.py", parent="a1")

    decision = decided([stranger], dispatch=Dispatch(child, (("a1", "toolu_a"),)))

    assert decision.verdict.decision == "deny"


def test_an_ancestor_of_the_same_name_in_another_session_is_a_stranger() -> None:
    stranger = a_record("toolu_b", "src/**", session=OTHER_SESSION, **RUNNING)

    decision = decided([stranger], dispatch=Dispatch(a_record("toolu_new"), (("a1", "toolu_b"),)))

    assert decision.verdict.decision == "deny"


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_requested_isolation_only_advises(side: str) -> None:
    isolated: dict[str, Any] = {"isolation": {"requested": "worktree", "verified": None}}
    theirs = a_record("toolu_a", **RUNNING, **(isolated if side == "theirs" else {}))

    decision = decided([theirs], "src/a.py", **(isolated if side == "ours" else {}))

    assert (decision.verdict.decision, decision.verdict.code) == ("allow", "HS501")


def test_an_isolation_that_did_not_happen_is_none() -> None:
    broken = {"requested": "worktree", "verified": False}

    decision = decided([a_record("toolu_a", isolation=broken, **RUNNING)], "src/a.py")

    assert decision.verdict.decision == "deny"


def test_shared_files_only_advise_and_others_beside_them_deny() -> None:
    running = [a_record("toolu_a", "package-lock.json", "src/a.py", **RUNNING)]

    shared = decided(running, "package-lock.json")
    both = decided(running, "package-lock.json", "src/a.py")

    assert (shared.verdict.decision, shared.verdict.code) == ("allow", "HS503")
    assert both.verdict.decision == "deny"


def test_a_glob_that_meets_another_only_in_shared_files_is_not_denied() -> None:
    running = [a_record("toolu_a", "**/package-lock.json", **RUNNING)]

    assert decided(running, "web/**").verdict.decision == "allow"


def test_an_agent_of_which_nothing_is_known_any_more_only_warns() -> None:
    silent = a_record(
        "toolu_a", age=7200, state="running", events=[["started", NOW - 7000]], agentId="a1"
    )

    decision = decided([silent], "src/a.py")

    assert (decision.verdict.decision, decision.verdict.code) == ("allow", "HS504")


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_scope_read_from_prose_only_advises(side: str) -> None:
    theirs = a_record("toolu_a", **{**RUNNING, "source": "weak" if side == "theirs" else "prompt"})

    decision = decided([theirs], "src/a.py", source="weak" if side == "ours" else "prompt")

    assert (decision.verdict.decision, decision.verdict.code) == ("allow", "HS505")


def test_a_scope_too_large_to_compare_says_so_and_allows() -> None:
    decision = decided([a_record("toolu_a", f"src/{'?' * 300}*", **RUNNING)], "src/**")

    assert (decision.verdict.decision, decision.verdict.code) == ("allow", "HS506")


def test_warn_mode_says_what_would_have_been_denied() -> None:
    decision = decided([a_record("toolu_a", **RUNNING)], "src/a.py", policy=Policy(dispatch="warn"))

    assert decision.verdict.decision == "allow"
    assert "would have been denied" in decision.verdict.reason
    assert calls_in(decision) == ["toolu_a", "toolu_new"]


def test_a_guard_switched_off_neither_speaks_nor_records() -> None:
    decision = decided([a_record("toolu_a", **RUNNING)], "src/a.py", policy=Policy(dispatch="off"))

    assert decision.verdict.is_silent
    assert decision.book is None


def test_an_advisory_is_not_repeated_before_its_cooldown() -> None:
    isolated: dict[str, Any] = {"isolation": {"requested": "worktree", "verified": None}}
    first = decided([a_record("toolu_a", **RUNNING)], "src/a.py", **isolated)
    assert first.book is not None
    again = Dispatch(
        a_record("toolu_2", "src/a.py", id="agent toolu_new (general-purpose)", **isolated)
    )

    soon = decided(first.book.without([first.book.agents[-1]]), dispatch=again, now=NOW + 60)
    later = decided(
        first.book.without([first.book.agents[-1]]), dispatch=again, now=NOW + COOLDOWN + 1
    )

    assert first.verdict.code == "HS501"
    assert soon.verdict.is_silent
    assert later.verdict.code == "HS501"


def test_a_repeated_denial_says_how_often() -> None:
    first = decided([a_record("toolu_a", **RUNNING)], "src/a.py")
    assert first.book is not None

    second = decided(first.book, "src/a.py")

    assert "times" not in first.verdict.reason
    assert "Denied 2 times" in second.verdict.reason


class TestTheSameDispatchAgain:
    """Row 10: without any news of a life, the same id again is a retry; else it is a second agent."""

    @staticmethod
    def retry(**fields: Any) -> dict[str, Any]:
        return {"id": "agent toolu_a (general-purpose)", **fields}

    def test_replaces_its_record_when_no_life_cycle_was_ever_seen(self) -> None:
        decision = decided([a_record("toolu_a")], "src/a.py", **self.retry())

        assert decision.verdict.is_silent
        assert calls_in(decision) == ["toolu_new"]

    def test_is_a_second_agent_once_a_life_cycle_was_seen(self) -> None:
        decision = decided([a_record("toolu_a", **RUNNING)], "src/a.py", **self.retry())

        assert decision.verdict.decision == "deny"

    def test_is_a_second_agent_when_the_transcript_knows_the_first(self) -> None:
        known = Evidence("alive", Sighting(dispatched=True))

        decision = decided([a_record("toolu_a")], "src/a.py", evidence=known, **self.retry())

        assert decision.verdict.decision == "deny"

    def test_with_other_files_is_another_agent_from_the_start(self) -> None:
        decision = decided([a_record("toolu_a")], "lib/x.py", **self.retry())

        assert calls_in(decision) == ["toolu_a", "toolu_new"]

    def test_beside_its_running_twin_is_recorded_as_well_when_it_has_other_files(self) -> None:
        decision = decided([a_record("toolu_a", **RUNNING)], "lib/x.py", **self.retry())

        assert calls_in(decision) == ["toolu_a", "toolu_new"]


class TestMessages:
    """A message may add files to an agent, and wakes one that has ended."""

    def test_added_files_that_another_has_are_denied(self) -> None:
        target = a_record("toolu_t", "lib/x.py", **{**RUNNING, "agentId": "t1"})
        book = [a_record("toolu_a", **RUNNING), target]
        asked = {**target, "toolUseId": "toolu_m", "files": ["src/a.py"], "source": "message"}

        decision = decided(book, dispatch=Dispatch(asked, target=target))

        assert (decision.verdict.decision, decision.verdict.code) == ("deny", "HS102")

    def test_added_files_join_the_agents_own(self) -> None:
        target = a_record("toolu_t", "lib/x.py", **RUNNING)
        asked = {**target, "toolUseId": "toolu_m", "files": ["src/a.py"], "source": "message"}

        decision = decided([target], dispatch=Dispatch(asked, target=target))

        assert decision.book is not None
        (grown,) = decision.book.agents
        assert grown["files"] == ["lib/x.py", "src/a.py"]

    @pytest.mark.parametrize(
        "was", [{"access": "read"}, {"source": "weak"}, {"source": "undeclared", "files": []}]
    )
    def test_a_reader_or_an_undeclared_agent_that_is_given_files_holds_them(
        self, was: dict[str, Any]
    ) -> None:
        target = a_record("toolu_t", "lib/x.py", **{**RUNNING, **was})
        asked = {**target, "toolUseId": "toolu_m", "files": ["src/a.py"], "source": "message"}
        asked["access"] = "write"

        decision = decided([target], dispatch=Dispatch(asked, target=target))

        assert decision.book is not None
        again = decided(decision.book, "src/a.py")
        assert again.verdict.decision == "deny"

    def test_added_files_that_a_descendant_has_are_no_collision(self) -> None:
        target = a_record("toolu_t", "lib/x.py", **{**RUNNING, "agentId": "t1"})
        child = a_record("toolu_c", "src/a.py", **{**RUNNING, "agentId": "c1", "parent": "t1"})
        asked = {**target, "toolUseId": "toolu_m", "files": ["src/**"], "source": "message"}

        decision = decided([target, child], dispatch=Dispatch(asked, target=target))

        assert decision.verdict.is_silent

    def test_waking_an_agent_whose_files_another_has_is_advised(self) -> None:
        target = a_record("toolu_t", "src/a.py", state="idle", agentId="t1")
        book = [target, a_record("toolu_a", **RUNNING)]

        decision = decided(
            book, dispatch=Dispatch({**target, "toolUseId": "toolu_m"}, target=target, wakes=True)
        )

        assert (decision.verdict.decision, decision.verdict.code) == ("allow", "HS510")
        assert decision.book is not None
        assert decision.book.agents[0]["state"] == "idle"


class TestTheWordsOfADenial:
    """Design section 8: what a denial says, in which order, in how many bytes."""

    def test_come_in_order(self) -> None:
        reason = decided([a_record("toolu_a", **RUNNING)], "src/a.py").verdict.reason

        parts = [
            "HS101",
            "src/a.py (concrete)",
            '"agent toolu_a (general-purpose)"',
            "since ",
            "still running",
            '"agent toolu_new (general-purpose)"',
            "Give this work other files",
            "denied again",
        ]
        places = [reason.find(part) for part in parts]
        assert -1 not in places
        assert sorted(places) == places

    @pytest.mark.parametrize("char", ["x", "\u00fc", "\U0001f600", "\u202e", "\n", '"'])
    def test_fit_whatever_the_names_are_and_keep_the_advice(self, char: str) -> None:
        long = char * 240
        folder = "x" * 200 if char == "\n" else long[:200]
        others = [
            a_record(
                f"toolu_{n}",
                *(f"{folder}/{i}.py" for i in range(8)),
                **{**RUNNING, "id": long, "session": {**OTHER_SESSION, "id": long}},
            )
            for n in range(3)
        ]

        verdict = decided(others, "**", id=long).verdict

        assert len(verdict.reason.encode()) <= 768
        assert verdict.reason.rstrip(".").endswith("would overwrite that work")
        assert verdict.reason.isprintable()
        assert verdict.notice.isprintable()

    def test_hold_no_command_for_the_agent_but_a_way_out_for_the_person(self) -> None:
        verdict = decided([a_record("toolu_a", **RUNNING)], "src/a.py").verdict

        assert not any(word in verdict.reason for word in ("rm ", "holdshort ", "`", "delete"))
        assert "holdshort release toolu_a" in verdict.notice
