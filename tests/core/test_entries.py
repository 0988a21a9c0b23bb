"""What an entry as written comes to: its canonical text, its alternatives, its tokens."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdshort.core import entries
from holdshort.core.entries import expand, is_glob, lex, normalise, read_scope, tokenise

ANY_TEXT = st.text(max_size=40) | st.text(alphabet="ab./*?{,}\\", max_size=20)


@pytest.mark.parametrize(
    ("canonical", "written"),
    [
        ("src/a.ts", "src/a.ts"),
        ("a/b", "./a/b"),
        ("a/b", "././a/b"),
        ("a/b", "a/././b"),
        ("a/b", "a/./././b"),
        ("a/b", "a//b"),
        ("a/b", "a////.//b"),
        ("a/", "a/"),
        ("a/", "a//"),
        ("a/", "a/."),
        ("a/", "a/b/.."),
        ("b", "a/../b"),
        ("c/d", "a/b/../../c/d"),
        ("a/c", "./a/x/../c"),
        ("..x/a", "..x/a"),
        ("a/...", "a/..."),
        ("src/a.ts", "src\\a.ts"),
        ("**", "."),
        ("**", "./"),
        ("**", "a/.."),
        ("**", "**"),
        ("/a/b", "/a/b"),
        ("/a/b", "//a/./b"),
        ("/**", "/"),
        ("**", "***"),
        ("a/**/b", "a/***/b"),
        ("a/**/b", "a/**/**/**/b"),
        ("a/**/b", "a/****/**/b"),
        ("**", "**/**"),
        ("a**/b", "a**/**/b"),
        ("app/[slug]/page.tsx", "app/[slug]/page.tsx"),
        ("app/(shop)/@modal/c++ #!.ts", "app/(shop)/@modal/c++ #!.ts"),
        ("{a,b}/../c", "{a,b}/../c"),
        ("x/{a,b}", "./x//./{a,b}"),
        ("{a/b,d/../e}", "{a/b,d/../e}"),
        ("{c,d}", "a/../{c,d}"),
        ("docs/übersicht.md", "docs/u\u0308bersicht.md"),
    ],
)
def test_an_entry_is_written_in_one_way_only(canonical: str, written: str) -> None:
    assert canonical == normalise(written)


@pytest.mark.parametrize(
    "written",
    [
        "",
        "..",
        "../a",
        "a/../../b",
        "./..",
        "/..",
        "/a/../../b",
        "..\\a",
        "*/../a",
        "a?/../b",
        "**/..",
        "a\0b",
        "a\nb",
        "a\x1bb",
        "a\x1fb",
        "a\x7f",
        "a\x85",
        "{../a,../b}",
        "../{a,b}",
        "{a,b}/../../c",
    ],
)
def test_what_can_mean_no_path_is_no_entry(written: str) -> None:
    assert normalise(written) is None


@given(ANY_TEXT)
def test_normalising_is_total_and_settles_at_once(text: str) -> None:
    once = normalise(text)
    assert once is None or once == normalise(once)


@given(ANY_TEXT)
def test_a_canonical_entry_keeps_no_trace_of_how_it_was_written(text: str) -> None:
    entry = normalise(text)
    if entry is not None:
        assert not any(trace in entry for trace in ("//", "***", "/./", "\\", "\0"))
        assert "{" in entry or ".." not in entry.split("/")


def test_a_megabyte_of_dots_and_slashes_is_just_long() -> None:
    assert normalise("a/.//./" * 150_000 + "b") == "a/" * 150_000 + "b"
    assert normalise("*" * 1_000_000) == "**"


@pytest.mark.parametrize("entry", ["*", "a*", "?", "src/", "{a,b}", "a{b{c,d}e}", "x/**/y"])
def test_wildcards_lists_and_a_trailing_slash_make_a_glob(entry: str) -> None:
    assert is_glob(entry)


@pytest.mark.parametrize(
    "entry", ["a", "a/b.ts", "[a]", "{}", "{a}", "{a,b", "a,b}", "}a,b{", "!x"]
)
def test_everything_else_is_a_path(entry: str) -> None:
    assert not is_glob(entry)


@pytest.mark.parametrize(
    ("alternatives", "entry"),
    [
        (("a.ts",), "a.ts"),
        (("a.ts", "a.tsx"), "a.{ts,tsx}"),
        (("a", "ab"), "a{,b}"),
        (("xa", "xbd", "xcd"), "x{a,{b,c}d}"),
        (("ac", "ad", "bc", "bd"), "{a,b}{c,d}"),
        (("a/b/x", "c/x"), "{a/b,c}/x"),
        (("{abd}", "{acd}"), "{a{b,c}d}"),
        (("{a,b", "{a,c"), "{a,{b,c}"),
        (("{a", "{ab"), "{a{,b}"),
        (("a}", "b}"), "{a,b}}"),
        (("{}",), "{}"),
        (("{a}",), "{a}"),
        (("{a,b",), "{a,b"),
        (("a,b}",), "a,b}"),
        (("a",), "{a,a}"),
        (("src/x", "src/a/x"), "src/{,a}/x"),
        (("src/x", "src/a/x"), "src/{.,a}/x"),
        (("x/c",), "x/{a,b}/../c"),
        (("a", "b"), "{a,q/../b}"),
        (("a",), "{a,../b}"),
        (("a*", "**"), "{a,*}*"),
        (("a", "/b"), "{a,/b}"),
        ((), "{..,../..}"),
    ],
)
def test_brace_lists_expand_as_in_a_shell(alternatives: tuple[str, ...], entry: str) -> None:
    assert alternatives == expand(entry)


def test_sixty_four_alternatives_are_expanded_and_no_more() -> None:
    assert len(expand("{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}") or ()) == 64
    assert expand("{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n}") is None
    assert expand("{" + ",".join(map(str, range(64))) + "}") is not None
    assert expand("{" + ",".join(map(str, range(65))) + "}") is None


def test_nesting_as_deep_as_an_entry_is_long_does_not_recurse() -> None:
    assert expand("{a," * 40 + "b" + "}" * 40) == ("a", "b")
    assert expand("{" * 100_000) == ("{" * 100_000,)


def test_many_lists_stop_at_the_bound_without_being_written_out() -> None:
    assert expand("{a,b}" * 10_000) is None


@pytest.mark.parametrize(
    ("tokens", "alternative"),
    [
        (("a", "/", "b"), "a/b"),
        (("a", "/", "**"), "a/"),
        (("**",), "**/"),
        (("a", "/", "**"), "a/**/"),
        (("a", "/", "**/", "b"), "a/**/b"),
        (("a", "**/", "b"), "a**/b"),
        (("a", "**", "b"), "a**b"),
        (("**/", "*"), "**/*"),
        (("**/", "b"), "**/**/b"),
        (("**", "b"), "**/**b"),
        (("**",), "***"),
        (("**/", "a"), "****/a"),
        (("?", "*"), "?*"),
        (("[", "a", "]", " "), "[a] "),
    ],
)
def test_an_alternative_is_a_row_of_tokens(tokens: tuple[str, ...], alternative: str) -> None:
    assert tokens == tokenise(alternative)


@given(st.text(alphabet="a/*?", max_size=30))
def test_two_tokens_that_may_be_nothing_meet_only_as_directories_before_a_name(text: str) -> None:
    may_be_nothing = ("*", "**", "**/")
    tokens = lex(text)
    rows = [pair for pair in pairwise(tokens) if set(pair) <= set(may_be_nothing)]
    assert set(rows) <= {("**/", "*")}


def test_a_scope_is_read_with_the_entry_each_alternative_comes_from() -> None:
    read = [("a{b,c}", ("a", "b")), ("a{b,c}", ("a", "c")), ("d/", ("d", "/", "**"))]
    assert (read, "") == read_scope(["a{b,c}", "d/"])


@pytest.mark.parametrize(
    ("reason", "scope"),
    [
        ("an entry longer than 256 characters", ["a" * 257]),
        ("more than 1024 entries", ["a"] * 1025),
        (
            "more than 64 brace alternatives in an entry or 256 in a scope",
            ["{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}"],
        ),
        (
            "more than 64 brace alternatives in an entry or 256 in a scope",
            [f"{i}{{a,b}}{{a,b}}{{a,b}}{{a,b}}{{a,b}}{{a,b}}" for i in range(5)],
        ),
    ],
)
def test_what_is_past_a_bound_is_said(reason: str, scope: list[str]) -> None:
    assert reason == read_scope(scope)[1]


def test_what_is_within_the_bounds_is_read_whatever_else_is_not() -> None:
    read, unread = read_scope(["a", "b" * 257, "c"])
    assert [entry for entry, _ in read] == ["a", "c"]
    assert unread


@pytest.mark.parametrize("scope", [["a" * 256], ["a"] * 1024, ["{a,b}"] * 128])
def test_the_bounds_themselves_are_within(scope: list[str]) -> None:
    assert not read_scope(scope)[1]


def test_a_hook_loads_nothing_for_the_matcher_but_the_matcher() -> None:
    lib = entries.__file__.removesuffix("/holdshort/core/entries.py")
    program = (
        "import sys; sys.path.append(sys.argv[1]); before = set(sys.modules)\n"
        "import holdshort.core.cover, holdshort.core.scope_index\n"
        "from holdshort.core.overlap import meet\n"
        "meet(['a/{b,c}/**'], ['**/*.ts'], ['d'])\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    loaded = subprocess.run(
        [sys.executable, "-I", "-S", "-c", program, lib], capture_output=True, text=True, check=True
    )
    names = ("cover", "entries", "overlap", "scope_index")
    expected = [
        "__future__",
        "holdshort",
        "holdshort.core",
        *(f"holdshort.core.{name}" for name in names),
    ]
    assert expected == loaded.stdout.split()
