"""The corpus of shell commands, read with the parser and without it."""

from __future__ import annotations

import os
import posixpath
import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdshort.adapters.bash_parser import parser
from holdshort.core import shell_targets
from holdshort.core.shell_code import MOST_ARGUMENTS, code_of
from holdshort.core.shell_gate import may_write
from holdshort.core.shell_lexer import Lexer, lex
from holdshort.core.shell_patches import paths_of_diff, paths_of_envelope
from holdshort.core.shell_reach import certainly_met
from holdshort.core.shell_script import SOME
from holdshort.core.shell_targets import Hit, Reading, Shell, read_targets

if TYPE_CHECKING:
    from collections.abc import Callable

    from holdshort.core.shell_script import Script

HERE = os.path.dirname(__file__)
HELD = ("src/held.py", "lib/held/")
DIRECTORIES = {"", "src", "lib", "lib/held", "docs", "tests"}
FILES = {"src/held.py", "src/mine.py"}

with open(os.path.join(HERE, "shell_corpus.toml"), "rb") as _file:
    CORPUS: dict[str, dict[str, list[str]]] = tomllib.load(_file)


def _parser() -> Callable[[str], Script]:
    found = parser()
    assert found is not None, "make setup"
    return found


PARSE = _parser()


def read(command: str, parse: Callable[[str], Script] = PARSE) -> Reading:
    return read_targets(command, parse, "/repo", {"HOME": "/home/me"})


def landing(hit: Hit) -> str | None:
    """The path inside /repo that a hit is about, as the file system of the corpus has it."""
    path = posixpath.normpath(hit.path)
    if path != "/repo" and not path.startswith("/repo/"):
        return None
    inside = path[len("/repo/") :]
    is_directory = inside in DIRECTORIES
    if hit.must_exist and not (is_directory or inside in FILES):
        return None
    if hit.lands and is_directory:
        return f"{inside}/{hit.lands}".strip("/")
    if hit.reach == "file" and is_directory:
        return None
    return inside


def meets(hit: Hit) -> bool:
    inside = landing(hit)
    if inside is None:
        return False
    reach = hit.reach if hit.reach != SOME or inside in DIRECTORIES else "file"
    return certainly_met(HELD, inside, reach) is not None


def verdict(reading: Reading) -> str:
    if any(map(meets, reading.hits)):
        return "deny"
    return "read" if reading.is_fully_read else "unread"


def drawer(name: str, *parts: str) -> list[str]:
    return [command for part in parts for command in CORPUS[name][part]]


@pytest.mark.parametrize("command", drawer("deny", "one_line", "as_written"))
def test_a_write_to_what_is_held_is_seen(command: str) -> None:
    assert verdict(read(command)) == "deny"


@pytest.mark.parametrize("command", drawer("allow", "one_line", "as_written"))
def test_everyday_commands_are_let_go(command: str) -> None:
    assert verdict(read(command)) != "deny"


@pytest.mark.parametrize("command", drawer("undecidable", "unread"))
def test_what_cannot_be_read_is_known(command: str) -> None:
    assert verdict(read(command)) == "unread"


@pytest.mark.parametrize("command", drawer("undecidable", "unseen"))
def test_what_nothing_tells_of_is_let_go(command: str) -> None:
    assert verdict(read(command)) == "read"


BEYOND_THE_LEXER = 5
"""Of the writes in the corpus, those that only the parser sees: loops over names, an escape in `$''`."""


def test_without_the_parser_nearly_as_much_is_seen_and_no_more_denied() -> None:
    missed = [
        c for c in drawer("deny", "one_line", "as_written") if verdict(read(c, lex)) != "deny"
    ]
    let_go = [
        *drawer("allow", "one_line", "as_written"),
        *drawer("undecidable", "unread", "unseen"),
    ]

    assert len(missed) <= BEYOND_THE_LEXER, missed
    assert all(verdict(read(c, lex)) == "unread" for c in missed)
    assert [c for c in let_go if verdict(read(c, lex)) == "deny"] == []


def test_the_gate_lets_every_write_of_the_corpus_through_to_the_parser() -> None:
    gated = drawer("deny", "one_line", "as_written") + drawer("undecidable", "unread")

    assert [command for command in gated if not may_write(command)] == []


@pytest.mark.parametrize(
    "command",
    [
        "ls -la",
        "git status --short 2>&1",
        "pytest -q 2>&1 | tail -5",
        "grep -rn 'x -> y' src > /dev/null",
        'rg "a => b" src 2>/dev/null',
        "git log --format='%h > %s' -3 >&2",
        "cargo build && cargo test",
        'git log -1 --format="a -> b"',
        "mypy src || echo failed",
    ],
)
def test_the_gate_stops_what_is_nothing_write_like(command: str) -> None:
    assert not may_write(command)


def test_the_corpus_is_large_and_half_of_it_is_real() -> None:
    commands = [one for parts in CORPUS.values() for part in parts.values() for one in part]

    assert len(commands) == len(set(commands))
    assert len(commands) >= 300
    assert sum(len(parts.get("as_written", ())) for parts in CORPUS.values()) >= 150


PIECES = st.sampled_from(
    [
        *(
            "echo x",
            " > ",
            ">>",
            "2>&1",
            " | ",
            "&&",
            ";",
            "\n",
            "&",
            "(",
            ")",
            "{ ",
            " }",
            "((",
            "))",
        ),
        *(
            "$(",
            "`",
            "'",
            '"',
            "\\",
            "${",
            "}",
            "$x",
            "$'",
            "<<EOF\n",
            "<<-'E'\n",
            "EOF\n",
            "<<<",
            "<(",
        ),
        *(
            "if ",
            "then ",
            "fi",
            "for f in a b; do ",
            "done",
            "case x in ",
            "esac",
            "f() ",
            "[[ ",
            "]]",
        ),
        *(
            "rm -rf ",
            "sed -i ",
            "src/held.py",
            "bash -c ",
            "eval ",
            "xargs ",
            "find . ",
            "-exec ",
            "{}",
        ),
        *(
            "python3 -c ",
            "open('a', 'w')",
            "Path(",
            ".write_text(",
            "[",
            "]",
            ",",
            "=",
            "x=",
            "*",
            "~",
        ),
        *(
            "cd ",
            "git checkout -- ",
            "apply_patch ",
            "*** Add File: a\n",
            "@@ -1 +1 @@\n",
            "\0",
            "é",
            "#",
        ),
    ]
)
SCRIPTS = st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=200)


@settings(max_examples=400, deadline=None)
@given(SCRIPTS)
def test_no_text_makes_a_reader_fail(text: str) -> None:
    for parse in (PARSE, lex):
        reading = read(text, parse)
        assert len(reading.hits) <= shell_targets.MOST_HITS
    for language in ("python", "node", "perl", "ruby"):
        code_of(text, language)
    paths_of_diff(text, 1)
    paths_of_envelope(text)
    may_write(text)


LOOKS = 40
"""Times that a reader may look at one character, whatever stands there."""


@pytest.mark.parametrize(
    "piece",
    [
        *("a", "$(", "`", "((", "(", '"', "'", "\\", "<<a ", "<<a\n", "${", "$((", "<(", "x=$("),
        *("{a,b}", "{", "}", "|", ">", "#", '"$(', "'\"", "case ", "$'\\", "$x", "a b\n"),
    ],
)
def test_the_lexer_takes_linear_steps(piece: str) -> None:
    for size in (300, 3000, 30_000):
        text = piece * (size // len(piece))
        lexer = Lexer(text)
        lexer.read()
        assert lexer.looked_at <= LOOKS * size, piece


@pytest.mark.parametrize(
    "piece",
    [
        "open(",
        "x=",
        "a.",
        "(",
        "Path(",
        "a / ",
        '"a" + ',
        "[",
        "x = [",
        "for x in [",
        "'",
        "$",
        "run(",
    ],
)
@pytest.mark.parametrize("language", ["python", "node", "perl"])
def test_the_reader_of_code_takes_linear_steps(piece: str, language: str) -> None:
    for size in (300, 3000, 30_000):
        code = code_of(piece * (size // len(piece)), language)
        assert code.looked_at <= (MOST_ARGUMENTS + LOOKS) * 4 * size, piece


@pytest.mark.parametrize(
    "text",
    [
        "x=aaaaaaaaaaaaaaaa\n" + 'x="$x$x$x$x"\n' * 400,
        "for a in 1 2 3 4 5 6 7 8 9; do " * 30 + "rm x; " + "done; " * 30,
        'x=\'rm a; eval "$x"\'; eval "$x"',
        "bash -c '" * 2000,
        "echo " + "{a,b}" * 3000,
        "rm " + "a " * 30_000,
        "echo x > f; " + "cat f f f f > g; cat g g g g > f; " * 200,
        "eval " * 10_000,
        "sudo " * 10_000 + "rm x",
        "$(" * 30_000,
        "(" * 30_000,
        "cat <<A\n" + "$(x)\n" * 10_000 + "A\n",
    ],
    ids=range(12),
)
def test_few_letters_do_not_make_much_work(text: str) -> None:
    for parse in (PARSE, lex):
        shell = Shell(parse, "/repo", {})
        shell.source(text)
        assert shell.steps <= shell_targets.MOST_STEPS + 2
        assert shell.characters <= 2 * shell_targets.MOST_CHARACTERS + len(text)
        assert len(shell.hits) <= shell_targets.MOST_HITS
