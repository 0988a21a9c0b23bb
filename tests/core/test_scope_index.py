"""One scope against many: the index says what asking pair by pair says."""

from __future__ import annotations

import itertools
import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core import oracle

from holdshort.core.overlap import Effort, Meeting, Unknown, matches, meet
from holdshort.core.scope_index import ScopeIndex

LONGER = str.maketrans({"a": "alpha", "b": "beta", "c": "alphabet"})


def scopes(seed: int, count: int) -> list[list[str]]:
    """Return scopes of entries related to those of the others; of odd seeds, with long names."""
    rng = random.Random(seed)
    entries = [entry for family in oracle.families(seed, 12) for entry in family]
    entries += ["/" + entry for entry in entries[::9]]
    entries += ["**", "**a**/**/bb", "a**/a", "x**/", "{a/,b}a", "a{**/,x}b/?", "*", "a//b"]
    if seed % 2:
        entries = [entry.translate(LONGER) for entry in entries]
    return [rng.sample(entries, rng.randint(1, 7)) for _ in range(count)]


def pairs_that_meet(ours: list[str], theirs: list[str], shared: list[str]) -> set[tuple[str, str]]:
    pairs = itertools.product(ours, theirs)
    return {(a, b) for a, b in pairs if isinstance(meet([a], [b], shared), Meeting)}


@pytest.mark.parametrize("seed", range(700, 712))
def test_the_index_finds_exactly_the_pairs_that_meet(seed: int) -> None:
    met = apart = 0
    for ours in scopes(seed, 4):
        index = ScopeIndex(ours)
        for theirs in scopes(seed, 40):
            expected = pairs_that_meet(ours, theirs, [])
            found = index.meetings(theirs, limit=1_000)
            assert expected == {(each.ours, each.theirs) for each in found}, (ours, theirs)
            assert len(expected) == len(found)
            for each in found:
                assert matches(each.ours, each.witness)
                assert matches(each.theirs, each.witness)
            first = index.first_meeting(theirs)
            assert bool(expected) == isinstance(first, Meeting)
            met += bool(expected)
            apart += not expected
    assert met > 0
    assert apart > 0


@pytest.mark.parametrize("seed", range(720, 726))
def test_the_index_leaves_out_what_is_shared(seed: int) -> None:
    taken_out = 0
    for ours, shared in itertools.pairwise(scopes(seed, 5)):
        index = ScopeIndex(ours, shared[:3])
        for theirs in scopes(seed, 25):
            expected = pairs_that_meet(ours, theirs, shared[:3])
            found = index.meetings(theirs, limit=1_000)
            assert expected == {(each.ours, each.theirs) for each in found}
            assert bool(expected) == isinstance(index.first_meeting(theirs), Meeting)
            taken_out += len(expected) < len(pairs_that_meet(ours, theirs, []))
    assert taken_out > 0


@pytest.mark.parametrize("seed", range(730, 734))
def test_the_index_matches_paths_as_its_entries_do(seed: int) -> None:
    for ours in scopes(seed, 30):
        index = ScopeIndex(ours)
        for entry in itertools.chain.from_iterable(scopes(seed, 5)):
            path = re.sub(r"[*?{}]+", "x", entry)
            expected = next((each for each in ours if matches(each, path)), None)
            assert expected == index.covers_path(path), (ours, path)


SMALL = st.text(alphabet="ab/*?.{,}", max_size=9)


@given(st.lists(SMALL, max_size=4), st.lists(SMALL, max_size=4))
@settings(max_examples=400)
def test_whatever_the_text_the_index_and_the_pairs_agree(
    ours: list[str], theirs: list[str]
) -> None:
    meets = isinstance(meet(ours, theirs), Meeting)
    assert meets == isinstance(ScopeIndex(ours).first_meeting(theirs), Meeting)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("**a**/**/bb", "xay/bb"),
        ("bb", "**b**/**/b"),
        ("ac", "a**/c"),
        ("abc", "a**/c"),
        ("ab/c", "a{**/,x}b/c"),
        ("src/c.ts", "src/{a/b,c}.ts"),
        ("xsrc.ts", "x{**/,q}src.ts"),
        ("x", "src/{../x,a}"),
        ("x/y/abc", "src/{a,../x}/y/*"),
        ("xsource.ts", "x**/source.ts"),
        ("xsource.ts", "x**/**/source.ts"),
        ("source.ts", "source.ts"),
        ("so*.ts", "*rce.ts"),
        ("source.t?", "s?urce.ts"),
        ("a/b/c", "a/**c"),
        ("a/b", "a/"),
        ("a/b/c", "**/"),
        ("/a/b", "/**/b"),
        ("a}b", "a}b"),
        ("{a", "{a"),
        ("src/**/x/**/y", "src/x/z/y"),
        ("**/*x", "ax"),
        ("**/*.py", "a/**/b.py"),
    ],
)
def test_no_short_cut_of_the_index_loses_a_pair(ours: str, theirs: str) -> None:
    expected = isinstance(meet([ours], [theirs]), Meeting)
    assert expected == isinstance(ScopeIndex([ours]).first_meeting([theirs]), Meeting)
    assert expected == isinstance(ScopeIndex([theirs]).first_meeting([ours]), Meeting)


def test_the_first_meeting_is_with_the_first_of_their_entries_that_meets() -> None:
    found = ScopeIndex(["a", "*b", "*"]).first_meeting(["c/d", "xb", "a"])
    assert isinstance(found, Meeting)
    assert (found.ours, found.theirs, found.witness, found.kind) == ("*b", "xb", "xb", "concrete")


def test_evidence_stops_at_its_limit() -> None:
    index = ScopeIndex(["a*", "*a", "a"])
    assert index.meetings(["a", "aa", "*"], 0) == []
    assert len(index.meetings(["a", "aa", "*"], 2)) == 2
    assert len(index.meetings(["a", "aa", "*"], 100)) == 8


def test_a_pair_with_many_alternatives_is_one_piece_of_evidence() -> None:
    assert len(ScopeIndex(["{a,b,c}"]).meetings(["?", "{c,b}"], 9)) == 2


def test_nothing_meets_an_empty_scope() -> None:
    assert ScopeIndex([]).first_meeting(["**", "a" * 300]) is None
    assert ScopeIndex(["**", "a" * 300]).first_meeting([]) is None
    assert ScopeIndex([]).covers_path("a") is None


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (["b" * 257], ["a"]),
        (["a*"], ["a" * 257]),
        (["a"], ["b"] * 1025),
        (["{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"], ["c"]),
        (["c"], ["{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"]),
    ],
)
def test_what_cannot_be_told_is_said(ours: list[str], theirs: list[str]) -> None:
    assert isinstance(ScopeIndex(ours).first_meeting(theirs), Unknown)


def test_an_unread_entry_is_named_and_a_meeting_outweighs_it() -> None:
    index = ScopeIndex(["b" * 257, "a"])
    assert index.unread == "an entry longer than 256 characters"
    assert isinstance(index.first_meeting(["c" * 257, "a"]), Meeting)


def test_an_unread_shared_entry_leaves_a_meeting_in_doubt() -> None:
    index = ScopeIndex(["a"], shared=["b" * 257])
    assert isinstance(index.first_meeting(["a"]), Unknown)
    assert index.first_meeting(["c"]) is None
    assert index.meetings(["a"], 5) == []


def test_all_questions_to_one_index_share_a_bounded_effort() -> None:
    effort = Effort(limit=5_000)
    index = ScopeIndex([f"{letter}*" + "*.?" * 20 for letter in "abc"], effort=effort)
    hostile = [f"?{'*?.' * 20}{number}*" for number in range(60)]
    answers = [index.first_meeting([entry]) for entry in hostile]
    assert any(isinstance(answer, Unknown) for answer in answers)
    assert effort.spent <= 5_000 + 60 * 300


def test_an_answer_is_remembered_and_costs_nothing_again() -> None:
    effort = Effort()
    index = ScopeIndex(["**/a*b"], ["**/ab"], effort)
    index.first_meeting(["**/*b"])
    spent = effort.spent
    for _ in range(100):
        index.first_meeting(["**/*b"])
    assert 0 < spent == effort.spent


def test_entries_that_the_sieve_rules_out_cost_no_search() -> None:
    effort = Effort()
    index = ScopeIndex(["src/own/**/*.py", "**/own_*.ts"], effort=effort)
    theirs = [f"src/a{number}/**/*.py" for number in range(500)]
    assert index.first_meeting([*theirs, "**/other_*.ts", "*/other_*.ts"]) is None
    assert effort.spent == 0


def test_alternatives_past_the_bound_of_a_scope_are_charged_to_the_effort() -> None:
    effort = Effort()
    index = ScopeIndex(["z"], effort=effort)
    theirs = [f"{number}{'{a,b}' * 6}" for number in range(5)]
    assert index.first_meeting(theirs[:4]) is None
    assert effort.spent == 0
    assert index.first_meeting(theirs) is None
    assert effort.spent == 64 * len("4aaaaaa")
