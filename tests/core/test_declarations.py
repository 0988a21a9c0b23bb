"""What agents declare: every fault at once, and nothing that names a place outside the tree."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdshort.core.declarations import (
    below_root,
    climbs,
    declared,
    entry_list,
    is_safe_id,
    leaves_tree,
    recorded,
    union,
)

BASES = ["/data/tree", "/link/tree"]
COORDINATOR = {"id": "coordinator", "files": []}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["id", "files", "file"]), inner, max_size=3)
    ),
    max_leaves=12,
)


def faults_of(*records: Any) -> str:
    found, faults = declared([*records, COORDINATOR], BASES)
    assert bool(found) != bool(faults)
    return "\n".join(faults)


def of_files(*files: Any) -> str:
    return faults_of({"id": "api", "files": list(files)})


def test_sound_declarations_keep_order_and_spelling() -> None:
    """M1"""
    files = ["src/b.py", "./src/a.py", "src/b.py", "docs/[slug].md", "é #1/`x`.md"]
    found, faults = declared([{"id": "api", "files": files, "note": 1}, COORDINATOR], BASES)

    assert faults == ()
    assert [each.id for each in found] == ["api", "coordinator"]
    assert list(found[0].files) == files
    assert found[0].record["note"] == 1


def test_every_fault_is_named_at_once_with_its_place() -> None:
    _, faults = declared(
        [{"id": "-x", "files": ["ok", 3]}, 7, {"id": "b", "file": ["a"]}, {"id": "c"}], BASES
    )

    text = "\n".join(faults)
    for part in (
        'record 0 ("-x"): id:',
        'record 0 ("-x"): files[1]',
        "record 1: is not an object",
        'record 2 ("b"): files: missing ("file"',
        'record 3 ("c"): files: missing',
        '"coordinator"',
    ):
        assert part in text


@pytest.mark.parametrize("value", [None, {}, [], "x", {"api": ["a"]}, 3])
def test_anything_but_a_list_with_records_is_refused(value: Any) -> None:
    assert declared(value, BASES) == ((), declared(value, BASES)[1])
    assert len(declared(value, BASES)[1]) == 1


@pytest.mark.parametrize("name", ["a", "7", "api-2", "a_b", "A" * 128])
def test_a_safe_id_is_taken(name: str) -> None:
    assert is_safe_id(name)
    assert faults_of({"id": name, "files": ["a"]}) == ""


@pytest.mark.parametrize(
    "name",
    ["", "-a", "_a", "a/b", "..", "a.json", "é", "²", "a b", "A" * 129, "a\n", None, 3, ["a"]],
)
def test_an_unsafe_id_is_refused(name: Any) -> None:
    """M6"""
    assert "id: must be ASCII" in faults_of({"id": name, "files": ["a"]})


def test_ids_are_unique_whatever_their_case() -> None:
    """M3"""
    text = faults_of({"id": "Api", "files": ["a"]}, {"id": "aPI", "files": ["b"]})

    assert '"aPI" stands there twice' in text


def test_without_a_coordinator_nothing_is_taken() -> None:
    """M4"""
    found, faults = declared([{"id": "api", "files": ["a"]}], BASES)

    assert found == ()
    assert "coordinator" in faults[0]


@pytest.mark.parametrize("name", ["Coordinator", "COORDINATOR"])
def test_the_coordinator_is_written_in_lower_case(name: str) -> None:
    """M5"""
    _, faults = declared([{"id": name, "files": []}], BASES)

    assert any("in lower case" in fault for fault in faults)


def test_two_coordinators_are_refused() -> None:
    assert "twice" in faults_of(COORDINATOR)


@pytest.mark.parametrize("entry", ["../a", "src/../a", "a/..", "..", "a\\..\\b", "{..,a}/b"])
def test_a_step_up_is_refused_with_either_slash(entry: str) -> None:
    """M7"""
    assert climbs(entry)
    assert "segment `..`" in of_files(entry)


@pytest.mark.parametrize("entry", ["..a", "a..", "a..b/c", "...", "src/..x/y"])
def test_dots_within_a_name_are_no_step_up(entry: str) -> None:
    assert not climbs(entry)
    assert of_files(entry) == ""


@pytest.mark.parametrize("entry", ["", "  ", "\t", 3, None, [], "a\0b", "a\nb", "a\rb", "\ud800"])
def test_an_entry_that_is_no_plain_text_is_refused(entry: Any) -> None:
    assert "files[0]" in of_files(entry)


def test_the_bounds_of_the_guard_are_those_of_a_declaration() -> None:
    assert of_files("a" * 256, *(f"f{n}" for n in range(1023))) == ""
    assert "longer than 256" in of_files("a" * 257)
    assert "at most 1024" in of_files(*(f"f{n}" for n in range(1025)))


@pytest.mark.parametrize(
    "entry",
    [
        "~",
        "~/x",
        "~/",
        "./~/x",
        "C:\\x",
        "c:/x",
        "C:",
        "\\\\host\\share",
        "//host/share",
        "/etc/hosts",
        "/",
        "/**",
        "/data",
        "/data/tree2/a",
        "/data/*/a",
        "{/etc,src}/x",
        "{/data/tree,src}/x",
    ],
)
def test_an_entry_outside_the_tree_is_refused(entry: str) -> None:
    assert leaves_tree(entry, BASES)
    assert "outside the working tree" in of_files(entry)


@pytest.mark.parametrize("entry", ["~x", "a~/b", "src/~", "c:x", "cc:/x", "a/C:/b", "etc/hosts"])
def test_names_that_only_look_like_it_are_not(entry: str) -> None:
    assert not leaves_tree(entry, BASES)
    assert of_files(entry) == ""


@pytest.mark.parametrize(
    ("entry", "meant"),
    [
        ("/data/tree/src/a.py", "src/a.py"),
        ("/link/tree//src/./*.py", "src/*.py"),
        ("/data/tree", "**"),
        ("/data/tree/", "**"),
        ("/data/tree/src/", "src/"),
        ("src/a.py", None),
        ("/data/tree2/a", None),
        ("/data/*/a", None),
    ],
)
def test_an_absolute_entry_below_the_root_is_meant_relative(entry: str, meant: str | None) -> None:
    assert below_root(entry, BASES) == meant
    if meant:
        found, _ = declared([{"id": "a", "files": [entry]}, COORDINATOR], BASES)
        assert found[0].files == (meant,)


def test_a_fault_says_nothing_hostile() -> None:
    text = faults_of({"id": "\x1b[31m", "files": ["\x1b]0;x\x07/..", "\u202e/../x"]})

    assert text.replace("\n", "").isprintable()


def test_side_records_need_no_id_and_are_called_by_their_place() -> None:
    found, faults = recorded(
        [{"files": ["a"]}, {"id": "", "files": []}, {"id": "x y", "files": []}]
    )

    assert faults == ()
    assert [each.id for each in found] == ["<unnamed#0>", "<unnamed#1>", "x y"]


@pytest.mark.parametrize(
    "value", [{"api": ["a"]}, ["a"], [{"file": ["a"]}], [{"files": "a"}], [{"files": [3]}], None]
)
def test_side_records_of_another_shape_are_refused(value: Any) -> None:
    """V6"""
    found, faults = recorded(value)

    assert found == ()
    assert faults


@pytest.mark.parametrize("value", [{}, [3], ["a", ""], None, [["a"]]])
def test_a_list_of_entries_holds_texts_only(value: Any) -> None:
    """V2"""
    assert entry_list(value)[1]
    assert entry_list(["a", "b"]) == (("a", "b"), ())


def test_the_union_takes_both_shapes_in_first_seen_order() -> None:
    """S11"""
    assert union([["b", "a"], ["a", "c"]]) == ["b", "a", "c"]
    assert union([{"id": 1, "files": ["b", "a"]}, {"files": ["z", "b"]}]) == ["b", "a", "z"]
    assert union([{"files": ["b"]}, 3, None, ["a", 7, ""], {"file": ["x"]}, {}]) == ["b", "a"]


@pytest.mark.parametrize("value", [None, {}, "abc", 3, {"files": ["a"]}])
def test_the_union_of_no_list_is_empty(value: Any) -> None:
    """S11"""
    assert union(value) == []


@given(JSON)
def test_nothing_breaks_any_of_them(value: Any) -> None:
    """S11"""
    joined = union(value)

    assert len(set(joined)) == len(joined)
    for found, faults in (declared(value, BASES), recorded(value), entry_list(value)):
        assert not (found and faults)
