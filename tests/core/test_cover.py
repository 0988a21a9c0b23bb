"""Does a scope cover an entry? Held against the oracle; what is not proven is said."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.core import oracle

from holdshort.core.cover import Escape, NotProven, covers
from holdshort.core.overlap import MAX_STATES_OUTSIDE, Effort, matches


def escape_of(found: Escape | NotProven | None) -> str | None:
    assert not isinstance(found, NotProven)
    return None if found is None else found.path


@pytest.mark.parametrize("seed", range(600, 608))
def test_each_entry_is_covered_or_escapes_as_the_oracle_says(seed: int) -> None:
    questions = [
        question
        for first, second, third, fourth, *_ in oracle.families(seed, 100)
        for question in (
            ([first], second),
            ([second], first),
            ([first, second], third),
            ([second, third, fourth], first),
        )
    ]
    covered = 0
    for scope, entry in questions:
        path = escape_of(covers(scope, entry))
        expected = oracle.shortest([entry], scope)
        assert expected == (None if path is None else len(path)), (scope, entry)
        covered += path is None
        if path is not None:
            assert oracle.agrees(entry, path)
            assert not any(oracle.agrees(each, path) for each in scope)
    assert 0.05 < covered / len(questions) < 0.5


@pytest.mark.parametrize(
    ("path", "scope", "entry"),
    [
        (None, ["src/a.ts"], "src/a.ts"),
        (None, ["src/**"], "src/a.ts"),
        (None, ["src/"], "src/lib/"),
        (None, ["src/*/"], "src/lib/"),
        (None, ["src/**/*.ts"], "src/*.ts"),
        (None, ["a*", "b*"], "{a,b}x"),
        (None, ["?", "??*"], "*"),
        (None, ["**/", "x"], "**"),
        (None, ["src/**/"], "src/"),
        (None, ["**"], "a//b"),
        (None, [], "a\nb"),
        (None, ["/"], "/etc/*"),
        ("x", ["*/**"], "**"),
        ("x", ["src/"], "**"),
        ("src/x", ["src/*/"], "src/"),
        ("src/x/x", ["src/*"], "src/**"),
        ("a/x", ["*"], "a/"),
        ("b/x", ["a/", "c/"], "{a,b,c}/"),
        ("/etc/x", ["**"], "/etc/*"),
        ("x", [], "*"),
        ("src", ["src/"], "src"),
    ],
)
def test_a_scope_covers_what_it_matches_and_nothing_by_resemblance(
    path: str | None, scope: list[str], entry: str
) -> None:
    assert path == escape_of(covers(scope, entry))


@given(st.text(max_size=12))
def test_an_entry_covers_itself(entry: str) -> None:
    assert covers([entry], entry) is None


@given(st.text(alphabet="ab/*?.", max_size=10), st.text(alphabet="ab/*?.", max_size=10))
def test_an_escape_is_a_path_of_the_entry_alone(scope: str, entry: str) -> None:
    path = escape_of(covers([scope], entry))
    assert path is None or matches(entry, path)
    assert path is None or not matches(scope, path)


@pytest.mark.parametrize(
    ("scope", "entry"),
    [
        (["a"], "b" * 257),
        (["a" * 257], "b"),
        (["a"] * 1025, "b"),
        (["a"], "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"),
    ],
)
def test_what_is_past_a_bound_is_not_proven(scope: list[str], entry: str) -> None:
    found = covers(scope, entry)
    assert isinstance(found, NotProven)
    assert found.reason


def test_an_unread_entry_of_the_scope_does_not_matter_where_the_others_cover() -> None:
    assert covers(["a" * 257, "b*"], "bc") is None


def test_a_contrived_scope_is_not_proven_after_a_bounded_search() -> None:
    # It covers the entry; to know it, all ways to spread six letters over sixty must be held.
    scope = [f"*a{'?' * length}" for length in range(60)] + [f"{'?' * 60}*"]
    effort = Effort()
    assert isinstance(covers(scope, "*a" * 6 + "*", effort), NotProven)
    assert effort.spent <= MAX_STATES_OUTSIDE + 100
