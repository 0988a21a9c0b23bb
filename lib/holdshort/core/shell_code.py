"""Which files a piece of Python, JavaScript, Ruby, Perl or PHP writes, as far as literal paths go.

One reader for all: the words that write are called alike, and only strings, names and calls matter.
What it cannot follow it says: `is_unread`.
"""

from __future__ import annotations

from holdshort.core.shell_script import LARGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Token = tuple[str, str]  # kind, text
    Span = tuple[int, int]

NAME, STRING, TEMPLATE, MARK = "name", "string", "template", "mark"
MOST_ARGUMENTS = 400  # tokens of one call's arguments that are looked at
MOST_VALUES = 16  # texts that one expression may be

PYTHON, PERL = "python", "perl"
HASH_COMMENTS = frozenset((PYTHON, PERL, "ruby"))

PATHS = frozenset(
    (
        *("Path", "PosixPath", "PurePath", "join", "resolve", "str", "String", "fspath"),
        *("abspath", "normpath", "expanduser", "normalize"),
    )
)
SAME = frozenset(("resolve", "absolute", "expanduser", "as_posix", "to_s", "toString"))
FIRST = frozenset(
    (
        *("writeFileSync", "writeFile", "appendFileSync", "appendFile", "createWriteStream"),
        *("unlinkSync", "rmSync", "truncateSync", "rmdirSync", "outputFileSync", "outputFile"),
        *("writeTextFile", "writeTextFileSync", "writeJsonSync", "rmtree", "file_put_contents"),
        *("rm_rf", "rm_f", "rm_r", "removeSync", "utimesSync"),
    )
)
FIRST_OF = {
    **dict.fromkeys(("write", "binwrite"), ("File", "IO", "Bun", "Pathname")),
    "delete": ("File",),
    "unlink": ("os", "fs", "File", "promises", "fsp", ""),
    "remove": ("os", "Deno", "fs"),
    "rm": ("fs", "promises", "fsp", "FileUtils"),
    "touch": ("FileUtils",),
    "truncate": ("os", "fs", "File"),
    "write_text": (),
}
BOTH = frozenset(("renameSync", "moveSync", "renames"))
BOTH_OF = {
    "rename": ("os", "fs", "File", "promises", "fsp", ""),
    "replace": ("os",),
    "move": ("shutil", "fs"),
    "mv": ("FileUtils",),
}
SECOND = frozenset(("copyFileSync", "copyFile", "copyfile", "copy2", "copytree", "cpSync"))
SECOND_OF = {
    "copy": ("shutil", "fs", ""),
    "cp": ("fs", "FileUtils", "promises"),
    "symlink": ("os", "fs", "File"),
    "link": ("os", "fs"),
    "symlinkSync": ("fs", ""),
}
OWN = frozenset(("write_text", "write_bytes", "symlink_to", "hardlink_to", "rmdir"))
OWN_OR_OTHER = frozenset(("unlink", "touch", "rename", "open"))
SHELLS = frozenset(
    (
        *("system", "popen", "execSync", "spawnSync", "spawn", "execFileSync", "execFile"),
        *("check_call", "check_output", "Popen", "getoutput", "getstatusoutput", "shell_exec"),
        *("passthru", "proc_open", "run", "call"),
    )
)
SHELLS_OF = {"run": ("subprocess",), "call": ("subprocess",)}
BLIND = frozenset(
    ("eval", "exec", "__import__", "b64decode", "inplace", "instance_eval", "Function", "runpy")
)


class Code:
    """What a piece of code does to files.

    paths: literal ones that it writes, removes or moves. commands: texts it gives to a shell.
    calls: programs it starts, with their arguments. is_unread: it may write what is not in these.
    """

    __slots__ = ("calls", "commands", "is_unread", "looked_at", "paths")

    def __init__(self) -> None:
        self.paths: list[str] = []
        self.commands: list[str] = []
        self.calls: list[list[str]] = []
        self.is_unread = False
        self.looked_at = 0


def code_of(source: str, language: str) -> Code:
    """Read `source`; total, for any text. language: `PYTHON`, `PERL`, or any other name."""
    reader = _Reader(tokens_of(source[:LARGEST], language), language)
    reader.code.is_unread = len(source) > LARGEST
    reader.read()
    return reader.code


def tokens_of(source: str, language: str) -> list[Token]:
    """Names, strings and marks; comments and blanks are left out."""
    found: list[Token] = []
    at = 0
    while at < len(source):
        letter = source[at]
        start = at
        if letter.isalnum() or letter == "_":
            while at < len(source) and (source[at].isalnum() or source[at] == "_"):
                at += 1
            found.append((NAME, source[start:at]))
        elif letter in "'\"" or (letter == "`" and language not in HASH_COMMENTS):
            at = _string(source, at, found, language)
        elif source.startswith("#" if language in HASH_COMMENTS else "//", at):
            at = _line_end(source, at)
        else:
            at += 1
            if not letter.isspace() or letter == "\n":
                found.append((MARK, letter))
    return found


def _line_end(source: str, at: int) -> int:
    end = source.find("\n", at)
    return end if end >= 0 else len(source)


def _string(source: str, at: int, found: list[Token], language: str) -> int:
    """Take the string at `at`; where it ends."""
    mark = source[at]
    prefix = ""
    if language == PYTHON and found and found[-1][0] == NAME and source[at - 1 : at].isalpha():
        if found[-1][1].lower() in ("r", "b", "f", "rb", "br", "fr", "rf", "u"):
            prefix = found.pop()[1].lower()
        if source.startswith(mark * 3, at):
            mark *= 3
    elif language == PYTHON and source.startswith(mark * 3, at):
        mark *= 3
    start = at = at + len(mark)
    while at < len(source) and not source.startswith(mark, at):
        at += 2 if source[at] == "\\" else 1
    text = source[start:at]
    found.append((TEMPLATE if _is_template(text, mark, prefix, language) else STRING, text))
    return at + len(mark)


def _is_template(text: str, mark: str, prefix: str, language: str) -> bool:
    if language == PYTHON:
        return "f" in prefix and "{" in text
    if mark == '"' and language != "node":
        return "#{" in text or (language in (PERL, "php") and ("$" in text or "@" in text))
    return mark == "`" and "${" in text


class _Reader:
    def __init__(self, tokens: Sequence[Token], language: str) -> None:
        self.tokens = tokens
        self.language = language
        self.names: dict[str, list[str] | None] = {}
        self.known: set[int] = set()  # dots whose receiver has been dealt with
        self.has_moved = False  # then relative paths count from elsewhere
        self.code = Code()

    def kind(self, at: int) -> str:
        return self.tokens[at][0] if 0 <= at < len(self.tokens) else ""

    def text(self, at: int) -> str:
        return self.tokens[at][1] if 0 <= at < len(self.tokens) else ""

    def is_mark(self, at: int, mark: str) -> bool:
        return self.kind(at) == MARK and self.text(at) == mark

    def read(self) -> None:
        for at in range(len(self.tokens)):
            self.code.looked_at += 1
            kind, text = self.tokens[at]
            if kind == NAME:
                self._assignment(at)
                self._receiver(at)
                self._call(at, text)
            elif kind == MARK and text == "(":
                self._receiver(at)
            elif kind == MARK and text == "`":
                self.code.is_unread = True

    def _assignment(self, at: int) -> None:
        """`NAME = expression` and `for NAME in [...]`: what the name stands for from here on."""
        name = self.text(at)
        if self.is_mark(at + 1, "=") and not any(self.is_mark(at + 2, one) for one in "=>~"):
            if not self.is_mark(at - 1, "."):
                self.names[name] = self._value(at + 2)[0]
        elif self.text(at + 1) in ("in", "of") and self.is_mark(at + 2, "["):
            self.names[name] = self._listed(at + 2)
        elif self.text(at + 1) in ("in", "of") and self.text(at - 1) in ("for", "const", "let"):
            self.names[name] = None

    def _receiver(self, at: int) -> None:
        """`path.write_text(...)` and its like."""
        if self.is_mark(at - 1, "."):
            return
        value, end = self._value(at)
        method = self.text(end + 1)
        if not self.is_mark(end, ".") or method not in OWN | OWN_OR_OTHER:
            return
        if not self.is_mark(end + 2, "("):
            return
        self.known.add(end)
        if value is None and method in OWN_OR_OTHER and self.kind(end - 1) == NAME:
            self.known.discard(end)  # `os.unlink(...)`: judged as a call
        elif method != "open" or self._writes(self._arguments(end + 2), 0):
            self._wrote(value)

    def _call(self, at: int, name: str) -> None:
        before = self.text(at - 2) if self.is_mark(at - 1, ".") else ""
        self.has_moved = self.has_moved or name == "chdir"
        if name in BLIND and not self._is_shell_exec(name, before):
            self.code.is_unread = True
        has_parenthesis = self.is_mark(at + 1, "(")
        if not has_parenthesis and (self.language not in (PERL, "ruby") or before == "$"):
            return
        if self.is_mark(at - 1, "."):
            if at - 1 in self.known:
                return
            if name in OWN or (
                name in OWN_OR_OTHER and name != "open" and not _places(name, before)
            ):
                self.code.is_unread = True
                return
        places = _places(name, before)
        if name in ("open", "openSync", "fopen"):
            self._opened(self._arguments(at + 1), before)
        elif places:
            arguments = self._arguments(at + 1)
            for place in places:
                self._wrote(self._argument(arguments, place))
        elif name in SHELLS and before in SHELLS_OF.get(name, (before,)):
            self._started(self._arguments(at + 1))

    def _is_shell_exec(self, name: str, before: str) -> bool:
        """`regex.exec(text)` of JavaScript evaluates nothing."""
        return name == "exec" and bool(before) and self.language != PYTHON

    def _opened(self, arguments: list[Span], before: str) -> None:
        if self.language == PERL:
            self._opened_in_perl(arguments)
        elif before == "os":
            if any(
                self.text(at).startswith(("O_WR", "O_RDWR", "O_TR", "O_CR"))
                for at in _all(arguments)
            ):
                self._wrote(self._argument(arguments, 0))
        elif self._writes(arguments, 1):
            self._wrote(self._argument(arguments, 0))

    def _opened_in_perl(self, arguments: list[Span]) -> None:
        mode = self._argument(arguments, 1)
        if mode is None:
            self.code.is_unread = True
        elif mode[0].lstrip().startswith((">", "+<", "+>", "|")):
            rest = mode[0].lstrip("+<>| ")
            self._wrote([rest] if rest and ":" not in rest[:1] else self._argument(arguments, 2))

    def _writes(self, arguments: list[Span], place: int) -> bool:
        """Whether the mode of an `open` writes; one that cannot be read may."""
        mode: list[str] | None = ["r"]
        for number, (start, end) in enumerate(arguments):
            if self.text(start) == "mode" and self.is_mark(start + 1, "="):
                mode = self._whole(start + 2, end)
            elif number == place and not self.is_mark(start + 1, "="):
                mode = self._whole(start, end)
        return mode is None or any(letter in mode[0] for letter in "wax+")

    def _wrote(self, value: list[str] | None) -> None:
        if value is None or (self.has_moved and any(one[:1] != "/" for one in value)):
            self.code.is_unread = True
        else:
            self.code.paths += value

    def _started(self, arguments: list[Span]) -> None:
        if not arguments:
            return
        start, end = arguments[0]
        words = self._listed(start) if self.is_mark(start, "[") else self._whole(start, end)
        if words is None:
            self.code.is_unread = True
        elif self.is_mark(start, "["):
            self.code.calls.append(words)
        elif len(arguments) > 1 and self.is_mark(arguments[1][0], "["):
            more = self._listed(arguments[1][0])
            self.code.is_unread = self.code.is_unread or more is None
            self.code.calls += [[*words, *more]] if more is not None else []
        else:
            self.code.commands += words

    def _arguments(self, at: int) -> list[Span]:
        """Where each argument begins and ends, of the call whose parenthesis, if any, is at `at`."""
        is_open = self.is_mark(at, "(")
        found: list[Span] = []
        level, start = 0, at + is_open
        for place in range(start, min(len(self.tokens), start + MOST_ARGUMENTS)):
            self.code.looked_at += 1
            kind, text = self.tokens[place]
            if kind != MARK:
                continue
            is_end = level == 0 and (text in ")]}" or (not is_open and text in ";\n"))
            if is_end or (level == 0 and text == ","):
                found += [(start, place)] if place > start else []
                start = place + 1
                if is_end:
                    return [self._trimmed(span) for span in found]
            level += (text in "([{") - (text in ")]}")
        return (
            [*found, (start, len(self.tokens))]
            if not is_open and start < len(self.tokens)
            else found
        )

    def _trimmed(self, span: Span) -> Span:
        start, end = span
        while start < end and self.is_mark(start, "\n"):
            start += 1
        while end > start and self.is_mark(end - 1, "\n"):
            end -= 1
        return start, end

    def _argument(self, arguments: list[Span], place: int) -> list[str] | None:
        return self._whole(*arguments[place]) if place < len(arguments) else None

    def _whole(self, start: int, end: int) -> list[str] | None:
        """What the expression from `start` to `end` is; None unless all of it could be read."""
        value, stop = self._value(start)
        return value if stop == end else None

    def _listed(self, at: int) -> list[str] | None:
        """The texts in the list at `at`."""
        found: list[str] = []
        for start, end in self._spans_in(at):
            value = self._whole(start, end)
            if value is None or len(found) >= MOST_ARGUMENTS:
                return None
            found += value
        return found

    def _spans_in(self, at: int) -> list[Span]:
        spans: list[Span] = []
        start, level = at + 1, 0
        for place in range(at + 1, min(len(self.tokens), at + MOST_ARGUMENTS)):
            self.code.looked_at += 1
            text = self.text(place) if self.kind(place) == MARK else ""
            if level == 0 and text in (",", "]"):
                span = self._trimmed((start, place))
                spans += [span] if span[0] < span[1] else []
                start = place + 1
                if text == "]":
                    break
            level += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
        return spans

    def _value(self, at: int, depth: int = 0) -> tuple[list[str] | None, int]:
        """The texts that the expression at `at` may be, None if unknown, and where it ends."""
        self.code.looked_at += 1
        value, end = self._primary(at, depth)
        while value is not None and depth < 8:
            self.code.looked_at += 1
            glue = self.text(end) if self.kind(end) == MARK else ""
            if glue in ("/", "+", ".") and self._goes_on(end, glue):
                other, end = self._primary(end + 1, depth + 1)
                value = _combined(value, other, "/" if glue == "/" else "")
            elif glue == "." and self.text(end + 1) in SAME and self.is_mark(end + 3, ")"):
                end += 4
            elif self.kind(end) == STRING and self.language == PYTHON:
                value = _combined(value, [self.text(end)], "")
                end += 1
            else:
                break
        return value, end

    def _goes_on(self, end: int, glue: str) -> bool:
        return glue != "." or (self.language in (PERL, "php") and self.kind(end + 1) != NAME)

    def _primary(self, at: int, depth: int) -> tuple[list[str] | None, int]:
        kind, text = self.kind(at), self.text(at)
        if kind == STRING:
            return [text], at + 1
        if kind == TEMPLATE:
            return None, at + 1
        if kind == MARK and text in "$\\" and self.kind(at + 1) == NAME:
            return self.names.get(self.text(at + 1)), at + 2
        if kind == MARK and text == "(" and depth < 8:
            value, end = self._value(at + 1, depth + 1)
            return (value, end + 1) if self.is_mark(end, ")") else (None, end)
        if kind != NAME:
            return None, at
        return self._named(at, depth)

    def _named(self, at: int, depth: int) -> tuple[list[str] | None, int]:
        """A name, or a call of what makes a path of its arguments."""
        end = at
        while (
            self.is_mark(end + 1, ".")
            and self.kind(end + 2) == NAME
            and self.text(end) not in PATHS
        ):
            if self.text(end) in self.names and end == at:
                break
            if self.text(end + 2) in OWN | OWN_OR_OTHER:
                break
            end += 2
        if self.is_mark(end + 1, "(") and self.text(end) in PATHS and depth < 8:
            return self._path_of(end + 1, depth)
        if end == at:
            return self.names.get(self.text(at)), at + 1
        return None, end + 1

    def _path_of(self, at: int, depth: int) -> tuple[list[str] | None, int]:
        value: list[str] | None = None
        end = at
        while value is None or self.is_mark(end, ","):
            part, end = self._value(end + 1, depth + 1)
            if part is None:
                return None, end
            value = part if value is None else _combined(value, part, "/")
        return (value, end + 1) if self.is_mark(end, ")") else (None, end)


def _places(name: str, before: str) -> tuple[int, ...]:
    """Which arguments of a call are written."""
    for plain, of, places in (
        (FIRST, FIRST_OF, (0,)),
        (BOTH, BOTH_OF, (0, 1)),
        (SECOND, SECOND_OF, (1,)),
    ):
        if name in plain or before in of.get(name, ()):
            return places
    return ()


def _all(spans: list[Span]) -> list[int]:
    return [at for start, end in spans for at in range(start, end)]


def _combined(ours: list[str] | None, theirs: list[str] | None, glue: str) -> list[str] | None:
    if ours is None or theirs is None or len(ours) * len(theirs) > MOST_VALUES:
        return None
    return [
        other if glue and other.startswith("/") else one + glue + other
        for one in ours
        for other in theirs
    ]
