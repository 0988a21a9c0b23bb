"""What a step without the lock leaves behind, taken in by a later one."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.records import NOW, a_record

from holdshort.core.book import FINISHED, IDLE, RUNNING, Book, moved
from holdshort.core.changes import changes, with_changes

STATES = st.sampled_from([RUNNING, IDLE, FINISHED])


def built(call: str, state: str, at: float) -> dict[str, Any]:
    return moved(a_record(call), state, "told", at)


BOOKS = st.builds(
    lambda records, said, denied: Book(
        tuple({one["toolUseId"]: one for one in records}.values()), said, denied, "wave"
    ),
    st.lists(
        st.builds(
            built, st.sampled_from(["t1", "t2", "t3"]), STATES, st.integers(0, 9).map(NOW.__add__)
        ),
        max_size=3,
    ),
    st.dictionaries(st.sampled_from("ab"), st.integers(0, 9).map(NOW.__add__)),
    st.dictionaries(st.sampled_from("cd"), st.integers(1, 9)),
)


def test_only_what_changed_is_left_behind() -> None:
    before = Book((a_record("t1"), a_record("t2")), {"said": 1.0}, {"denied": 1})
    after = before.holding(a_record("t3")).updated([built("t2", RUNNING, NOW)]).having_denied("new")

    found = changes(before, after)

    assert {one["toolUseId"] for one in found.agents} == {"t2", "t3"}
    assert (found.said, found.denied) == ({}, {"new": 1})


def test_a_new_agent_and_an_end_told_in_between_both_stay() -> None:
    start = Book((built("t1", RUNNING, NOW),))
    left = changes(start, start.holding(a_record("t2")))
    woken = start.updated([built("t1", FINISHED, NOW + 5)])

    whole = with_changes(woken, left)

    assert [(one["toolUseId"], one["state"]) for one in whole.agents] == [
        ("t1", FINISHED),
        ("t2", "reserved"),
    ]


def test_of_two_states_of_one_agent_that_with_the_newest_event_holds() -> None:
    ended, running = built("t1", FINISHED, NOW + 5), built("t1", RUNNING, NOW)

    assert with_changes(Book((ended,)), Book((running,))).agents == (ended,)
    assert with_changes(Book((running,)), Book((ended,))).agents == (ended,)


def test_of_two_equally_new_states_the_one_taken_in_holds_and_any_event_is_newer_than_none() -> (
    None
):
    ended, running = built("t1", FINISHED, NOW), built("t1", RUNNING, NOW)
    silent, early = a_record("t1"), built("t1", RUNNING, 0.5)

    assert with_changes(Book((ended,)), Book((running,))).agents == (running,)
    assert with_changes(Book((early,)), Book((silent,))).agents == (early,)


def test_the_wave_of_the_later_step_holds_when_it_knows_one() -> None:
    first, second, none = Book(wave_key="one"), Book(wave_key="two"), Book()

    assert with_changes(first, second).wave_key == "two"
    assert with_changes(first, none).wave_key == "one"
    assert changes(first, second).wave_key == "two"


@given(BOOKS, BOOKS)
def test_taking_the_same_in_twice_changes_nothing_more(book: Book, found: Book) -> None:
    once = with_changes(book, found)

    assert with_changes(once, found).as_json("") == once.as_json("")


@given(BOOKS, BOOKS)
def test_nothing_is_lost_and_nothing_doubled(book: Book, found: Book) -> None:
    whole = with_changes(book, found)

    calls = [one["toolUseId"] for one in whole.agents]
    assert len(set(calls)) == len(calls)
    assert set(calls) == {one["toolUseId"] for one in (*book.agents, *found.agents)}
    assert whole.said.keys() == book.said.keys() | found.said.keys()
    assert all(whole.denied[key] >= n for key, n in {**book.denied}.items())
