"""What a dispatch is told of the agents it meets: in which words, how often, and of how many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.records import NOW, SESSION, a_record

from holdshort.core.advice import advised, denial, denial_key
from holdshort.core.book import RUNNING, Book
from holdshort.core.liveness import UNKNOWN, Standing
from holdshort.core.meeting import Collision, meeting

if TYPE_CHECKING:
    from holdshort.core.verdict import Verdict

STRANGER = {**SESSION, "id": "s2", "pid": 12, "start": 6}
ISOLATED: dict[str, Any] = {"isolation": {"requested": "worktree", "verified": None}}
ASKING = a_record("toolu_new", "src/**", id="asking")


def met(*holders: dict[str, Any], state: str = RUNNING) -> list[Collision]:
    hits = meeting(ASKING["files"], holders, ("**/uv.lock",))
    for hit in hits:
        hit.standing = Standing(state, "it was seen")
    return hits


def denied(*holders: dict[str, Any], times: int = 1, **asking: Any) -> Verdict:
    return denial({**ASKING, **asking}, met(*holders), NOW, times)


def told_of(
    *hits: Collision, wakes: bool = False, barred: tuple[Collision, ...] = (), **asking: Any
) -> Verdict:
    record = {**ASKING, **asking}
    return advised(record, list(hits), list(barred), Book(), NOW, wakes=wakes)[0]


def holder(number: int = 1, *files: str, **fields: Any) -> dict[str, Any]:
    return a_record(f"toolu_{number}", *(files or ("src/a.py",)), id=f"h{number}", **fields)


class TestDenials:
    def test_say_what_is_taken_by_whom_since_when_and_why(self) -> None:
        verdict = denied(holder())

        assert verdict.reason.startswith(
            'HS101 src/a.py (concrete) is taken. "h1" has it since 07:59:00 UTC (60 s ago); it was '
            'seen. "asking" asked for it and was not started. Give this work other files'
        )
        assert verdict.notice == (
            'HS101: "asking" was not given src/a.py, which "h1" has. If that agent is gone: holdshort '
            "release toolu_1"
        )

    def test_of_a_message_have_their_own_code(self) -> None:
        assert denied(holder(), source="message").code == "HS102"

    def test_name_the_session_and_process_of_a_stranger(self) -> None:
        verdict = denied(holder(session=STRANGER))
        vague = denied(holder(session={"id": "s2"}))

        assert '"h1" of another session (s2, process 12) has' in verdict.reason
        assert '"h1" of another session (s2, process 12) has' in verdict.notice
        assert '"h1" of another session (s2) has' in vague.reason

    def test_do_not_make_up_a_time(self) -> None:
        assert "has it since an unknown time;" in denied(holder(at="?")).reason

    @pytest.mark.parametrize(
        ("count", "words"),
        [
            (2, " Both also have src/b1.py. "),
            (3, " Both also have src/b1.py, src/b2.py. "),
            (9, " Both also have src/b1.py, src/b2.py. "),
        ],
    )
    def test_name_two_more_files(self, count: int, words: str) -> None:
        files = ["src/a.py", *(f"src/b{n}.py" for n in range(1, count))]

        assert words in denied(holder(1, *files)).reason

    def test_name_one_more_agent_and_count_the_rest(self) -> None:
        one, two, three = holder(1), holder(2), holder(3)

        assert "meets" not in denied(one).reason
        assert ' It also meets "h2". ' in denied(one, two).reason
        assert ' It also meets "h2" and 1 more. ' in denied(one, two, three).reason

    def test_are_counted_from_the_second_on(self) -> None:
        assert "so far" not in denied(holder()).reason
        assert " Denied 2 times so far. " in denied(holder(), times=2).reason

    def test_leave_out_further_files_before_the_count_and_the_count_before_the_advice(self) -> None:
        long = "x" * 90
        crowd = [
            holder(n, *(f"src/{long}{i}.py" for i in range(3)), session=STRANGER) for n in (1, 2)
        ]
        crowd = [{**one, "id": long} for one in crowd]

        reason = denied(*crowd, times=2, id=long).reason
        full = denied(*crowd, times=10**200, id=long).reason

        assert "Both also" not in reason
        assert " Denied 2 times so far. " in reason
        assert " times so far" not in full
        assert full.endswith("would overwrite that work.")

    def test_are_the_same_for_the_same_asker_holder_and_file(self) -> None:
        assert denial_key(ASKING, met(holder())) == "asking|h1|src/a.py"
        assert len(denial_key({**ASKING, "id": "x" * 300}, met(holder()))) == 240


class TestAdvisories:
    @pytest.mark.parametrize(
        ("fields", "state", "code"),
        [
            ({"files": [f"src/{'?' * 300}*"]}, RUNNING, "HS506"),
            ({"files": ["src/uv.lock"], **ISOLATED}, UNKNOWN, "HS503"),
            (ISOLATED, UNKNOWN, "HS501"),
            ({}, UNKNOWN, "HS504"),
            ({"source": "weak"}, RUNNING, "HS505"),
        ],
    )
    def test_name_the_first_reason_why_nothing_is_denied(
        self, fields: dict[str, Any], state: str, code: str
    ) -> None:
        verdict = told_of(*met({**holder(), **fields}, state=state))

        assert (verdict.decision, verdict.code, verdict.notice) == ("allow", code, "")
        assert verdict.reason.startswith(f"{code} ")
        assert '"h1"' in verdict.reason

    def test_speak_of_an_own_tree_whichever_side_asked_for_it(self) -> None:
        assert told_of(*met(holder()), **ISOLATED).code == "HS501"

    def test_a_message_that_wakes_is_told_who_has_its_files_now(self) -> None:
        running, unknown = told_of(*met(holder()), wakes=True), met(holder(), state=UNKNOWN)

        assert running.code == "HS510"
        assert 'wakes "asking", whose scope holds src/a.py; "h1" has it now' in running.reason
        assert told_of(*unknown, wakes=True).code == "HS504"

    def test_in_warn_mode_the_user_is_told_as_well(self) -> None:
        (hit,) = met(holder())

        verdict = told_of(hit, barred=(hit,))

        assert (verdict.decision, verdict.code) == ("allow", "HS101")
        assert verdict.reason == (
            'HS101 (warn mode) this would have been denied: "h1" has src/a.py, it was seen.'
        )
        assert verdict.notice == f'{verdict.reason} Asked for by "asking".'

    def test_two_are_told_and_the_rest_counted(self) -> None:
        hits = met(*map(holder, (1, 2, 3, 4)), state=UNKNOWN)

        two, four = told_of(*hits[:2]).reason, told_of(*hits).reason

        assert '"h2"' in two
        assert "more agents" not in two
        assert '"h3"' not in four
        assert four.endswith(" (2 more agents like this.)")

    def test_each_is_given_once_in_a_cooldown_and_does_not_hide_a_new_one(self) -> None:
        first, second = met(holder(1), holder(2), state=UNKNOWN)
        _, book = advised(ASKING, [first], [], Book(), NOW, wakes=False)

        verdict, after = advised(ASKING, [first, second], [], book, NOW + 1, wakes=False)

        assert list(book.said.items()) == [("HS504|asking|s1|toolu_1", NOW)]
        assert '"h1"' not in verdict.reason
        assert '"h2"' in verdict.reason
        assert list(after.said) == ["HS504|asking|s1|toolu_1", "HS504|asking|s1|toolu_2"]
        assert advised(ASKING, [first, second], [], after, NOW + 2, wakes=False)[0].is_silent
