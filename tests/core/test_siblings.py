"""Test siblings: exact names, only where a file of that language has them, never twice."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdshort.core.overlap import meet
from holdshort.core.siblings import Siblings, expands

DEFAULT = Siblings()


@pytest.mark.parametrize(
    ("role", "enabled", "wanted"),
    [
        ("Impl-Core", None, True),
        ("impl-polish", None, True),
        ("  IMPL-CORE ", None, True),
        ("Discovery", None, False),
        ("Impl", None, False),
        ("", None, False),
        (None, None, False),
        (3, None, False),
        (["Impl-Core"], None, False),
        ("Discovery", True, True),
        (None, True, True),
        ("Impl-Core", False, False),
    ],
)
def test_the_role_decides_unless_the_user_does(
    role: Any, enabled: bool | None, wanted: bool
) -> None:
    """S7"""
    assert expands(role, enabled) is wanted


@pytest.mark.parametrize(
    ("entry", "siblings"),
    [
        ("scripts/lib/x.mjs", ["tests/**/x*.test.mjs"]),
        ("a/x.py", ["tests/**/test_x.py", "a/test_x.py", "a/x_test.py"]),
        ("x.py", ["tests/**/test_x.py", "test_x.py", "x_test.py"]),
        ("a/x.go", ["a/x_test.go"]),
        ("src/x.rs", ["tests/**/x.rs", "src/x/tests.rs"]),
        (
            "m/src/main/java/p/X.java",
            [f"m/src/test/java/p/X{end}.java" for end in ("Test", "Tests", "IT")],
        ),
        ("src/main/X.java", [f"src/test/X{end}.java" for end in ("Test", "Tests", "IT")]),
        ("p/X.java", [f"p/X{end}.java" for end in ("Test", "Tests", "IT")]),
        ("p/osrc/main/X.java", [f"p/osrc/main/X{end}.java" for end in ("Test", "Tests", "IT")]),
        *(
            (
                f"a/x.{ext}",
                [
                    f"a/x.test.{ext}",
                    f"a/x.spec.{ext}",
                    f"a/__tests__/x.test.{ext}",
                    f"tests/**/x.test.{ext}",
                ],
            )
            for ext in ("js", "jsx", "cjs", "ts", "tsx", "mts", "cts")
        ),
        ("./a//x.go", ["a/x_test.go"]),
        ("a/[slug] #1.go", ["a/[slug] #1_test.go"]),
        ("a/{dir}.go", ["a/{dir}_test.go"]),
    ],
)
def test_a_source_file_has_the_siblings_of_its_language(entry: str, siblings: list[str]) -> None:
    """S6"""
    assert DEFAULT.of(entry) == siblings


@pytest.mark.parametrize(
    "entry",
    [
        "/abs/x.py",
        "~/x.py",
        "src/*.py",
        "src/**",
        "src/",
        "s?.py",
        "{a,b}.py",
        "README.md",
        "src",
        ".py",
        "x.PY",
        "../x.py",
        "",
    ],
)
def test_globs_absolute_entries_and_other_files_have_none(entry: str) -> None:
    """S6"""
    assert DEFAULT.of(entry) == []


@pytest.mark.parametrize(
    "entry",
    [
        "tests/x.py",
        "tests/a/x.mjs",
        "test/x.js",
        "a/__tests__/x.ts",
        "a/x.test.ts",
        "a/x.spec.js",
        "a/test_x.py",
        "a/x_test.py",
        "conftest.py",
        "a/conftest.py",
        "a/x_test.go",
        "a/XTest.java",
        "a/XTests.java",
        "XIT.java",
        "src/x/tests.rs",
    ],
)
def test_there_is_no_test_of_a_test(entry: str) -> None:
    """S6: no inverse"""
    assert DEFAULT.of(entry) == []


@pytest.mark.parametrize("entry", ["a/attest.py", "a/latest.go", "contests/x.py", "a/Test.ts"])
def test_a_name_that_only_sounds_like_a_test_is_none(entry: str) -> None:
    assert DEFAULT.of(entry) != []


@pytest.mark.parametrize(
    "entry",
    [
        "a/__init__.py",
        "a/__main__.py",
        "a/index.ts",
        "a/index.mjs",
        "a/main.go",
        "a/mod.rs",
        "a/lib.rs",
        "a/main.py",
        "index.js",
    ],
)
def test_a_name_of_every_directory_has_siblings_in_its_own_only(entry: str) -> None:
    siblings = DEFAULT.of(entry)

    assert not any("**" in sibling for sibling in siblings)
    assert siblings or entry.endswith(".mjs")


def test_so_two_packages_do_not_collide_by_their_common_names() -> None:
    ours, theirs = DEFAULT.expanded(["a/__init__.py"]), DEFAULT.expanded(["b/__init__.py"])

    assert meet(ours, theirs) is None


def test_siblings_are_exact_so_a_longer_name_is_not_granted() -> None:
    assert meet(DEFAULT.of("a/user.py"), DEFAULT.of("a/user_admin.py")) is None


def test_nothing_is_added_to_nothing() -> None:
    """S6"""
    assert DEFAULT.expanded([]) == []


def test_the_entries_stay_first_and_as_they_are() -> None:
    """S6"""
    entries = ["b/x.go", "./a.md", "b/x_test.go", "b/x.go", "src/**"]

    assert DEFAULT.expanded(entries) == entries
    assert DEFAULT.expanded([*entries, "y.go"]) == [*entries, "y.go", "y_test.go"]


def test_rules_of_the_user_are_added_and_their_tests_are_tests() -> None:
    """S6"""
    own = Siblings([("**/*.kt", "{dir}/{basename}Test.kt"), ("lib/*.py", "checks/{basename}.py")])

    assert own.of("a/X.kt") == ["a/XTest.kt"]
    assert own.of("a/XTest.kt") == []
    assert own.of("lib/x.py")[-1] == "checks/x.py"
    assert "checks/x.py" not in own.of("src/x.py")
    assert DEFAULT.of("a/X.kt") == []


def test_a_brace_list_in_a_rule_is_written_out() -> None:
    """The original's readers take braces for letters."""
    own = Siblings([("**/*.kt", "{dir}/{basename}{Test,IT}.kt")])

    assert own.of("a/X.kt") == ["a/XTest.kt", "a/XIT.kt"]
    assert own.of("a/XIT.kt") == []


NAMES = st.text("ab_.[]{},-~ é", min_size=1, max_size=8)
ENDINGS = st.sampled_from(["py", "mjs", "ts", "go", "rs", "java", "kt", "md"])
PATHS = st.builds(
    lambda parts, name, ending: "/".join([*parts, f"{name}.{ending}"]),
    st.lists(st.sampled_from(["src", "main", "a", "tests", "x y", "{dir}"]), max_size=3),
    NAMES | st.sampled_from(["index", "test_a", "a_test", "XTest", "tests", "__init__"]),
    ENDINGS,
)


@given(st.lists(PATHS, max_size=5))
def test_expansion_is_append_only_and_idempotent(entries: list[str]) -> None:
    """S6"""
    own = Siblings(
        [("**/*.kt", "{dir}/{basename}Test.kt"), ("**/*.md", "spec/{dir}/{basename}.md")]
    )

    once = own.expanded(entries)

    assert once[: len(entries)] == entries
    assert own.expanded(once) == once
    assert not any(meet([s], ["/**"]) for s in once[len(entries) :])


@pytest.mark.parametrize(
    ("template", "path", "made"),
    [
        ("{dir}/t_{basename}.{ext}", "a/b/x.py", ["a/b/t_x.py"]),
        ("{dir}/t_{basename}", "x.py", ["t_x"]),
        ("{dir}/t_{basename}", "a/Makefile", ["a/t_Makefile"]),
        ("{dir}/t{ext}_{basename}", "a/Makefile", ["a/t_Makefile"]),
        ("{dir}/{basename}.{ext}.t", "a/x.y.py", ["a/x.y.py.t"]),
        ("{test_dir}/{basename}T", "m/src/main/src/main/X.j", ["m/src/test/src/main/XT"]),
        ("tests/**/{basename}_t", "a/index.py", []),
        ("{dir}/{basename}_t", "a/index.py", ["a/index_t"]),
        ("{test_dir}/{basename}_t", "a/index.py", ["a/index_t"]),
        ("t/{unknown}/{basename}", "x.py", ["t/{unknown}/x"]),
        ("t/{basename", "x.py", ["t/{basename"]),
    ],
)
def test_a_template_is_filled_from_the_parts_of_the_path(
    template: str, path: str, made: list[str]
) -> None:
    rules = Siblings([("**", template)])

    assert [one for one in rules.of(path) if one not in DEFAULT.of(path)] == made
