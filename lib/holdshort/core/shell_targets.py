"""What a parsed shell command writes, as far as reading tells (docs/adr/0010-shell-parser.md).

Pure and bounded: `MOST_STEPS` commands are followed, loops unrolled, and `DEEPEST` shells in each
other. What cannot be read is not guessed: then `is_fully_read` is False.
"""

from __future__ import annotations

from holdshort.core.shell_programs import PROGRAMS
from holdshort.core.shell_script import (
    COMMAND,
    FILE,
    HOLE,
    LARGEST,
    LOOP,
    PERHAPS,
    PIPE,
    SOME,
    SUBSHELL,
    TEMPORARY,
    has_class,
    text_of,
    texts_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from holdshort.core.shell_git import Deed
    from holdshort.core.shell_script import Script, Step, Word

    Parse = Callable[[str], Script]

MOST_STEPS = 2_000
MOST_HITS = 128
MOST_CHARACTERS = 8 * LARGEST
"""Characters that are parsed, expanded or printed in all: variables and loops can make many of few."""
DEEPEST = 5
MOST_LEVELS = 50
"""Groups, wrappers and shells in each other that are followed."""
WRITING = frozenset((">", ">>", ">|", "&>", "&>>", "<>", ">&"))


class Hit:
    """Something that a command writes.

    path: absolute, perhaps with wildcards, perhaps with `..`. reach: `FILE`, `TREE`, `WHOLE` or `SOME`.
    lands: the name inside it, if it is a directory. must_exist: it counts only if it is there.
    """

    __slots__ = ("lands", "must_exist", "path", "reach")

    def __init__(
        self, path: str, reach: str = FILE, lands: str = "", *, must_exist: bool = False
    ) -> None:
        self.path = path
        self.reach = reach
        self.lands = lands
        self.must_exist = must_exist

    def __repr__(self) -> str:
        return f"Hit({self.path!r}, {self.reach!r}, {self.lands!r})"


class Reading:
    """What was read: the hits in order, what git is to do to a whole tree, and whether that is all."""

    __slots__ = ("deeds", "hits", "is_fully_read")

    def __init__(
        self, hits: Sequence[Hit], deeds: Sequence[Deed] = (), *, is_fully_read: bool
    ) -> None:
        self.hits = hits
        self.deeds = deeds
        self.is_fully_read = is_fully_read


def read_targets(
    text: str, parse: Parse, cwd: str, variables: Mapping[str, str] | None = None
) -> Reading:
    """What the command `text` writes. variables: what is known of the shell's, HOME above all."""
    known = {"PWD": cwd, **(variables or {})}
    shell = Shell(parse, cwd, known)
    shell.source(text)
    return Reading(shell.hits[:MOST_HITS], shell.deeds, is_fully_read=not shell.is_unread)


class Shell:
    """A shell that writes nothing and notes what it would.

    cwd: None once it cannot be told. written: texts that the command itself puts into files, by path.
    output: what the last command prints, where that can be told. steps: how many were followed.
    characters: how many were parsed, expanded or printed.
    """

    def __init__(self, parse: Parse, cwd: str | None, variables: dict[str, str]) -> None:
        self.parse = parse
        self.cwd = cwd
        self.variables = variables
        self.hits: list[Hit] = []
        self.deeds: list[Deed] = []
        self.written: dict[str, str] = {}
        self.output: str | None = None
        self.is_unread = False
        self.has_class = False
        self.steps = 0
        self.characters = 0
        self.depth = 0
        self.level = 0

    def source(self, text: str, stdin: str | None = None) -> None:
        """Run a text of shell commands."""
        if len(text) > LARGEST or HOLE in text:
            self.is_unread = True
        if self.depth >= DEEPEST or not self.affords(text):
            self.is_unread = True
            return
        self.depth += 1
        script = self.parse(text)
        self.is_unread = self.is_unread or script.has_error
        self.run(script.steps, stdin)
        self.depth -= 1

    def affords(self, *texts: str) -> bool:
        """Whether so much text may still be worked on; it counts as done."""
        self.characters += sum(map(len, texts))
        self.is_unread = self.is_unread or self.characters > MOST_CHARACTERS
        return self.characters <= MOST_CHARACTERS

    def expanded(self, words: Sequence[Word]) -> list[str]:
        """The texts of words, as far as the bounds go."""
        found: list[str] = []
        for word in words:
            texts = texts_of(word, self.variables)
            if not self.affords(*texts):
                return found
            found += texts
        return found

    def expanded_word(self, word: Word) -> str:
        """The one text of a word that is not split."""
        text = text_of(word, self.variables)
        return text if self.affords(text) else HOLE

    def run(self, steps: Sequence[Step], stdin: str | None = None) -> None:
        """Follow steps in order."""
        self.level += 1
        for step in steps:
            self.steps += 1
            if self.steps > MOST_STEPS or self.level > MOST_LEVELS:
                self.is_unread = True
                break
            self.step(step, stdin)
        self.level -= 1

    def step(self, step: Step, stdin: str | None) -> None:
        """Follow one step."""
        if step.kind == COMMAND:
            self.command(step, stdin)
        elif step.kind == SUBSHELL:
            self.apart(step.steps, stdin)
        elif step.kind == PERHAPS:
            self.perhaps(step.steps, stdin)
        elif step.kind == LOOP:
            self.loop(step, stdin)
        elif step.kind == PIPE:
            for stage in step.steps:
                self.output = None
                self.apart([stage], stdin)
                stdin = HOLE if self.output is None else self.output

    def apart(self, steps: Sequence[Step], stdin: str | None = None) -> None:
        """Follow steps in a shell of their own, whose directory and variables are forgotten."""
        cwd, variables = self.cwd, dict(self.variables)
        self.run(steps, stdin)
        self.cwd, self.variables = cwd, variables

    def source_apart(self, text: str, stdin: str | None = None) -> None:
        """Run a text in a shell of its own."""
        cwd, variables = self.cwd, dict(self.variables)
        self.source(text, stdin)
        self.cwd, self.variables = cwd, variables

    def perhaps(self, steps: Sequence[Step], stdin: str | None) -> None:
        """Follow steps that may not be run: what they change is unknown afterwards."""
        cwd, variables = self.cwd, dict(self.variables)
        self.run(steps, stdin)
        self.cwd = cwd if self.cwd == cwd else None
        changed = [
            name for name, value in self.variables.items() if variables.get(name, HOLE) != value
        ]
        for name in changed:
            del self.variables[name]

    def loop(self, step: Step, stdin: str | None) -> None:
        """Follow the body once for each value."""
        cwd = self.cwd
        for value in self.expanded(step.words):
            if self.steps > MOST_STEPS:
                return
            self.variables[step.name] = value
            self.run(step.steps, stdin)
        self.cwd = cwd if self.cwd == cwd else None

    def command(self, step: Step, stdin: str | None) -> None:
        """Note the redirections of a simple command, then what its program writes."""
        if not step.words:
            for name, word in step.assigned:
                self.variables[name] = self.expanded_word(word)
        if step.stdin is not None:
            stdin = self.expanded_word(step.stdin)
        self.has_class = any(map(has_class, step.words))
        words = self.expanded(step.words)
        self.declare(words, step)
        into = [
            path for operator, word in step.redirects if (path := self.redirected(operator, word))
        ]
        self.output = None
        if words:
            self.program(words, stdin)
        for path in into:
            self.note(path, self.output)

    def declare(self, words: Sequence[str], step: Step) -> None:
        """`export NAME=value` and its like."""
        if words[:1] and words[0] in ("export", "declare", "local", "readonly", "typeset"):
            for name, word in step.assigned:
                self.variables[name] = self.expanded_word(word)
            for word_text in words[1:]:
                name, equals, value = word_text.partition("=")
                if equals:
                    self.variables[name] = value

    def redirected(self, operator: str, word: Word) -> str:
        """Note one redirection; the path that it writes, or ""."""
        text = self.expanded_word(word)
        if operator not in WRITING or not text:
            return ""
        if operator == ">&" and (text.isdigit() or text == "-"):
            return ""
        self.write(text)
        return self.place(text)

    def note(self, path: str, text: str | None) -> None:
        """Remember what the command itself puts into a file, which it may run later."""
        if text is None or not self.affords(text):
            self.written.pop(path, None)
        else:
            self.written[path] = text

    def program(self, words: Sequence[str], stdin: str | None) -> None:
        """Note what a program writes that is called with `words`."""
        name = words[0].rpartition("/")[2]
        self.steps += 1
        if self.steps > MOST_STEPS or self.level > MOST_LEVELS or HOLE in name or not name:
            self.is_unread = True
            return
        self.output = None
        while name and name not in PROGRAMS and (name[-1].isdigit() or name[-1] == "."):
            name = name[:-1]  # python3.11, clang-format-18
        does = PROGRAMS.get(name) or PROGRAMS.get(name.removesuffix("-"))
        if does is not None:
            self.level += 1
            does(self, list(words[1:]), stdin)
            self.level -= 1
        elif "/" in words[0]:
            self.own_script(words[0])

    def own_script(self, path: str) -> None:
        """Follow a script that the command itself has written."""
        text = self.written.get(self.place(path))
        is_shell = text is not None and "sh" in (text.splitlines() or [""])[0].partition("#!")[2]
        if text is not None and text.startswith("#!") and not is_shell:
            self.is_unread = True
        elif text is not None:
            self.source_apart(text)

    def place(self, text: str) -> str:
        """The absolute path of `text`, "" where it cannot be told."""
        if HOLE in text or (self.cwd is None and not text.startswith("/")):
            return ""
        return text if text.startswith("/") else f"{self.cwd}/{text.removeprefix('./')}"

    def write(
        self, text: str, reach: str = FILE, lands: str = "", *, must_exist: bool = False
    ) -> None:
        """Note that the path `text` is written."""
        if is_temporary(text) or not text:
            return
        path = self.place(text)
        if not path or (self.has_class and "[" in text):
            self.is_unread = True
        if not path or (path.startswith("/dev/") and "/.." not in path):
            return
        if reach == SOME:
            self.is_unread = True
        if len(self.hits) < MOST_HITS:
            self.hits.append(Hit(path, reach, lands, must_exist=must_exist))
        else:
            self.is_unread = True


def is_temporary(text: str) -> bool:
    """Whether a path lies in a directory for temporary files, however the rest of it is spelled."""
    return HOLE in text and text.startswith(TEMPORARY) and "/.." not in text
