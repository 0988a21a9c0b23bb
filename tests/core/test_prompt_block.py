"""The block for a prompt: whatever it says is read back as it was meant, or it is not said."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdshort.core.entries import normalise
from holdshort.core.extraction import extract
from holdshort.core.prompt_block import block, is_read_back

ODD = [
    *("src/a.py", "a b.py", "src/a b/c d.py", "a#b.py", "# x.py", "a`b.py", "```", "`a b`.py"),
    *(
        "app/[slug]/page.tsx",
        "(group)/x.ts",
        "ü/ß.py",
        "日本/語.md",
        "a'b.py",
        "{a,b}.py",
        "a, b.py",
    ),
    *("-x.py", "Makefile", "**", "*", ".", "@x/y", "x", "none", "foo bar", "1. x.py", "src/"),
    *("only.py", "read only/x.py", "x;y z.py", "FILE-SCOPE.md", "a```b.py", "src/**/*.ts"),
]


@pytest.mark.parametrize("entry", ODD)
def test_an_odd_name_is_read_back_as_it_is(entry: str) -> None:
    text, lost = block("api", [entry])

    assert lost == ()
    assert is_read_back(text, [entry])


def test_all_of_them_together_too_in_order() -> None:
    text, _ = block("api", ODD)
    found = extract(text)

    assert [normalise(entry) for entry in found.entries] == [normalise(entry) for entry in ODD]
    assert (found.agent_ids, found.access, found.dropped) == (("api",), "write", ())


def test_plain_entries_are_said_plainly() -> None:
    text, _ = block("api", ["src/a.py", "docs/**"])

    assert text == ("AGENT-ID: api\n\nFILE-SCOPE — exactly these:\n```\nsrc/a.py\ndocs/**\n```\n")


def test_the_fence_is_longer_than_any_backticks_inside() -> None:
    assert "\n````\n" in block("api", ["a```b.py"])[0]


def test_an_empty_scope_is_said_to_be_empty() -> None:
    found = extract(block("api", [])[0])

    assert (found.entries, found.strength) == ((), "strong")


@pytest.mark.parametrize("entry", ["src/a.py:10", "a#L7", "<x>.py", "http://x/y"])
def test_what_no_spelling_gets_through_is_named_and_left_out(entry: str) -> None:
    text, lost = block("api", ["src/b.py", entry])

    assert lost == (entry,)
    assert extract(text).entries == ("src/b.py",)


NAMES = st.text("ab`#'\" [](){}-*.é日,;:!$@/", min_size=1, max_size=10)


@settings(max_examples=300, deadline=None)
@given(st.lists(NAMES.filter(lambda name: normalise(name) is not None), max_size=4))
def test_every_block_is_read_back_as_what_it_did_not_lose(entries: list[str]) -> None:
    text, lost = block("agent", entries)

    said = [entry for entry in entries if entry not in lost]
    assert is_read_back(text, said), text
