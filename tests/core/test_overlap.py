"""Do two scopes share a path? Held against an oracle, and against what the original missed."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec
from tests.core import oracle

from holdshort.core.entries import normalise
from holdshort.core.overlap import (
    MAX_STATES_OUTSIDE,
    Effort,
    Meeting,
    Unknown,
    is_path,
    matches,
    meet,
)

SEEDS = range(24)
FAMILIES = 56  # of 15 pairs: 24 x 56 x 15 = 20,160 pairs

ENTRIES = st.lists(
    st.sampled_from(["a", "b", "x", ".", "/", "/", "*", "**", "**/", "?", "{a,b}", "ab"]),
    min_size=1,
    max_size=8,
).map("".join)
CANONICAL = ENTRIES.map(normalise).filter(lambda entry: entry is not None)


def witness_of(found: Meeting | Unknown | None) -> str | None:
    assert not isinstance(found, Unknown)
    return None if found is None else found.witness


def length_of(path: str | None) -> int | None:
    return None if path is None else len(path)


def literal_ends_agree(ours: str, theirs: str) -> bool:
    """Tell whether a look at the literal ends, as the original takes, would suspect a pair."""
    heads = [re.split(r"[*?{]", entry)[0] for entry in (ours, theirs)]
    tails = [re.split(r"[*?}]|/$", entry)[-1] for entry in (ours, theirs)]
    return (heads[0].startswith(heads[1]) or heads[1].startswith(heads[0])) and (
        tails[0].endswith(tails[1]) or tails[1].endswith(tails[0])
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_each_pair_is_judged_as_the_oracle_judges_it(seed: int) -> None:
    pairs = [
        pair
        for family in oracle.families(seed, FAMILIES)
        for pair in itertools.combinations(family, 2)
    ]
    met = near_misses = 0
    for ours, theirs in pairs:
        witness = witness_of(meet([ours], [theirs]))
        assert oracle.shortest([ours, theirs]) == length_of(witness), (ours, theirs)
        if witness is None:
            near_misses += literal_ends_agree(ours, theirs)
            continue
        met += 1
        assert all(oracle.agrees(entry, witness) for entry in (ours, theirs)), (ours, theirs)
        assert all(matches(entry, witness) for entry in (ours, theirs)), (ours, theirs)
    assert len(pairs) == FAMILIES * 15
    assert 0.30 <= met / len(pairs) <= 0.55
    assert 0.25 <= near_misses / len(pairs) <= 0.40


def test_a_second_oracle_agrees_on_some_hundred_pairs() -> None:
    for family in oracle.families(101, 50):
        for ours, theirs in itertools.combinations(family[:4], 2):
            apart = meet([ours], [theirs]) is None
            assert oracle.disjoint_says_greenery(ours, theirs) == apart, (ours, theirs)
            assert oracle.disjoint(ours, theirs) == apart, (ours, theirs)


@pytest.mark.parametrize("seed", range(200, 204))
def test_what_is_shared_is_taken_out_as_the_oracle_takes_it_out(seed: int) -> None:
    met_outside = met_only_inside = 0
    for family in oracle.families(seed, 150):
        for ours, theirs, *shared in (family[:3], family[2:], family):
            witness = witness_of(meet([ours], [theirs], shared))
            expected = oracle.shortest([ours, theirs], shared)
            assert expected == length_of(witness), (ours, theirs, shared)
            if witness is not None:
                met_outside += 1
                assert oracle.agrees(ours, witness)
                assert oracle.agrees(theirs, witness)
                assert not any(oracle.agrees(entry, witness) for entry in shared)
            elif meet([ours], [theirs]) is not None:
                met_only_inside += 1
    assert met_outside > 50
    assert met_only_inside > 20


def test_of_many_pairs_the_shortest_witness_is_given() -> None:
    for family in oracle.families(301, 100):
        ours, theirs = family[:3], family[3:]
        lengths = [oracle.shortest(list(pair)) for pair in itertools.product(ours, theirs)]
        expected = min((length for length in lengths if length is not None), default=None)
        assert expected == length_of(witness_of(meet(ours, theirs)))


@pytest.mark.parametrize("seed", range(400, 404))
def test_paths_are_matched_as_the_oracle_matches_them(seed: int) -> None:
    for family in oracle.families(seed, 100):
        paths = [re.sub(r"[*?{}]+", "x", entry).rstrip("/") for entry in family]
        for entry, path in itertools.product(family, filter(oracle.is_valid, paths)):
            assert oracle.agrees(entry, path) == matches(entry, path), (entry, path)


@given(CANONICAL, CANONICAL)
@settings(max_examples=300)
def test_meeting_is_mutual(ours: str, theirs: str) -> None:
    there, back = meet([ours], [theirs]), meet([theirs], [ours])
    assert length_of(witness_of(there)) == length_of(witness_of(back))
    if isinstance(there, Meeting):
        assert is_path(there.witness)
        assert matches(ours, there.witness)
        assert matches(theirs, there.witness)


@given(CANONICAL)
@settings(max_examples=300)
def test_an_entry_meets_itself_and_the_whole_tree_unless_it_can_match_nothing(entry: str) -> None:
    everything = "/" if entry.startswith("/") else "**"
    if "{" not in entry:
        assert (witness_of(meet([entry], [entry])) is None) == (
            witness_of(meet([entry], [everything])) is None
        )


@given(st.text(max_size=12), st.text(max_size=12))
@settings(max_examples=300)
def test_any_text_gets_an_answer(ours: str, theirs: str) -> None:
    found = meet([ours], [theirs], [ours + theirs])
    assert found is None or matches(ours, witness_of(found) or "")


@pytest.mark.parametrize(
    ("expected", "entry", "path"),
    [
        (True, "src/", "src/foo.ts"),
        (True, "src/", "src/nested/foo.ts"),
        (False, "src/", "lib/foo.ts"),
        (False, "src/", "src"),
        (True, "src/**/*.ts", "src/foo.ts"),
        (True, "src/**/*.ts", "src/nested/deep/foo.ts"),
        (False, "src/**/*.ts", "src/foo.js"),
        (True, "src/*.ts", "src/foo.ts"),
        (False, "src/*.ts", "src/nested/foo.ts"),
        (True, "docs/README.md", "docs/README.md"),
        (False, "docs/README.md", "docs/CHANGELOG.md"),
        (True, ".gitignore", ".gitignore"),
        (False, ".gitignore", "xgitignore"),
        (True, "tests/**", "tests/a/b.ts"),
        (True, "tests/**", "tests/a.ts"),
        (False, "tests/**", "tests"),
        (True, "**/src/foo.mjs", "a/b/src/foo.mjs"),
        (True, "**/src/foo.mjs", "src/foo.mjs"),
        (False, "**/src/foo.mjs", "xsrc/foo.mjs"),
        (True, "src/my file.ts", "src/my file.ts"),
        (False, "src/", "scripts/src_backup/foo.ts"),
        (True, "*", ".env"),
        (False, "*", "a/b"),
        (True, "src/**/x", "src/x"),
        (True, "src/**/x", "src/a/b/x"),
        (False, "src/**/x", "src/ax"),
        (True, "a**/c", "ac"),
        (True, "a**/c", "ab/c"),
        (True, "a**/c", "ax/y/c"),
        (False, "a**/c", "abc"),
        (True, "src/**/", "src/x"),
        (True, "src/**/", "src/x/y"),
        (False, "src/**/", "src"),
        (True, "**/", "x"),
        (True, "**/", "x/y/z"),
        (True, "a**b", "a/x/b"),
        (True, "src/*/", "src/x/y"),
        (False, "src/*/", "src/x"),
        (True, "app/[slug]/page.tsx", "app/[slug]/page.tsx"),
        (False, "app/[slug]/page.tsx", "app/s/page.tsx"),
        (True, "a?c", "a?c"),
        (True, "a?c", "a.c"),
        (False, "a?c", "a/c"),
        (False, "a?c", "ac"),
        (True, "a+b(c)@!#.{x}$^|", "a+b(c)@!#.{x}$^|"),
        (False, "a+", "aa"),
        (False, "src/a.ts", "SRC/a.ts"),
        (True, "x.{ts,tsx}", "x.tsx"),
        (False, "x.{ts,tsx}", "x.{ts,tsx}"),
        (True, "*", "a\N{SNOWMAN}b"),
        (False, "", ""),
        (False, "**", ""),
        (False, "**", "a//b"),
        (False, "**", "a/"),
        (False, "**", "../a"),
        (False, "**", "a/./b"),
        (False, "**", "a\nb"),
        (True, "**", "..a/..."),
        (False, "**", "/etc/passwd"),
        (True, "/", "/etc/passwd"),
        (True, "/etc/*", "/etc/passwd"),
        (False, "etc/*", "/etc/passwd"),
        (False, "/etc/*", "etc/passwd"),
    ],
)
def test_the_token_table_is_the_rule(expected: bool, entry: str, path: str) -> None:
    assert expected == matches(entry, path)


@pytest.mark.parametrize(
    ("witness", "ours", "theirs"),
    [
        ("src/ab.ts", "src/a*.ts", "src/*b.ts"),
        ("src/b/a.ts", "src/*/a.ts", "src/b/*.ts"),
        ("src/a.ts", "src/*.ts", "src/a*.ts"),
        ("src/a/x/y", "src/*/x/", "src/a/x/y"),
        ("src/x/x", "src/*/", "src/x/"),
    ],
)
def test_globs_that_meet_in_a_file_not_yet_written_meet(
    witness: str, ours: str, theirs: str
) -> None:
    assert witness == witness_of(meet([ours], [theirs]))


@pytest.mark.parametrize(
    ("witness", "ours", "theirs"),
    [
        ("src/bar/foo/.ts", "src/**/foo/*.ts", "src/bar/**/*.ts"),
        ("docs/.md", "docs/**", "**/*.md"),
        ("src/.d.ts", "src/**/*.ts", "src/**/*.d.ts"),
    ],
)
def test_pairs_suspected_by_their_ends_are_shown_a_file_when_they_do_meet(
    witness: str, ours: str, theirs: str
) -> None:
    assert witness == witness_of(meet([ours], [theirs]))


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("src/**/foo/*.ts", "src/**/bar/x.ts"),
        ("src/**/a/b.ts", "src/**/c/b.ts"),
        ("src/*/a.ts", "src/*/b/a.ts"),
        ("**/*_test.py", "**/test_?.py"),
        ("src/a*c.ts", "src/a?d.ts"),
        (".?", "?."),
        ("*/a", "?"),
    ],
)
def test_pairs_suspected_by_their_ends_go_free_when_no_path_can_be_both(
    ours: str, theirs: str
) -> None:
    assert meet([ours], [theirs]) is None


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("./src/a.ts", "src/a.ts"),
        ("a/././b", "a/b"),
        ("a/./././b", "a//b"),
        ("./src/", "src/a.ts"),
        ("src/*/", "src/x/a.ts"),
        ("src/x/../a.ts", "src/a.ts"),
        ("src\\a.ts", "src/a.ts"),
        (".", "src/a.ts"),
        ("docs/u\u0308.md", "docs/ü.md"),
        ("app/[slug]/page.tsx", "app/[slug]/page.tsx"),
        ("app/(shop)/x.tsx", "app/*/x.tsx"),
        ("packages/@acme/x.ts", "packages/"),
        ("src/my file.ts", "src/*.ts"),
        ("Makefile", "Makefile"),
        ("src/c++/a.cc", "src/c++/*.cc"),
        ("src/{a,b}.ts", "src/b.ts"),
        ("src/?.ts", "src/a.ts"),
        ("**/*.ts", "src/a.ts"),
        ("*.md", "README.md"),
    ],
)
def test_an_alias_or_an_odd_name_does_not_hide_a_file(ours: str, theirs: str) -> None:
    canonical = [[normalise(entry) or ""] for entry in (ours, theirs)]
    assert isinstance(meet(canonical[0], canonical[1]), Meeting)


def test_a_bare_name_is_that_file_and_not_the_directory() -> None:
    assert meet(["src"], ["src/a.ts"]) is None
    assert meet(["src"], ["src/"]) is None


@pytest.mark.parametrize(
    ("kind", "ours", "theirs"),
    [
        ("concrete", "a.ts", "a.ts"),
        ("concrete", "a.ts", "*.ts"),
        ("concrete", "a/", "a/b"),
        ("concrete", "{a,b}.ts", "a.ts"),
        ("glob", "a*", "*b"),
        ("glob", "a/", "**/b"),
        ("glob", "{a,b}", "{a,c}"),
    ],
)
def test_a_meeting_is_concrete_when_one_entry_is_a_path(kind: str, ours: str, theirs: str) -> None:
    found = meet([ours], [theirs])
    assert isinstance(found, Meeting)
    assert (kind, ours, theirs) == (found.kind, found.ours, found.theirs)


@pytest.mark.parametrize(
    ("witness", "ours", "theirs", "shared"),
    [
        ("x", "*", "**", []),
        ("y", "*", "?", ["x*"]),
        ("ay", "a*", "?*", ["a", "ax"]),
        ("x/x", "**", "**", ["*"]),
        ("a/xb", "a/*b", "**", ["a/b"]),
        ("x.md", "*.md", "**", [".md", "y*"]),
        (None, "CHANGELOG.md", "*.md", ["CHANGELOG.md"]),
        (None, "docs/**", "**/*.md", ["**/*.md"]),
        (None, "docs/*/a", "docs/b/*", ["docs/"]),
    ],
)
def test_the_witness_is_the_shortest_readable_path_outside_what_is_shared(
    witness: str | None, ours: str, theirs: str, shared: list[str]
) -> None:
    assert witness == witness_of(meet([ours], [theirs], shared))


def test_when_every_plain_letter_is_shared_a_witness_is_still_found() -> None:
    letters = "xyzabcdefghijklmnopqrstuvw0123456789XYZABCDEFGHIJKLMNOPQRSTUVW"
    witness = witness_of(meet(["?"], ["*"], list(letters)))
    assert witness is not None
    assert witness.isprintable()
    assert witness not in letters


def test_absolute_and_relative_entries_have_nothing_in_common() -> None:
    assert meet(["/etc/hosts"], ["etc/hosts"]) is None
    assert meet(["/**"], ["**"]) is None
    assert witness_of(meet(["/etc/*"], ["/"])) == "/etc/x"
    assert witness_of(meet(["/etc/*"], ["/**/hosts"], ["**"])) == "/etc/hosts"
    assert meet(["/etc/*"], ["/**/hosts"], ["/etc/"]) is None
    assert witness_of(meet(["{a,/b}"], ["/?"])) == "/b"


def test_nothing_meets_nothing() -> None:
    assert meet([], ["**"]) is None
    assert meet(["a" * 300], []) is None
    assert meet([""], ["**"]) is None
    assert meet(["a//b"], ["**"]) is None
    assert meet(["a\nb"], ["**"]) is None


@pytest.mark.parametrize(
    ("ours", "theirs", "shared"),
    [
        (["a" * 257], ["b"], []),
        (["a"], ["b" * 257], []),
        (["{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"], ["c"], []),
        (["a"], ["b"] * 1025, []),
        (["a"], ["a"], ["c" * 257]),
    ],
)
def test_what_cannot_be_told_is_neither_yes_nor_no(
    ours: list[str], theirs: list[str], shared: list[str]
) -> None:
    found = meet(ours, theirs, shared)
    assert isinstance(found, Unknown)
    assert found.reason


def test_a_meeting_outweighs_what_could_not_be_read() -> None:
    assert witness_of(meet(["a" * 257, "b"], ["b", "c" * 300])) == "b"


def test_what_is_shared_beyond_reading_does_not_matter_where_nothing_meets() -> None:
    assert meet(["a"], ["b"], ["c" * 257]) is None


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("a*" * 8, "a" * 60 + "b"),
        ("*a" * 100, "*a" * 100),
        ("*a" * 127 + "b", "*a" * 127 + "c"),
        ("**a**/**/bb", "**a**/**/bc"),
        ("**a" * 85, "**b" * 85),
        ("**/a" * 64, "**/b" * 64),
        ("**/*a" * 51, "**/*." * 51),
        ("**a" * 85, "*/" * 127 + "*."),
        ("?" * 256, "?" * 255),
        (".?" * 128, "?." * 128),
    ],
)
def test_hostile_entries_cost_at_most_all_pairs_of_states(ours: str, theirs: str) -> None:
    effort = Effort()
    assert not isinstance(meet([ours], [theirs], effort=effort), Unknown)
    assert effort.spent <= 2 * (len(ours) + 1) * (len(theirs) + 1)


def test_hostile_shared_entries_end_in_cannot_tell_after_a_bounded_search() -> None:
    # Together they take out all that meets; to know it, six letters spread over sixty are tried.
    shared = [f"*a{'?' * length}" for length in range(60)] + [f"{'?' * 60}*"]
    effort = Effort()
    assert isinstance(meet(["*a" * 6 + "*"], ["**"], shared, effort), Unknown)
    assert effort.spent <= MAX_STATES_OUTSIDE + 100


def test_a_question_stops_when_its_effort_is_spent() -> None:
    effort = Effort(limit=100)
    assert isinstance(meet(["*a" * 50 + "b"], ["*a" * 50 + "c"], effort=effort), Unknown)
    assert effort.spent == 101


def git_can_say(entry: str) -> bool:
    """Tell whether gitignore has the entry: no braces, `**` a whole segment, not `**/` alone."""
    names = entry.split("/")
    return "{" not in entry and entry != "**/" and all(n == "**" or "**" not in n for n in names)


@pytest.mark.parametrize("seed", range(500, 502))
def test_git_agrees_where_gitignore_can_say_it(seed: int) -> None:
    judged = 0
    for family in oracle.families(seed, 100):
        paths = {re.sub(r"\*+", "z", entry).replace("?", "y").rstrip("/") for entry in family}
        for entry in filter(git_can_say, family):
            spec = GitIgnoreSpec.from_lines(["/" + entry])
            for path in filter(oracle.is_valid, paths | {path + "/k" for path in paths}):
                # An ignored directory takes all below it along; an entry names files.
                above = itertools.accumulate(path.split("/"), "{}/{}".format)
                ignored = any(matches(entry, each) for each in above)
                assert spec.match_file(path) == ignored, (entry, path)
                judged += 1
    assert judged > 2_000


@pytest.mark.parametrize(
    ("entry", "path"), [("a**/c", "ac"), ("a**b", "a/x/b"), ("**/", "x"), ("{a,b}", "a")]
)
def test_git_differs_where_the_docs_say_so(entry: str, path: str) -> None:
    assert matches(entry, path)
    assert not GitIgnoreSpec.from_lines(["/" + entry]).match_file(path)
