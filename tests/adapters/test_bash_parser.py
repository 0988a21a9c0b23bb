from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from holdshort.adapters import bash_parser
from holdshort.cli import status
from holdshort.cli.main import cli
from holdshort.core.shell_lexer import lex
from holdshort.core.shell_script import COMMAND, HOLE, LOOP, PERHAPS, PIPE, SUBSHELL, texts_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from holdshort.core.shell_script import Script, Step


def parse(text: str) -> Script:
    found = bash_parser.parser()
    assert found is not None, "make setup"
    return found(text)


BOTH: list[Callable[[str], Script]] = [parse, lex]


def words(step: Step) -> list[str]:
    return [text for word in step.words for text in texts_of(word, {"x": "one two", "HOME": "/h"})]


@pytest.mark.parametrize("read", BOTH)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b c", ["a", "b", "c"]),
        ("a 'b c' \"d e\"", ["a", "b c", "d e"]),
        ("a b\\ c 'd'\"e\"f", ["a", "b c", "def"]),
        ('a "q\\"x" "\\\\" "\\n"', ["a", 'q"x', "\\", "\\n"]),
        ('a $x "$x" ${x}', ["a", "one", "two", "one two", "one", "two"]),
        ('a $y "${x:-1}" $(b)', ["a", HOLE, HOLE, HOLE]),
        ("a {b,c}.py '{b,c}'", ["a", "b.py", "c.py", "{b,c}"]),
        ("a ~/b ~ '~' b~", ["a", "/h/b", "/h", "~", "b~"]),
        ("a $'b c'", ["a", "b c"]),
        ("a *.py 'b'*", ["a", "*.py", "b*"]),
        ("a # b", ["a"]),
        ("a \\\n b", ["a", "b"]),
    ],
)
def test_words_are_read_as_the_shell_does(
    read: Callable[[str], Script], text: str, expected: list[str]
) -> None:
    script = read(text)

    assert not script.has_error
    assert words(script.steps[-1]) == expected


@pytest.mark.parametrize("read", BOTH)
def test_a_heredoc_is_kept_with_what_is_expanded_in_it(read: Callable[[str], Script]) -> None:
    (plain,) = read("cat <<'E' > f\n$x > y\nE\n").steps
    assert plain.stdin == (("quoted", "$x > y\n"),)
    assert [operator for operator, _ in plain.redirects] == [">"]

    steps = read("cat <<E\n$(rm a)$x\nE\n").steps
    (expanded,) = [step.stdin for step in steps if step.stdin is not None]
    assert ("variable", "x") in expanded
    assert SUBSHELL in [step.kind for step in steps]


@pytest.mark.parametrize("read", BOTH)
def test_groups_and_pipes_are_kept(read: Callable[[str], Script]) -> None:
    steps = read("(cd a; b) | c && d").steps

    assert [step.kind for step in steps] == [PIPE, COMMAND]
    assert [step.kind for step in steps[0].steps] == [SUBSHELL, COMMAND]


def test_the_parser_knows_loops_and_conditions() -> None:
    loop, condition = parse("for f in a b; do c; done; if a; then b; fi").steps

    assert (loop.kind, loop.name) == (LOOP, "f")
    assert condition.kind == PERHAPS


@pytest.mark.parametrize("read", BOTH)
@pytest.mark.parametrize("text", ["echo 'a", "case x in", "$(", "f() {"])
def test_what_cannot_be_parsed_is_said(read: Callable[[str], Script], text: str) -> None:
    assert read(text).has_error


def test_without_its_packages_there_is_no_parser(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bash_parser, "CHECKOUT", str(tmp_path))
    for name in ("tree_sitter._binding", "tree_sitter_bash._binding"):
        monkeypatch.delitem(sys.modules, name, raising=False)

    assert bash_parser.parser() is None


def test_status_says_that_the_parser_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "parser" not in CliRunner().invoke(cli, ["status"]).output

    monkeypatch.setattr(status, "is_installed", lambda: False)

    assert "The shell parser is missing" in CliRunner().invoke(cli, ["status"]).output
