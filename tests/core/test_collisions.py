"""Collisions of a wave: every pair of agents, with what proves it, and no honest pair."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.core import oracle

from holdshort.core.collisions import Collision, Findings, Party, compared
from holdshort.core.cover import Escape, NotProven
from holdshort.core.overlap import matches
from holdshort.core.siblings import Siblings
from holdshort.core.subset import escape_from, has_place

SHARED = ("**/CHANGELOG.md", "**/*.lock")
ALPHABET = ["", *(c for n in range(1, 4) for c in map("".join, itertools.product("ab/", repeat=n)))]
TREE = [path for path in ALPHABET if path and oracle.is_valid(path)]


def find(*scopes: list[str], expand: bool = False) -> Findings:
    grow = Siblings().expanded
    parties = [
        Party(f"agent-{at}", scope, grow(scope)[len(scope) :] if expand else ())
        for at, scope in enumerate(scopes)
    ]
    return compared(parties, SHARED)


def only(found: Findings) -> Collision:
    (collision,) = found.collisions
    return collision


def test_the_same_path_is_a_concrete_collision_of_both_agents() -> None:
    """S12, V6"""
    hit = only(find(["src/a.py", "x.py"], ["src/a.py"]))

    assert (hit.ours.id, hit.theirs.id, hit.kind) == ("agent-0", "agent-1", "concrete")
    assert (hit.evidence, hit.witness, hit.is_error) == (["src/a.py"], "src/a.py", True)


@pytest.mark.parametrize(("ours", "theirs"), [("src/a.py", "src/**"), ("src/**", "src/a.py")])
def test_a_path_within_a_glob_is_concrete_in_both_orders(ours: str, theirs: str) -> None:
    """S12"""
    hit = only(find([ours], [theirs]))

    assert (hit.kind, hit.evidence, hit.witness) == ("concrete", [ours, theirs], "src/a.py")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("scripts/**/*.mjs", "scripts/lib/*.mjs"),
        ("src/a*.ts", "src/*b.ts"),
        ("src/*/a.ts", "src/b/*.ts"),
        ("src/*.ts", "src/a*.ts"),
        ("src/lib/", "src/**"),
        ("src/*/", "src/lib/x*"),
        ("docs/**", "**/*.md"),
    ],
)
def test_two_globs_collide_in_a_path_that_need_not_exist(ours: str, theirs: str) -> None:
    """S12, A10: the original missed those without `**` that no tracked file witnesses"""
    hit = only(find([ours], [theirs]))

    assert hit.kind == "glob"
    assert matches(ours, hit.witness)
    assert matches(theirs, hit.witness)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (["src/a.py"], ["src/b.py"]),
        (["src/**/*.ts"], ["src/**/*.mjs"]),
        (["src/a/"], ["src/ab/", "src/a"]),
        (["src/*.py"], ["src/x/*.py"]),
        (["src/**/foo/*.ts"], ["src/bar.ts"]),
        ([], ["**"]),
        ([], []),
    ],
)
def test_scopes_that_share_no_path_do_not_collide(ours: list[str], theirs: list[str]) -> None:
    """S12"""
    found = find(ours, theirs)

    assert (found.collisions, found.doubts, found.sharing) == ([], [], [])


def test_an_agent_never_collides_with_itself() -> None:
    """S12"""
    assert find(["src/a.py", "src/**", "src/a.py"]).collisions == []


def test_every_pair_is_told_in_input_order_and_once() -> None:
    found = find(["a", "b"], ["c"], ["a", "b"], ["b*"])

    pairs = [(hit.ours.id, hit.theirs.id) for hit in found.collisions]
    assert pairs == [("agent-0", "agent-2"), ("agent-0", "agent-3"), ("agent-2", "agent-3")]
    assert found.collisions[0].evidence == ["a", "b"]


def test_an_id_given_twice_is_told_apart_and_is_no_collision() -> None:
    """S12, V6"""
    found = compared([Party("x", ["a"]), Party("x", ["a"]), Party("y", ["a"]), Party("x", [])])

    assert found.duplicates == ("x",)
    assert [(h.ours.id, h.theirs.id) for h in found.collisions] == [("x", "y"), ("x", "y")]


def test_a_pair_that_meets_in_shared_files_only_is_told_as_such() -> None:
    found = find(["CHANGELOG.md", "src/a.py"], ["CHANGELOG.md", "src/b.py"])

    assert found.collisions == []
    ((ours, theirs, path),) = found.sharing
    assert (ours.id, theirs.id, path) == ("agent-0", "agent-1", "CHANGELOG.md")


def test_shared_files_do_not_hide_a_collision_beside_them() -> None:
    found = find(["docs/**", "CHANGELOG.md"], ["docs/*.md", "CHANGELOG.md"])

    assert only(found).witness != "CHANGELOG.md"
    assert found.sharing == []


def test_what_cannot_be_told_is_a_doubt_and_no_silence() -> None:
    found = find([f"f{n}" for n in range(1025)], ["x"])

    (doubt,) = found.doubts
    assert (doubt.ours.id, doubt.theirs.id) == ("agent-0", "agent-1")
    assert "1024 entries" in doubt.reason


def test_evidence_is_spelled_as_the_agents_did() -> None:
    ours = Party("x", ["src/a.py"], spelled={"src/a.py": "./src//a.py"})
    theirs = Party("y", ["src/"], spelled={"src/": "src"})

    assert only(compared([ours, theirs])).evidence == ["./src//a.py", "src"]


class TestSiblings:
    def test_two_that_got_the_same_sibling_must_not_start(self) -> None:
        hit = only(find(["a/util.py"], ["b/util.py"], expand=True))

        assert hit.by_siblings
        assert hit.same == "tests/**/test_util.py"
        assert hit.is_error

    def test_two_whose_siblings_meet_where_nobody_has_a_file_are_only_warned(self) -> None:
        hit = only(find(["a/foo.mjs"], ["b/foobar.mjs"], expand=True))

        assert (hit.by_siblings, hit.same, hit.is_error) == (True, "", False)

    def test_until_a_tracked_file_is_in_both(self) -> None:
        hit = only(find(["a/foo.mjs"], ["b/foobar.mjs"], expand=True))
        hit.seen_in(["tests/foobar.test.mjs", "tests/foobarz.test.mjs"])

        assert (hit.witness, hit.is_error) == ("tests/foobar.test.mjs", True)

    def test_a_sibling_that_another_declares_is_told(self) -> None:
        hit = only(find(["a/foo.py"], ["tests/unit/test_foo.py"], expand=True))

        assert hit.evidence == ["tests/**/test_foo.py", "tests/unit/test_foo.py"]
        assert (hit.by_siblings, hit.is_error) == (True, False)

    def test_without_expansion_nothing_is_said(self) -> None:
        assert find(["a/util.py"], ["b/util.py"]).collisions == []

    def test_declared_scopes_that_collide_are_told_once_and_as_such(self) -> None:
        assert not only(find(["a/util.py"], ["a/*"], expand=True)).by_siblings

    def test_a_sibling_past_a_bound_is_a_doubt_about_siblings(self) -> None:
        long = "d/" * 124 + "x.go"

        (doubt,) = find([long], ["a"], expand=True).doubts

        assert (doubt.by_siblings, "256 characters" in doubt.reason) == (True, True)

    def test_of_a_pair_that_is_in_doubt_already_nothing_more_is_said(self) -> None:
        long = "d/" * 124 + "x.go"

        (doubt,) = find([long], [f"f{n}" for n in range(1025)], expand=True).doubts

        assert not doubt.by_siblings

    def test_shared_siblings_are_no_collision(self) -> None:
        ours = Party("x", ["a/u.py"], ["t/u.lock"])
        assert compared([ours, Party("y", ["b/u.py"], ["t/u.lock"])], SHARED).collisions == []

    def test_a_large_honest_scope_is_expanded_past_the_bound_of_one_scope(self) -> None:
        ours = [f"a/m{n}.py" for n in range(900)]
        theirs = [f"b/n{n}.py" for n in range(900)]

        found = find(ours, theirs, expand=True)
        clash = find(ours, [*theirs, "b/m899.py"], expand=True)

        assert (found.collisions, found.doubts) == ([], [])
        assert only(clash).same == "tests/**/test_m899.py"


def test_the_incident_of_the_original_is_red_and_its_correction_green() -> None:
    """V10, S12"""
    test = "tests/scripts/sweep-expired-learnings-cli.test.mjs"
    plan = [["scripts/sweep.mjs", test], ["tests/scripts/**"], ["docs/x.md"]]

    assert only(find(*plan)).evidence == [test, "tests/scripts/**"]
    assert find(plan[0], ["tests/scripts/other.test.mjs"], plan[2]).collisions == []


@pytest.mark.parametrize("seed", range(900, 904))
def test_exactly_the_pairs_collide_that_the_oracle_says(seed: int) -> None:
    scopes = [family[:2] for family in oracle.families(seed, 1)]
    entries = [entry for family in oracle.families(seed, 4) for entry in family][:12]
    scopes += [[entry] for entry in entries]
    parties = [Party(str(at), scope) for at, scope in enumerate(scopes)]

    told = {(hit.ours.id, hit.theirs.id) for hit in compared(parties).collisions}

    for ours, theirs in itertools.combinations(parties, 2):
        pairs = itertools.product(ours.entries, theirs.entries)
        assert ((ours.id, theirs.id) in told) == any(not oracle.disjoint(a, b) for a, b in pairs)


class TestSubset:
    @pytest.mark.parametrize(
        ("allowed", "entry"),
        [
            (["src/a.py"], "src/a.py"),
            (["src/**"], "src/a.py"),
            (["src/"], "src/x/a.py"),
            (["src/**"], "src/**"),
            (["src/**"], "src/lib/*.py"),
            (["src/*/"], "src/lib/"),
            (["a/**", "b/**"], "{a,b}/**"),
        ],
    )
    def test_what_is_granted_is_within(self, allowed: list[str], entry: str) -> None:
        """S5, V2"""
        assert escape_from(allowed, entry) is None

    @pytest.mark.parametrize(
        ("allowed", "entry"),
        [
            (["src/*"], "src/**"),  # the original's over-approximation
            (["*"], "**"),
            (["src/**/*.ts"], "src/**"),
            (["src/a.py"], "src/b.py"),
            (["a/**"], "{a,b}/**"),
            ([], "a"),
        ],
    )
    def test_what_is_not_escapes_by_a_path(self, allowed: list[str], entry: str) -> None:
        """S5: exact where the original over-approximates"""
        found = escape_from(allowed, entry)

        assert isinstance(found, Escape)
        assert matches(entry, found.path)
        assert not any(matches(each, found.path) for each in allowed)

    def test_a_union_of_any_length_can_be_asked(self) -> None:
        allowed = [f"src/m{n}.py" for n in range(3000)]

        assert escape_from(allowed, "src/m2999.py") is None
        assert isinstance(escape_from(allowed, "src/m3000.py"), Escape)

    def test_a_bound_that_is_hit_is_no_answer(self) -> None:
        unread = "{a,b}" * 7

        assert isinstance(escape_from([unread], "x"), NotProven)

    @settings(max_examples=200)
    @given(
        st.lists(st.text("ab*?/", min_size=1, max_size=4), max_size=3),
        st.text("ab*?/", min_size=1, max_size=4),
    )
    def test_it_agrees_with_brute_force(self, allowed: list[str], entry: str) -> None:
        """S5"""
        from holdshort.core.entries import normalise  # noqa: PLC0415

        scope = [e for e in map(normalise, allowed) if e and not e.startswith("/")]
        asked = normalise(entry)
        if asked is None or asked.startswith("/"):
            return
        found = escape_from(scope, asked)

        missed = [p for p in TREE if oracle.agrees(asked, p)]
        missed = [p for p in missed if not any(oracle.agrees(e, p) for e in scope)]
        if found is None:
            assert missed == []
        else:
            assert isinstance(found, Escape)
            assert oracle.agrees(asked, found.path)
            assert not any(oracle.agrees(e, found.path) for e in scope)
            assert not missed or len(found.path) <= min(map(len, missed))

    @pytest.mark.parametrize(
        ("allowed", "wanted"),
        [
            (["tests/**/x*.test.mjs"], True),
            (["tests/**"], True),
            (["tests/lib/x.test.mjs"], True),
            (["src/**"], False),
            (["tests/lib/y.test.mjs"], False),
            ([], False),
        ],
    )
    def test_a_sibling_is_granted_verbatim_broadly_or_in_part(
        self, allowed: list[str], wanted: bool
    ) -> None:
        """S8"""
        assert has_place(allowed, Siblings().of("src/x.mjs")) is wanted

    def test_one_of_the_names_of_a_test_is_enough(self) -> None:
        """S8"""
        siblings = Siblings().of("src/x.py")

        assert has_place(["tests/unit/test_x.py"], siblings)
        assert has_place(["src/x_test.py"], siblings)
        assert not has_place(["src/x.py", "tests/test_xy.py"], siblings)

    @pytest.mark.parametrize("entry", ["tests/*/test_?.py", "{a,b}" * 7])
    def test_an_entry_that_only_crosses_a_sibling_grants_no_place(self, entry: str) -> None:
        """S8"""
        assert not has_place([entry], ["tests/**/test_x.py"])

    def test_where_there_are_none_nothing_is_missing(self) -> None:
        """S8"""
        assert has_place([], [])
