"""A shell command as plain values: what a parser makes of it, and what `shell_targets` reads.

A word is a tuple of parts, since quoting decides what becomes of each.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Part = tuple[str, str]
    Word = tuple[Part, ...]
    Redirect = tuple[str, Word]  # its operator without a descriptor, and where it leads

BARE, QUOTED, VARIABLE, BARE_VARIABLE, UNREAD = "bare", "quoted", "variable", "bare variable", "?"
"""Kinds of a part: plain text, quoted text, a variable in quotes or not, what cannot be read."""

COMMAND, SUBSHELL, PERHAPS, LOOP, PIPE = "command", "subshell", "perhaps", "loop", "pipe"
"""Kinds of a step. PERHAPS: runs or does not, as after `if` or in a function."""

FILE, TREE, WHOLE, SOME = "file", "tree", "whole", "some"
"""How far a hit reaches: one file; or, where it is a directory, all files in it; the directory itself,
too; or some files in it that the command does not name."""

HOLE = "\0"
"""Stands in a text for what cannot be read."""
TEMPORARY = ("/tmp/", "/var/tmp/", "/private/tmp/", "/dev/")  # noqa: S108  # looked at, not used
"""Directories where nothing of a project is kept."""
MADE = "/tmp/mktemp"  # noqa: S108  # same
"""Stands for what `mktemp` makes."""
LARGEST = 1 << 16
"""Characters of a command that are read."""
LONGEST_BRACED = 4096
"""Characters of a word whose braces are expanded."""
MOST_WORDS = 64
"""Words that the braces of one word are expanded to."""


class Step:
    """One command, or a group of steps.

    words, redirects, assigned: of a command, in order; redirects may belong to a group, too.
    stdin: the text of its heredoc or here-string, None without one. steps: of a group. name: the
    variable of a loop, whose `words` are its values.
    """

    __slots__ = ("assigned", "kind", "name", "redirects", "stdin", "steps", "words")

    def __init__(
        self,
        kind: str = COMMAND,
        words: Sequence[Word] = (),
        redirects: Sequence[Redirect] = (),
        *,
        assigned: Sequence[tuple[str, Word]] = (),
        stdin: Word | None = None,
        steps: Sequence[Step] = (),
        name: str = "",
    ) -> None:
        self.kind = kind
        self.words = words
        self.redirects = redirects
        self.assigned = assigned
        self.stdin = stdin
        self.steps = steps
        self.name = name


class Script:
    """What a command does, in order. has_error: some of it could not be parsed."""

    __slots__ = ("has_error", "steps")

    def __init__(self, steps: Sequence[Step] = (), *, has_error: bool = False) -> None:
        self.steps = steps
        self.has_error = has_error


def texts_of(word: Word, variables: Mapping[str, str]) -> list[str]:
    """What a word expands to; what cannot be read is a `HOLE`. Globs stay as they are.

    variables: their values, as far as they are known.
    """
    if all(kind == BARE for kind, _ in word):
        return [_at_home(text, variables) for text in braces("".join(text for _, text in word))]
    text = _at_home(_joined(word, variables), variables, is_bare=bool(word) and word[0][0] == BARE)
    if any(kind == BARE_VARIABLE for kind, _ in word):
        return text.split()
    return [text]


def text_of(word: Word, variables: Mapping[str, str]) -> str:
    """The one text of a word that is not split: of an assignment, a redirection, a heredoc."""
    text = _joined(word, variables)
    return _at_home(text, variables, is_bare=bool(word) and word[0][0] == BARE)


def has_class(word: Word) -> bool:
    """Whether a word holds a bracket expression, which no scope entry can say."""
    return any(kind == BARE and "[" in text and "]" in text for kind, text in word)


def braces(text: str) -> list[str]:
    """The words that brace lists without lists inside expand to; at most `MOST_WORDS`."""
    if "{" not in text or len(text) > LONGEST_BRACED:
        return [text]
    done: list[str] = []
    todo = [text]
    while todo:
        one = todo.pop(0)
        start, end = _innermost_list(one)
        if start < 0 or len(done) + len(todo) >= MOST_WORDS:
            done.append(one)
            continue
        todo[:0] = [one[:start] + item + one[end + 1 :] for item in one[start + 1 : end].split(",")]
    return done[: MOST_WORDS * 2]


def _innermost_list(text: str) -> tuple[int, int]:
    """Where the first list in braces begins and ends, that holds a comma and no other brace."""
    end = text.find("}")
    while end >= 0:
        start = text.rfind("{", 0, end)
        if start >= 0 and text[start - 1 : start] != "$" and "," in text[start:end]:
            return start, end
        end = text.find("}", end + 1) if end - start < MOST_WORDS * 4 else -1
    return -1, -1


def _joined(word: Word, variables: Mapping[str, str]) -> str:
    found: list[str] = []
    size = 0
    for kind, text in word:
        if kind in (VARIABLE, BARE_VARIABLE):
            found.append(variables.get(text, HOLE))
        else:
            found.append(HOLE if kind == UNREAD else text)
        size += len(found[-1])
        if size > LARGEST:
            return HOLE
    return "".join(found)


def _at_home(text: str, variables: Mapping[str, str], *, is_bare: bool = True) -> str:
    if not is_bare or not (text == "~" or text.startswith("~/")):
        return text
    return variables.get("HOME", HOLE) + text[1:]
