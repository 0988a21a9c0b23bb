from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from holdshort.core import (
    access,
    extraction,
    scope_labels,
    scope_lines,
    scope_reader,
    scope_words,
)
from holdshort.core.extraction import Extraction, extract

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = os.path.dirname(__file__)


def _corpus() -> list[dict[str, Any]]:
    with open(os.path.join(HERE, "extraction_corpus.toml"), "rb") as file:
        cases: list[dict[str, Any]] = tomllib.load(file)["case"]
    return cases


CORPUS = _corpus()


def _shown(found: Extraction) -> tuple[object, ...]:
    return (
        list(found.entries),
        found.strength,
        found.access,
        [line for line, _ in found.dropped],
        list(found.agent_ids),
    )


@pytest.mark.parametrize("case", CORPUS, ids=[case["name"] for case in CORPUS])
def test_the_corpus_is_read_as_it_says(case: dict[str, Any]) -> None:
    expected = (
        case.get("entries", []),
        case.get("strength", "none"),
        case.get("access", "write"),
        case.get("dropped", []),
        case.get("ids", []),
    )

    assert expected == _shown(extract(case["prompt"], case.get("own", ())))


@pytest.mark.parametrize("case", CORPUS, ids=[case["name"] for case in CORPUS])
def test_line_ends_of_windows_change_nothing(case: dict[str, Any]) -> None:
    prompt = case["prompt"]

    expected = _shown(extract(prompt, case.get("own", ())))

    assert expected == _shown(extract(prompt.replace("\n", "\r\n"), case.get("own", ())))


def test_the_corpus_is_large_and_names_each_case_once() -> None:
    names = [case["name"] for case in CORPUS]

    assert len(names) == len(set(names))
    assert len(names) >= 120


def test_at_least_twenty_cases_stand_on_each_side_of_the_read_line() -> None:
    spoken = [case for case in CORPUS if not case.get("entries")]
    sides = [case.get("access", "write") for case in spoken]

    assert sides.count("read") >= 20
    assert sides.count("write") >= 20


# what a rendered scope says is what comes back

SEGMENT = st.text(alphabet="abcxyz0189_", min_size=1, max_size=6).filter(lambda part: part != "0")
SUFFIX = st.sampled_from(
    [".py", ".tsx", ".d.ts", "/", "/**", "/*.md", "/[slug]/page.tsx", "/(shop)/x.ts", ".{h,cc}"],
)
PREFIX = st.sampled_from(["", "./", "../", "/", "~/", "**/", "@scope/", "src/", "ü/", "c++/"])


@st.composite
def _paths(draw: st.DrawFn) -> str:
    middle = "/".join(draw(st.lists(SEGMENT, min_size=2, max_size=4)))
    return draw(PREFIX) + middle + draw(SUFFIX)


BULLETS = ("", "- ", "* ", "+ ", "• ", "1. ", "12) ", "(3) ", "a) ", "- [ ] ", "* [x] ", "  - ")
QUOTES = ("", "`", '"', "'", "**")
NOTES = (
    *("", "  # note", " - a note", " — a note", " (new)", ": a note", " // why", "\ta note"),
    *(",", ";", " | a note", "   a note in a column", " (new, see below)"),
)
BLOCKS: tuple[Callable[[str], str], ...] = (
    lambda body: f"FILE-SCOPE — exactly these:\n```\n{body}\n```\n",
    lambda body: f"Files you may edit:\n~~~text\n{body}\n~~~\nGo on.",
    lambda body: f"**Allowed files:**\n\n```txt\n{body}\n```",
    lambda body: f"## DATEI-SCOPE\n```\n{body}\n\n```\n\n## Task\n\nFix it.\n",
    lambda body: f"FILE-SCOPE:\n```\n{body}",
    lambda body: f"<file-scope>\n```\n{body}\n```\n</file-scope>",
)
LISTS: tuple[Callable[[str], str], ...] = (
    *BLOCKS,
    lambda body: f"### Files in scope\n{body}\n\nThen report.\n",
    lambda body: f"You may only modify these files:\n\n{body}\n",
)


@given(
    st.lists(_paths(), min_size=1, max_size=6, unique=True),
    st.sampled_from(BULLETS),
    st.sampled_from(QUOTES),
    st.sampled_from(NOTES),
    st.data(),
)
@settings(max_examples=400, deadline=None)
def test_a_scope_in_any_dress_comes_back_as_it_was(
    paths: list[str], bullet: str, quote: str, note: str, data: st.DataObject
) -> None:
    dressed = [f"{bullet}{quote}{path}{quote}{note}" for path in paths]
    assume(quote != "**" or not any(path.startswith(("**", "/")) for path in paths))
    block = data.draw(st.sampled_from(LISTS if bullet else BLOCKS))

    found = extract(block("\n".join(dressed)))

    assert (tuple(paths), "strong", "write", ()) == (
        found.entries,
        found.strength,
        found.access,
        found.dropped,
    )


@given(
    st.lists(_paths(), min_size=1, max_size=6, unique=True), st.sampled_from([", ", ",", " ", "; "])
)
@settings(deadline=None)
def test_paths_on_one_line_come_back_one_by_one(paths: list[str], between: str) -> None:
    found = extract(f"FILE-SCOPE: {between.join(paths)}\n")

    assert (tuple(paths), "strong") == (found.entries, found.strength)


@given(st.lists(_paths(), min_size=1, max_size=4, unique=True), st.text(max_size=200))
@settings(deadline=None)
def test_text_before_a_closed_block_never_changes_its_entries(
    paths: list[str], before: str
) -> None:
    lowered = before.lower()
    assume(
        not any(word in lowered for word in ("`", "~", "#", "scope", "agent", "<", "*", ":", ">"))
    )
    block = "\n\nFILE-SCOPE:\n```\n" + "\n".join(paths) + "\n```\n"

    assert tuple(paths) == extract(before + block).entries


@given(st.text())
@settings(max_examples=300, deadline=None)
def test_text_without_a_word_of_a_marker_holds_nothing(text: str) -> None:
    lowered = text.lower()
    assume(not any(word in lowered for word in extraction.WEAK_GATE))

    found = extract(text)

    assert (found.entries, found.strength, found.dropped) == ((), "none", ())


PIECES = st.sampled_from(
    [
        *("FILE-SCOPE:", "\n", "```", "~~~", "- ", "src/a.py", "#", "**", "|", "Agent B", "(", ")"),
        *("[", "]", "{", "}", "`", '"', "'", ":", ",", ";", " ", "\t", "\r", "\x00", "\ud800"),
        *("\u202e", "not yours", "read-only", "none", "<file-scope>", "</", ">", "You are agent "),
        *("AGENT-ID:", "only modify", "İ", "ß", "\u2028", ".", "..", "/", "-", "!", "|---|\n", "~"),
    ],
)


@given(
    st.lists(PIECES | st.text(max_size=3), max_size=40).map("".join),
    st.lists(st.text(max_size=9), max_size=3),
)
@settings(max_examples=500, deadline=None)
@example("FILE-SCOPE:\n-", [""])
@example("FILE-SCOPE:\n```", ["\ud800"])
@example("|\n| FILE-SCOPE |\n|", ["a"])
def test_any_text_gets_an_answer_of_the_promised_shape(prompt: str, names: list[str]) -> None:
    found = extract(prompt, names)

    assert found.strength in ("strong", "weak", "none")
    assert found.access in ("write", "read")
    assert bool(found.entries) <= (found.strength != "none")
    assert not (found.entries and found.access == "read")
    assert len(found.entries) == len(set(found.entries))
    assert all(0 < len(entry) <= 256 and entry.encode() for entry in found.entries)


@given(st.text(), st.lists(st.text(max_size=5), max_size=4))
@settings(deadline=None)
def test_any_markers_get_an_answer(prompt: str, markers: list[str]) -> None:
    assert extract(prompt, markers=markers).strength in ("strong", "weak", "none")


# cost


def _steps(prompt: str) -> int:
    """Count the Python lines that reading a prompt executes."""
    count = 0

    def trace(frame: Any, event: str, _: Any) -> Any:
        nonlocal count
        if "holdshort" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        extract(prompt, ("Agent A",))
    finally:
        sys.settrace(before)
    return count


SHAPES: dict[str, Callable[[int], str]] = {
    "prose": lambda n: "Please only edit what the file needs: no more.\n" * n,
    "a list": lambda n: "FILE-SCOPE:\n" + "".join(f"- src/{at}.py\n" for at in range(n)),
    "one line": lambda n: "FILE-SCOPE: " + ", ".join(f"src/{at}.py" for at in range(n)),
    "markers": lambda n: "FILE-SCOPE:\n" * n,
    "blocks": lambda n: "FILE-SCOPE:\n```\nsrc/a.py\n\nsome words of prose\n" * n,
    "unclosed fences": lambda n: "FILE-SCOPE:\n~~~x\nsrc/a.py\n\nsome words of prose\n```\n" * n,
    "growing fences": lambda n: "".join("`" * (3 + at % 9) + "x\n" for at in range(n)),
    "open brackets": lambda n: "FILE-SCOPE: " + "[ " * (n + 400) + "](x)",
    "open quotes": lambda n: "FILE-SCOPE: " + "“ " * n + "”",
    "ticks": lambda n: "FILE-SCOPE: " + "``` " * n,
    "open braces": lambda n: "FILE-SCOPE: " + "{" * n + " }",
    "stars": lambda n: "FILE-SCOPE:\n- " + "**" * n,
    "sections": lambda n: "# Agent B\n## FILE-SCOPE\n" * n,
    "quotations": lambda n: "> FILE-SCOPE:\n> - a/b\n\n" * n,
    "tables": lambda n: "FILE-SCOPE:\n| a | b |\n|---|---|\n| src/a | x |\n\n" * n,
    "names": lambda n: "FILE-SCOPE you are agent b " * n,
    "denials": lambda n: "do not edit any files outside. " * n,
    "one word": lambda n: "FILE-SCOPE:\n- " + "a" * n,
    "nested remarks": lambda n: "FILE-SCOPE:\n- src/a.py\n" + "  - add it\n" * n,
}


@pytest.mark.parametrize("shape", SHAPES)
def test_twice_the_prompt_costs_at_most_twice_the_steps(shape: str) -> None:
    once, twice = _steps(SHAPES[shape](150)), _steps(SHAPES[shape](300))

    assert once > 0
    assert twice <= 2.2 * once + 50


def test_a_prompt_without_any_marker_word_is_not_read_line_by_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scope_reader, "Reader", None)

    assert extract("Hello there, sum the primes below ten.\n" * 1000).strength == "none"


@pytest.mark.parametrize("marker", scope_words.MARKERS)
def test_the_gate_lets_every_marker_by(marker: str) -> None:
    prompt = f"{marker.rstrip('(')}:\n- src/a.py\n"

    assert any(word in marker.lower() for word in extraction.WEAK_GATE)
    assert (extract(prompt).entries, extract(prompt).strength) == (("src/a.py",), "strong") or (
        marker.endswith("(")
    )


@pytest.mark.parametrize("cue", [*scope_words.WEAK_CUES, *sorted(scope_words.WEAK_LABELS)])
def test_the_gates_let_every_weak_wording_by(cue: str) -> None:
    assert any(word in cue for word in extraction.WEAK_GATE)


@pytest.mark.parametrize("cue", scope_words.WEAK_CUES)
def test_every_cue_is_weak_and_yields_the_paths_behind_it(cue: str) -> None:
    found = extract(f"Listen: {cue} src/a.py and src/b.py please.\n")

    assert (found.entries, found.strength) == (("src/a.py", "src/b.py"), "weak")


def test_a_prompt_of_ten_megabytes_in_one_line_gets_an_answer() -> None:
    assert extract("only edit the file " * 520_000).strength == "none"


def test_a_block_behind_a_megabyte_of_prose_is_found() -> None:
    prompt = "Some words of a long story.\n" * 40_000 + "FILE-SCOPE:\n- src/a.py\n"

    assert len(prompt) > 1_048_576
    assert extract(prompt).entries == ("src/a.py",)


# seams


def test_markers_can_be_configured() -> None:
    prompt = "WRITE-SET:\n- src/a.py\n\nFILE-SCOPE:\n- src/b.py\n"

    assert extract(prompt).entries == ("src/b.py",)
    assert extract(prompt, markers=("WRITE-SET",)).entries == ("src/a.py", "src/b.py")


def test_an_entry_over_256_characters_is_dropped_with_its_reason() -> None:
    found = extract(f"FILE-SCOPE:\n- src/a.py\n- src/{'x' * 300}.py\n- src/{'y' * 249}.py\n")

    assert ("src/a.py", f"src/{'y' * 249}.py") == found.entries
    assert [reason for _, reason in found.dropped] == [scope_lines.TOO_LONG]


def test_a_dropped_line_is_clipped() -> None:
    found = extract(f"FILE-SCOPE:\n- fix {'the parser ' * 40}\n")

    assert [len(line) for line, _ in found.dropped] == [121]


def test_an_extraction_cannot_grow_new_fields() -> None:
    with pytest.raises(AttributeError):
        Extraction().note = "x"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- src/a.py", ("src/a.py", True)),
        ("**/a.py", ("**/a.py", False)),
        ("*.md", ("*.md", False)),
        ("-x/a.py", ("-x/a.py", False)),
        ("- - a/b", ("a/b", True)),
        ("1.5/a", ("1.5/a", False)),
        ("3. a/b", ("a/b", True)),
        ("[x] a/b", ("a/b", True)),
        ("", ("", False)),
        ("-", ("-", False)),
    ],
)
def test_only_a_sign_with_a_blank_is_a_bullet(line: str, expected: tuple[str, bool]) -> None:
    assert expected == scope_lines.strip_bullet(line)


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("(read-only)", True),
        ("read only, for reference", True),
        ("do not edit", True),
        ("do not edit the header", False),
        ("new", False),
        ("owned by Agent B", True),
        ("reads the config", False),
    ],
)
def test_a_note_takes_a_path_out_only_if_it_speaks_of_the_whole_file(
    note: str, expected: bool
) -> None:
    assert expected is scope_lines.says_read(note)


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        (" agent b s files ", "b"),
        (" backend agent ", "backend"),
        (" file scope per agent ", ""),
        (" the agent is running ", ""),
        (" owned by worker 3 ", "3"),
    ],
)
def test_a_label_names_an_agent_by_what_stands_beside_the_word(label: str, expected: str) -> None:
    assert expected == scope_labels.agent_in(label)


@pytest.mark.parametrize("phrase", ["Do not edit any files.", "Research only.", "Nur lesen!"])
def test_a_reading_phrase_counts_wherever_its_line_stands(phrase: str) -> None:
    assert access.says_read_only(["Explore the module.", phrase, "Report back."])


def test_reading_a_prompt_loads_nothing_but_the_core() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); before = set(sys.modules);"
        "from holdshort.core.extraction import extract; extract('FILE-SCOPE: src/a.py');"
        "print(sorted(n for n in set(sys.modules) - before if not n.startswith('holdshort')))"
    )
    lib = os.path.join(HERE, "..", "..", "lib")

    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, lib], capture_output=True, text=True, check=True
    )

    assert done.stdout == "['__future__']\n"


def _blocks_of_the_page() -> list[str]:
    page = os.path.join(HERE, "..", "..", "docs", "declaring-a-scope.md")
    with open(page, encoding="utf-8") as file:
        parts = file.read().split("\n\n")
    return [part.replace("\n    ", "\n").strip() for part in parts if part.startswith("    ")]


def test_the_blocks_that_the_documentation_shows_are_understood() -> None:
    shown = [
        (found.entries, found.strength, found.access)
        for found in map(extract, _blocks_of_the_page())
    ]

    assert shown == [
        (("src/parser.py", "src/lexer/**", "tests/test_parser.py"), "strong", "write"),
        ((), "strong", "read"),
    ]
