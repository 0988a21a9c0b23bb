"""The conservative reader of shell commands, for where no real parser is installed.

It knows quoting, simple commands, redirections, heredocs, pipelines and subshells. What stands between
`then`, `do` and the like is read as if it were run. Functions, `case` and `[[` are not understood:
`has_error`. Every character is looked at once for each substitution that it stands in, of which at
most `DEEPEST` lie in each other.
"""

from __future__ import annotations

from holdshort.core.shell_script import (
    BARE,
    BARE_VARIABLE,
    COMMAND,
    LARGEST,
    MADE,
    PIPE,
    QUOTED,
    SUBSHELL,
    UNREAD,
    VARIABLE,
    Script,
    Step,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from holdshort.core.shell_script import Part, Redirect, Word

DEEPEST = 8
MOST_GROUPS = 64  # parentheses in each other
BLANKS = " \t"
ENDS = frozenset(" \t\n;&|()<>")
SKIPPED = frozenset(("then", "do", "else", "elif", "if", "while", "until", "{", "!", "time"))
CLOSING = frozenset(("fi", "done", "}"))
BEYOND = frozenset(("case", "esac", "function", "[[", "select", "coproc", "for"))
REDIRECTS = ("&>>", "&>", ">>", ">|", ">&", "<>", "<&", ">", "<")
QUOTES = "'\"\\$`"


def lex(text: str, depth: int = 0) -> Script:
    """What `text` does, as far as it can be told without a grammar; total, for any text."""
    lexer = Lexer(text[:LARGEST], depth)
    steps = lexer.read()
    return Script(steps, has_error=lexer.is_lost or len(text) > LARGEST)


class Lexer:
    """One pass over one text. looked_at: characters and words, those of inner texts included."""

    def __init__(self, text: str, depth: int = 0) -> None:
        self.text = text
        self.depth = depth
        self.at = 0
        self.is_lost = False
        self.looked_at = 0
        self.groups: list[list[Step]] = [[]]
        self.pipes: list[list[Step]] = [[]]
        self.current = _Simple()
        self.waiting: list[tuple[str, bool, bool, Step]] = []
        self.before: list[Step] = []

    def read(self) -> list[Step]:
        """All steps of the text."""
        while self.at < len(self.text):
            self.looked_at += 1
            self._next()
        self._end_command()
        self._end_pipe()
        self.is_lost = self.is_lost or len(self.groups) > 1 or bool(self.waiting)
        while len(self.groups) > 1:
            self._close()
        return self.groups[0]

    def _next(self) -> None:
        letter = self.text[self.at]
        if letter in BLANKS or self.text.startswith("\\\n", self.at):
            self.at += 1 if letter in BLANKS else 2
        elif letter == "#":
            end = self.text.find("\n", self.at)
            self.at = end if end >= 0 else len(self.text)
        elif letter in "<>&" and self._redirect():
            pass
        elif self.text.startswith("((", self.at) and not self.current.words:
            self.at = self._partner(self.at) + 1  # arithmetic
        elif letter in "\n;&|()":
            self._operator(letter)
        else:
            self._take_word()

    def _operator(self, letter: str) -> None:
        is_double = self.text[self.at + 1 : self.at + 2] == letter
        self.at += 1
        if letter == "(":
            self.is_lost = (
                self.is_lost or bool(self.current.words) or len(self.groups) > MOST_GROUPS
            )
            if len(self.groups) > MOST_GROUPS:
                return
            self.groups.append([])
            self.pipes.append([])
            return
        self._end_command()
        if letter == "|" and not is_double:
            self.at += self.text[self.at : self.at + 1] == "&"
            return
        self._end_pipe()
        if letter == ")":
            self._close()
        elif letter == "\n":
            self._take_heredocs()
        elif is_double:
            self.at += 1

    def _close(self) -> None:
        if len(self.groups) == 1:
            self.is_lost = True
            return
        self.pipes.pop()
        steps = self.groups.pop()
        self.pipes[-1].append(Step(SUBSHELL, steps=steps))

    def _end_command(self) -> None:
        simple, self.current = self.current, _Simple()
        for step in self.before:
            self.groups[-1].append(step)
        self.before = []
        if simple.is_empty():
            return
        step = simple.step
        step.words, step.redirects, step.assigned = simple.words, simple.redirects, simple.assigned
        self.pipes[-1].append(step)

    def _end_pipe(self) -> None:
        stages, self.pipes[-1] = self.pipes[-1], []
        self.groups[-1] += stages if len(stages) < 2 else [Step(PIPE, steps=stages)]

    def _redirect(self) -> bool:
        operator = next((one for one in REDIRECTS if self.text.startswith(one, self.at)), "")
        if not operator:
            return False
        if self.current.words[:1] == [((BARE, "[["),)]:  # a comparison
            self.at += 1
            return True
        if self.text.startswith(("<(", ">("), self.at):
            self._take_word()
        elif self.text.startswith("<<", self.at):
            self._here()
        else:
            self.at += len(operator)
            self._skip_blanks()
            word = self._word()
            self.current.redirects.append((operator, word))
        return True

    def _here(self) -> None:
        is_string = self.text.startswith("<<<", self.at)
        is_indented = not is_string and self.text.startswith("<<-", self.at)
        self.at += 2 + (is_string or is_indented)
        self._skip_blanks()
        start = self.at
        word = self._word()
        if is_string:
            self.current.step.stdin = word
            return
        is_quoted = any(mark in self.text[start : self.at] for mark in "'\"\\")
        end = "".join(text for _, text in word)
        self.waiting.append((end, is_quoted, is_indented, self.current.step))

    def _take_heredocs(self) -> None:
        for end, is_quoted, is_indented, step in self.waiting:
            lines: list[str] = []
            is_closed = False
            while self.at < len(self.text) and not is_closed:
                line, newline = self._line()
                self.at += len(line) + len(newline)
                stripped = line.lstrip("\t") if is_indented else line
                is_closed = stripped == end
                lines += [] if is_closed else [f"{stripped}\n"]
            self.is_lost = self.is_lost or not is_closed
            body = "".join(lines)
            is_plain = is_quoted or not any(mark in body for mark in "$`\\")
            step.stdin = ((QUOTED, body),) if is_plain else self._inner_word(body)
        self.waiting = []

    def _line(self) -> tuple[str, str]:
        end = self.text.find("\n", self.at)
        self.looked_at += 1
        return (self.text[self.at :], "") if end < 0 else (self.text[self.at : end], "\n")

    def _inner_word(self, body: str) -> Word:
        """The parts of a heredoc's text in which expansions happen."""
        inner = Lexer(body, self.depth)
        parts: list[Part] = []
        while inner.at < len(body):
            inner._double(parts, end="")
        self.before += inner.before
        self.looked_at += inner.looked_at
        return (*parts,)

    def _take_word(self) -> None:
        start = self.at
        word = self._word()
        if self.at == start:  # nothing that a word can begin with
            self.at += 1
            self.is_lost = True
            return
        first = word[0] if word else (QUOTED, "")
        is_next_redirect = self.text[self.at : self.at + 1] in ("<", ">")
        if len(word) == 1 and first[0] == BARE and first[1].isdigit() and is_next_redirect:
            return  # a descriptor
        is_first = not self.current.words and first[0] == BARE
        if not is_first or not (self._is_reserved(first[1]) or self._is_assignment(word)):
            self.current.words.append(word)

    def _is_reserved(self, text: str) -> bool:
        self.is_lost = self.is_lost or (text in BEYOND and text != "for")
        return text in SKIPPED or text in CLOSING

    def _is_assignment(self, word: Word) -> bool:
        name, equals, rest = word[0][1].partition("=")
        if not (equals and name.isidentifier()):
            return False
        value = ((BARE, rest), *word[1:]) if rest else word[1:]
        self.current.assigned.append((name, value or ((QUOTED, ""),)))
        return True

    def _skip_blanks(self) -> None:
        while self.text[self.at : self.at + 1] in (" ", "\t") and self.at < len(self.text):
            self.looked_at += 1
            self.at += 1

    def _word(self) -> Word:
        parts: list[Part] = []
        if self.text.startswith(("<(", ">("), self.at):
            self._substitution(self.at + 1, parts)
        while self.at < len(self.text) and self.text[self.at] not in ENDS:
            self.looked_at += 1
            letter = self.text[self.at]
            if letter == "'":
                self._single(parts)
            elif letter == '"':
                self.at += 1
                self._double(parts, end='"')
            elif letter in "$`":
                self._dollar(parts, BARE_VARIABLE)
            elif letter == "\\":
                parts += (
                    []
                    if self.text[self.at + 1 : self.at + 2] == "\n"
                    else [(BARE, self.text[self.at + 1 : self.at + 2])]
                )
                self.at += 2
            else:
                parts.append((BARE, self._run(QUOTES, ENDS)))
        return _merged(parts)

    def _run(self, marks: str, ends: frozenset[str]) -> str:
        start = self.at
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter in marks or letter in ends:
                break
            self.looked_at += 1
            self.at += 1
        return self.text[start : self.at]

    def _single(self, parts: list[Part]) -> None:
        end = self.text.find("'", self.at + 1)
        self.is_lost = self.is_lost or end < 0
        end = end if end >= 0 else len(self.text)
        parts.append((QUOTED, self.text[self.at + 1 : end]))
        self.at = end + 1

    def _double(self, parts: list[Part], end: str) -> None:
        """The rest of a text in double quotes, or of a heredoc, which ends with the text."""
        while self.at < len(self.text):
            self.looked_at += 1
            letter = self.text[self.at]
            if letter == end:
                self.at += 1
                parts.append((QUOTED, ""))
                return
            if letter == "\\":
                escaped = self.text[self.at + 1 : self.at + 2]
                kept = {"\n": ""}.get(escaped, escaped if escaped in '"$`\\' else f"\\{escaped}")
                parts.append((QUOTED, kept))
                self.at += 2
            elif letter in "$`":
                self._dollar(parts, VARIABLE)
            else:
                parts.append((QUOTED, self._run(f"\\$`{end}", frozenset())))
        self.is_lost = self.is_lost or bool(end)

    def _dollar(self, parts: list[Part], kind: str) -> None:
        rest = self.text[self.at + 1 : self.at + 3]
        if self.text[self.at] == "`":
            self._backticks(parts)
        elif rest[:1] == "(":
            self._substitution(self.at + 1, parts)
        elif rest[:1] == "{":
            end = self.text.find("}", self.at)
            self.is_lost = self.is_lost or end < 0
            end = end if end >= 0 else len(self.text)
            name = self.text[self.at + 2 : end]
            parts.append((kind, name) if name.isidentifier() else (UNREAD, ""))
            self.at = end + 1
        elif rest[:1] == "'" and kind == BARE_VARIABLE:
            self._ansi(parts)
        else:
            self._name(parts, kind)

    def _name(self, parts: list[Part], kind: str) -> None:
        start = self.at = self.at + 1
        while self.at < len(self.text) and (
            self.text[self.at].isalnum() or self.text[self.at] == "_"
        ):
            self.looked_at += 1
            self.at += 1
        name = self.text[start : self.at]
        if name:
            parts.append((kind, name) if name.isidentifier() else (UNREAD, ""))
        elif self.text[self.at : self.at + 1] in ("@", "*", "#", "?", "$", "!", "-"):
            self.at += 1
            parts.append((UNREAD, ""))
        else:
            parts.append((BARE, "$"))

    def _ansi(self, parts: list[Part]) -> None:
        start = self.at
        self.at += 2
        while self.at < len(self.text) and self.text[self.at] != "'":
            self.looked_at += 1
            self.at += 2 if self.text[self.at] == "\\" else 1
        inner = self.text[start + 2 : self.at]
        self.at += 1
        parts.append((UNREAD, "") if "\\" in inner else (QUOTED, inner))

    def _backticks(self, parts: list[Part]) -> None:
        end = self.text.find("`", self.at + 1)
        self.is_lost = self.is_lost or end < 0
        end = end if end >= 0 else len(self.text)
        self._inside(self.text[self.at + 1 : end])
        parts.append((UNREAD, ""))
        self.at = end + 1

    def _substitution(self, opened: int, parts: list[Part]) -> None:
        """Read what stands between the parenthesis at `opened` and its partner."""
        end = self._partner(opened)
        inner = self.text[opened + 1 : end]
        if not inner.startswith("("):
            self._inside(inner)
        is_temporary = inner.split()[:1] == ["mktemp"]
        parts.append((QUOTED, MADE) if is_temporary else (UNREAD, ""))
        self.at = end + 1

    def _inside(self, text: str) -> None:
        if self.depth >= DEEPEST:
            self.is_lost = True
            return
        inner = Lexer(text, self.depth + 1)
        self.before.append(Step(SUBSHELL, steps=inner.read()))
        self.is_lost = self.is_lost or inner.is_lost
        self.looked_at += inner.looked_at

    def _partner(self, opened: int) -> int:
        """Where the parenthesis at `opened` is closed; quotes are skipped, heredocs are not known."""
        level, at = 0, opened
        while at < len(self.text):
            self.looked_at += 1
            letter = self.text[at]
            level += (letter == "(") - (letter == ")")
            if not level:
                return at
            if letter in "'\"":
                at = _end_of_quote(self.text, at)
            at += 2 if letter == "\\" else 1
        self.is_lost = True
        return len(self.text)


class _Simple:
    """A simple command that is being read."""

    def __init__(self) -> None:
        self.words: list[Word] = []
        self.redirects: list[Redirect] = []
        self.assigned: list[tuple[str, Word]] = []
        self.step = Step(COMMAND)

    def is_empty(self) -> bool:
        return not (self.words or self.redirects or self.assigned)


def _end_of_quote(text: str, at: int) -> int:
    """Where the quote that begins at `at` ends, or `at` where it does not."""
    end = text.find(text[at], at + 1)
    while end > 0 and text[at] == '"' and text[end - 1] == "\\":
        end = text.find('"', end + 1)
    return end if end >= 0 else at


def _merged(parts: list[Part]) -> Word:
    """The parts with neighbours of one kind made one."""
    found: list[Part] = []
    for kind, text in parts:
        if found and found[-1][0] == kind and kind in (BARE, QUOTED):
            found[-1] = (kind, found[-1][1] + text)
        else:
            found.append((kind, text))
    return (*found,)
