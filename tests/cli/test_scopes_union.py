"""`holdshort scopes union`: what to grant, and nothing while two agents want one file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from holdshort.cli.scopes.witnesses import Tracked
from holdshort.core.overlap import matches

if TYPE_CHECKING:
    from tests.cli.conftest import Tree


def union(tree: Tree, records: Any, *args: str) -> Any:
    return tree.run("union", tree.file("side.json", records), *args)


def test_all_entries_are_printed_in_first_seen_order(tree: Tree) -> None:
    """S11, M14"""
    done = union(tree, [{"id": "a", "files": ["z", "b"]}, {"files": ["a"]}])

    assert (done.code, done.err, done.out) == (0, "", '[\n  "z",\n  "b",\n  "a"\n]\n')


def test_the_role_decides_whether_tests_are_added(tree: Tree) -> None:
    """S7"""
    records = [{"files": ["src/x.go", "src/y.md"]}]

    assert union(tree, records).json == ["src/x.go", "src/y.md"]
    assert union(tree, records, "--role", "Discovery").json == ["src/x.go", "src/y.md"]
    grown = union(tree, records, "--role", "Impl-Polish").json
    assert grown == ["src/x.go", "src/y.md", "src/x_test.go"]


def test_colliding_scopes_have_none(tree: Tree) -> None:
    done = union(tree, [{"id": "a", "files": ["src"]}, {"id": "b", "files": ["src/a.py"]}])

    assert (done.code, done.out) == (1, "")
    assert 'ERROR: "a" and "b" collide' in done.err


def test_an_absolute_entry_of_the_tree_is_granted_as_a_relative_one(tree: Tree) -> None:
    assert union(tree, [{"files": [f"{tree.repo}/src/a.py", "src/a.py"]}]).json == ["src/a.py"]


def test_a_directory_has_no_test_whatever_its_name(tree: Tree) -> None:
    (tree.repo / "odd.go").mkdir()

    assert union(tree, [{"files": ["odd.go"]}], "--role", "Impl-Core").json == ["odd.go"]


def test_nothing_from_nothing(tree: Tree) -> None:
    assert union(tree, []).json == []
    assert union(tree, [{"files": []}], "--role", "Impl-Core").json == []


def test_scripts_get_the_warnings_too(tree: Tree) -> None:
    records = [{"id": "a", "files": ["src/f.mjs"]}, {"id": "b", "files": ["src/fo.mjs"]}]

    done = union(tree, records, "--role", "Impl-Core", "--json")

    assert (done.code, done.json["ok"], len(done.json["warnings"])) == (0, True, 1)
    assert done.json["union"][:2] == ["src/f.mjs", "src/fo.mjs"]


@pytest.mark.parametrize("args", [(), ("",), ("a", "b"), ("a", "--role", ""), ("--role", "x")])
def test_bad_usage_is_one_line_and_exit_1(tree: Tree, args: tuple[str, ...]) -> None:
    """A23"""
    done = tree.run("union", *args)

    assert (done.code, done.out, len(done.errors)) == (1, "", 1)


def test_a_missing_file_is_exit_2_and_another_shape_exit_1(tree: Tree) -> None:
    assert tree.run("union", "nope.json").code == 2
    assert union(tree, {"a": ["b"]}).code == 1


PIECES = ["a", "b", "*", "**", "?", "a*", "a**b", "[a]", "!a", "#a", "a b", "{a,b}", "\\", " "]
ENTRIES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("/".join)
NAMES = ["a", "b", "ab", "axb", "[a]", "!a", "#a", "a b", " ", "\\"]
PATHS = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3).map("/".join)


@example(entry="a**b", below=False, paths=["a/b", "ab", "a/a/b"])
@example(entry="a/**", below=True, paths=["a/b", "a/a/b", "a"])
@given(entry=ENTRIES, below=st.booleans(), paths=st.lists(PATHS, max_size=8, unique=True))
def test_narrowing_loses_no_file_that_the_matcher_takes(
    entry: str, below: bool, paths: list[str]
) -> None:
    entry = f"{entry}/" if below else entry

    taken = {path: path for path in paths if matches(entry, path)}
    assert Tracked(paths).matching(entry) == taken
