"""One answer out of several: what is said, to whom, and who decides."""

from __future__ import annotations

import pytest

from holdshort.core.verdict import (
    ALLOW,
    ASK,
    DENY,
    SILENT,
    Outcome,
    Verdict,
    joined,
    told,
    unwritable,
    warned,
)


def parts(verdict: Verdict) -> tuple[str, str, str, str]:
    return verdict.decision, verdict.code, verdict.reason, verdict.notice


@pytest.mark.parametrize(
    ("verdict", "silent"),
    [
        (SILENT, True),
        (Verdict(code="HS000"), True),
        (Verdict(reason="x"), False),
        (Verdict(notice="x"), False),
        (Verdict(DENY), False),
        (Verdict(ASK), False),
    ],
)
def test_only_an_allowance_without_a_word_is_silent(verdict: Verdict, silent: bool) -> None:
    assert verdict.is_silent is silent


def test_the_agent_is_told_and_the_user_warned() -> None:
    assert parts(told("HS501", "for the agent")) == (ALLOW, "HS501", "for the agent", "")
    assert parts(told("HS501", "agent", "user")) == (ALLOW, "HS501", "agent", "user")
    assert parts(warned("HS901", "for the user")) == (ALLOW, "HS901", "", "for the user")


def test_a_state_that_cannot_be_written_is_named_and_clipped() -> None:
    verdict = unwritable("/s\n" + "x" * 300, "disk full", "Nothing is recorded.")

    assert (verdict.decision, verdict.code, verdict.reason) == (ALLOW, "HS910", "")
    assert verdict.notice == f"HS910 /s?{'x' * 194}...: disk full. Nothing is recorded."


@pytest.mark.parametrize("stricter", [ASK, DENY])
def test_the_stricter_decision_wins_whichever_comes_first(stricter: str) -> None:
    mild, strict = told("HS501", "one"), Verdict(stricter, "HS101", "two")

    assert parts(joined(mild, strict)) == (stricter, "HS501", "one two", "")
    assert parts(joined(strict, mild)) == (stricter, "HS101", "two one", "")
    assert joined(Verdict(ASK, "a"), Verdict(DENY, "b"), told("c", "")).decision == DENY


def test_texts_are_joined_apart_and_an_empty_one_adds_nothing() -> None:
    one, two = told("HS501", "one", "first"), warned("HS901", "second")

    assert parts(joined(one, two)) == (ALLOW, "HS501", "one", "first second")
    assert parts(joined(two, one)) == (ALLOW, "HS901", "one", "second first")
    assert parts(joined(SILENT, one)) == parts(one)
    assert parts(joined(one)) == parts(one)


def test_what_has_no_code_has_nothing_to_say_and_those_after_it_are_heard() -> None:
    quiet = Verdict(DENY, "", "lost", "lost")

    assert joined(SILENT, quiet).is_silent
    assert parts(joined(SILENT, quiet, told("HS501", "one"))) == (ALLOW, "HS501", "one", "")


def test_an_outcome_without_facts_logs_nothing_and_shares_nothing() -> None:
    first, second = Outcome(), Outcome()
    first.facts["row"] = "11"

    assert (second.verdict.is_silent, second.state_dir, second.facts) == (True, "", {})
    assert Outcome(SILENT, "/state", {"row": "1"}).facts == {"row": "1"}
