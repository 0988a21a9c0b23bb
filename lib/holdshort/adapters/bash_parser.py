"""Bash source to the plain values of `core.shell_script`, by tree-sitter where it is installed.

Hooks run without site-packages; the two extension modules are loaded straight from the checkout's own
environment, without the packages around them, which would import `typing` and `importlib.resources`
(docs/adr/0010-shell-parser.md).
"""

from __future__ import annotations

import _imp
import sys
from _frozen_importlib import ModuleSpec
from _frozen_importlib_external import ExtensionFileLoader

from holdshort.adapters import paths
from holdshort.core.shell_lexer import lex
from holdshort.core.shell_script import (
    BARE,
    BARE_VARIABLE,
    COMMAND,
    LARGEST,
    LOOP,
    MADE,
    PERHAPS,
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
    from collections.abc import Callable
    from typing import Any

    from holdshort.core.shell_script import Part, Redirect, Word

    Node = Any

CHECKOUT = __file__.rpartition("/lib/")[0]
MOST_NODES = 40_000  # of one command; beyond, the rest is not read
DEEPEST = 90  # nested groups and substitutions
ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "r": "\r", "a": "\a", "e": "\x1b"}


def parser() -> Callable[[str], Script] | None:
    """What parses a command; None where tree-sitter or its grammar is not installed."""
    home = f"{CHECKOUT}/.venv/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    try:
        engine = _extension(f"{home}/tree_sitter")
        grammar = _extension(f"{home}/tree_sitter_bash")
        language = engine.Language(grammar.language())
        parse = engine.Parser(language).parse
    except (ImportError, OSError, AttributeError, ValueError, TypeError):
        return None
    alive = (engine, grammar, language)  # nothing that the engine points to may go away
    return lambda text: _read(parse, text, alive)


def is_installed() -> bool:
    """Whether there is a shell parser, for `holdshort status`."""
    return parser() is not None


def _extension(package: str) -> Any:
    """The module `_binding` of `package`, a directory, without the package's own code.

    Raises ImportError.
    """
    name = f"{paths.basename(package)}._binding"
    if name in sys.modules:
        return sys.modules[name]
    for suffix in _imp.extension_suffixes():
        path = f"{package}/_binding{suffix}"
        if paths.isfile(path):
            spec = ModuleSpec(name, ExtensionFileLoader(name, path), origin=path)
            module = _imp.create_dynamic(spec)
            _imp.exec_dynamic(module)
            sys.modules[name] = module
            return module
    raise ImportError(name)


def _read(parse: Callable[[bytes], Any], text: str, _alive: object) -> Script:
    source = text[:LARGEST].encode("utf-8", "replace")
    tree = parse(source)
    root = tree.root_node
    reader = _Reader(source)
    steps = reader.steps_in(root, 0)
    if root.has_error:  # the grammar misses some of what is plain, as `3<>`
        plain = lex(text)
        return Script(steps, has_error=True) if plain.has_error else plain
    return Script(steps, has_error=reader.is_lost)


class _Reader:
    """Walks one syntax tree. nodes: seen so far. is_lost: a bound was hit, or a node is unknown."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.nodes = 0
        self.is_lost = False

    def text(self, node: Node) -> str:
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def steps_in(self, node: Node, depth: int) -> list[Step]:
        """The steps of a node's children, in order."""
        found: list[Step] = []
        for child in node.named_children:
            found += self.steps_of(child, depth + 1)
        return found

    def steps_of(self, node: Node, depth: int) -> list[Step]:
        self.nodes += 1
        if depth > DEEPEST or self.nodes > MOST_NODES:
            self.is_lost = True
            return []
        read = _READERS.get(node.type)
        return read(self, node, depth) if read else self.steps_in(node, depth)

    def command(self, node: Node, depth: int, extra: _Extra | None = None) -> list[Step]:
        """A simple command, with the substitutions in its words before it."""
        extra = extra or _Extra()
        words: list[Word] = []
        assigned: list[tuple[str, Word]] = []
        before: list[Step] = []
        for child in node.children:
            kind = child.type
            if kind == "variable_assignment":
                assigned.append(self.assignment(child, before, depth))
            elif kind.endswith("_redirect"):
                before += self.redirect(child, extra, depth)
            elif kind == "command_name":
                words += [self.word(part, before, depth) for part in child.children]
            elif child.is_named or kind in ("declare", "export", "local", "readonly", "typeset"):
                words.append(self.word(child, before, depth))
        redirects = (*extra.redirects,)
        words += extra.words
        step = Step(COMMAND, words, redirects, assigned=assigned, stdin=extra.stdin)
        return [*before, step]

    def redirected(self, node: Node, depth: int) -> list[Step]:
        """A statement with redirections; of a list, they belong to its last command."""
        extra = _Extra()
        before: list[Step] = []
        body = None
        for child in node.named_children:
            if child.type.endswith("_redirect"):
                before += self.redirect(child, extra, depth)
            else:
                body = child
        if body is None:
            return [
                *before,
                Step(COMMAND, extra.words, extra.redirects, stdin=extra.stdin),
                *extra.after,
            ]
        return [*before, *extra.around(self._with(body, extra, depth))]

    def _with(self, body: Node, extra: _Extra, depth: int) -> list[Step]:
        if body.type == "list" and body.named_child_count:
            *first, last = body.named_children
            found: list[Step] = []
            for one in first:
                found += self.steps_of(one, depth + 1)
            return [*found, *self._with(last, extra, depth + 1)]
        if body.type in ("command", "declaration_command"):
            return self.command(body, depth + 1, extra)
        redirects = Step(COMMAND, (), extra.redirects)
        steps = self.steps_of(body, depth + 1)
        if extra.stdin is not None and steps and steps[-1].kind == COMMAND:
            steps[-1].stdin = extra.stdin
        return [redirects, *steps]

    def redirect(self, node: Node, extra: _Extra, depth: int) -> list[Step]:
        """Note one redirection in `extra`; the steps of substitutions in it."""
        before: list[Step] = []
        if node.type == "heredoc_redirect":
            self.heredoc(node, extra, before, depth)
        elif node.type == "herestring_redirect":
            for child in node.named_children:
                extra.stdin = self.word(child, before, depth)
        else:
            operator = next((c.type for c in node.children if not c.is_named), ">")
            words = [
                self.word(child, before, depth)
                for child in node.named_children
                if child.type != "file_descriptor"
            ]
            extra.redirects += [(operator, word) for word in words[:1]]
            extra.words += words[1:]  # the grammar takes `> file argument` for two places
        return before

    def heredoc(self, node: Node, extra: _Extra, before: list[Step], depth: int) -> None:
        is_quoted = False
        for child in node.named_children:
            kind = child.type
            if kind == "heredoc_start":
                is_quoted = any(mark in self.text(child) for mark in "'\"\\")
            elif kind == "heredoc_body":
                extra.stdin = self.body(child, before, depth, is_quoted=is_quoted)
            elif kind == "pipeline":
                extra.piped = self.steps_in(child, depth + 1)
            elif kind.endswith("_redirect"):
                before += self.redirect(child, extra, depth)
            elif kind in _WORDS:
                extra.words.append(self.word(child, before, depth))
            elif kind != "heredoc_end":
                extra.after += self.steps_of(child, depth + 1)

    def body(self, node: Node, before: list[Step], depth: int, *, is_quoted: bool) -> Word:
        """The text of a heredoc; unless its end word was quoted, with what is expanded in it."""
        if is_quoted:
            return ((QUOTED, self.text(node)),)
        return self.expanded(node, before, depth)

    def assignment(self, node: Node, before: list[Step], depth: int) -> tuple[str, Word]:
        name = value = None
        is_plain = True
        for child in node.children:
            if child.type in ("variable_name", "subscript"):
                name = child
                is_plain = child.type == "variable_name"
            elif child.type == "+=":
                is_plain = False
            elif child.type != "=":
                value = child
        word = self.word(value, before, depth) if value is not None else ((QUOTED, ""),)
        return self.text(name) if name is not None else "", word if is_plain else ((UNREAD, ""),)

    def word(self, node: Node, before: list[Step], depth: int) -> Word:
        """The parts of a word; commands substituted in it are added to `before`."""
        self.nodes += 1
        if depth > DEEPEST or self.nodes > MOST_NODES:
            self.is_lost = True
            return ((UNREAD, ""),)
        read = _PARTS.get(node.type)
        if read is not None:
            return (read(self.text(node)),)
        if node.type in ("string", "translated_string"):
            return self.expanded(node, before, depth, trim=1)
        if node.type == "concatenation":
            parts: list[Part] = []
            for child in node.children:
                parts += self.word(child, before, depth + 1)
            return (*parts,)
        if node.type in ("simple_expansion", "expansion"):
            name = self._variable(node)
            return ((BARE_VARIABLE, name),) if name else ((UNREAD, ""),)
        return self.substituted(node, before, depth)

    def substituted(self, node: Node, before: list[Step], depth: int) -> Word:
        steps = self.steps_in(node, depth + 1)
        if steps:
            before.append(Step(SUBSHELL, steps=steps))
        if len(steps) == 1 and steps[0].words[:1] == [((BARE, "mktemp"),)]:
            return ((QUOTED, MADE),)
        if node.type not in _KNOWN:
            self.is_lost = self.is_lost or node.type == "ERROR"
        return ((UNREAD, ""),)

    def expanded(self, node: Node, before: list[Step], depth: int, trim: int = 0) -> Word:
        """The text of a string or heredoc, cut at the expansions in it."""
        parts: list[Part] = []
        at, end = node.start_byte, node.end_byte
        if trim and self.source[at : at + 1] == b"$":
            at += 1
        at, end = at + trim, end - trim
        for child in node.named_children:
            if child.type in ("string_content", "heredoc_content"):
                continue
            if child.type == "string":  # `$"..."`
                return self.expanded(child, before, depth + 1, trim=1)
            parts.append((QUOTED, self._unescaped(at, child.start_byte)))
            found = self.word(child, before, depth + 1)
            parts += [(VARIABLE if kind == BARE_VARIABLE else kind, text) for kind, text in found]
            at = child.end_byte
        return (*parts, (QUOTED, self._unescaped(at, end)))

    def _unescaped(self, start: int, end: int) -> str:
        text = self.source[start:end].decode("utf-8", "replace")
        if "\\" not in text:
            return text
        text = text.replace("\\\n", "")
        pieces = text.split("\\\\")
        for mark in '"$`':
            pieces = [piece.replace(f"\\{mark}", mark) for piece in pieces]
        return "\\".join(pieces)

    def _variable(self, node: Node) -> str:
        """The name of a plain `$NAME` or `${NAME}`, "" for anything else."""
        text = self.text(node)
        name = text[2:-1] if text.startswith("${") else text[1:]
        return name if name.isidentifier() and name.isascii() else ""


class _Extra:
    """What the redirections of a statement bring: also what follows a heredoc's start."""

    def __init__(self) -> None:
        self.redirects: list[Redirect] = []
        self.words: list[Word] = []
        self.stdin: Word | None = None
        self.piped: list[Step] = []
        self.after: list[Step] = []

    def around(self, steps: list[Step]) -> list[Step]:
        """`steps` with what they are piped into, and what comes after."""
        if self.piped:
            steps = [*steps[:-1], Step(PIPE, steps=[*steps[-1:], *self.piped])]
        return [*steps, *self.after]


def _subshell(reader: _Reader, node: Node, depth: int) -> list[Step]:
    return [Step(SUBSHELL, steps=reader.steps_in(node, depth))]


def _perhaps(reader: _Reader, node: Node, depth: int) -> list[Step]:
    return [Step(PERHAPS, steps=reader.steps_in(node, depth))]


def _pipeline(reader: _Reader, node: Node, depth: int) -> list[Step]:
    """Stages of a pipeline. The grammar binds `a && b | c` as `(a && b) | c`: undone here."""
    stages: list[Step] = []
    first: list[Step] = []
    for child in node.named_children:
        steps = reader.steps_of(child, depth + 1)
        if not stages and len(steps) > 1:
            first, steps = steps[:-1], steps[-1:]
        stages += steps if len(steps) == 1 else [Step(SUBSHELL, steps=steps)]
    return [*first, Step(PIPE, steps=stages)]


def _loop(reader: _Reader, node: Node, depth: int) -> list[Step]:
    name = ""
    words: list[Word] = []
    steps: list[Step] = []
    before: list[Step] = []
    for child in node.named_children:
        if child.type == "variable_name":
            name = reader.text(child)
        elif child.type in ("do_group", "compound_statement"):
            steps = reader.steps_in(child, depth + 1)
        else:
            words.append(reader.word(child, before, depth + 1))
    return [*before, Step(LOOP, words or [((UNREAD, ""),)], steps=steps, name=name)]


def _assigned(reader: _Reader, node: Node, depth: int) -> list[Step]:
    before: list[Step] = []
    nodes = [node] if node.type == "variable_assignment" else node.named_children
    assigned = [reader.assignment(one, before, depth) for one in nodes]
    return [*before, Step(COMMAND, assigned=assigned)]


def _substitutions(reader: _Reader, node: Node, depth: int) -> list[Step]:
    """What is run inside a test or a word that is no command itself."""
    before: list[Step] = []
    for child in node.named_children:
        if child.type in ("command_substitution", "process_substitution"):
            before += _subshell(reader, child, depth + 1)
        elif child.named_child_count:
            before += reader.steps_of(child, depth + 1)
    return before


def _nothing(_reader: _Reader, _node: Node, _depth: int) -> list[Step]:
    return []


def _bare(text: str) -> Part:
    if "\\" not in text:
        return BARE, text
    found, at = [], 0
    while at < len(text):
        at += text[at] == "\\"
        if text[at : at + 1] != "\n" or text[at - 1] != "\\":
            found.append(text[at : at + 1])
        at += 1
    return QUOTED if "\\*" in text or "\\{" in text else BARE, "".join(found)


def _ansi(text: str) -> Part:
    """The text of `$'...'`."""
    found, at, inner = [], 0, text[2:-1]
    while at < len(inner):
        if inner[at] != "\\":
            found.append(inner[at])
            at += 1
            continue
        letter = inner[at + 1 : at + 2]
        size, base = {"x": (2, 16), "u": (4, 16), "U": (8, 16)}.get(letter, (3, 8))
        start = at + 1 + (base == 16)
        digits = _digits(inner[start : start + size], base)
        if digits:
            found.append(chr(min(int(digits, base), 0x10FFFF)))
            at = start + len(digits)
        else:
            found.append(ESCAPES.get(letter, letter))
            at += 2
    return QUOTED, "".join(found)


def _digits(text: str, base: int) -> str:
    allowed = "0123456789abcdefABCDEF" if base == 16 else "01234567"
    cut = next((at for at, letter in enumerate(text) if letter not in allowed), len(text))
    return text[:cut]


def _plain(text: str) -> Part:
    return BARE, text


_PARTS: dict[str, Callable[[str], Part]] = {
    "word": _bare,
    "raw_string": lambda text: (QUOTED, text[1:-1]),
    "ansi_c_string": _ansi,
    "array": lambda _: (UNREAD, ""),
    **dict.fromkeys(("number", "variable_name", "special_variable_name", "test_operator"), _plain),
    **dict.fromkeys(("extglob_pattern", "regex", "{", "}", "==", "=~"), _plain),
    **dict.fromkeys(("declare", "export", "local", "readonly", "typeset"), _plain),
}
_WORDS = frozenset(
    (*_PARTS, "string", "concatenation", "simple_expansion", "expansion", "command_substitution")
)
_KNOWN = frozenset(("command_substitution", "process_substitution", "arithmetic_expansion"))

_READERS: dict[str, Callable[[_Reader, Any, int], list[Step]]] = {
    "command": _Reader.command,
    "declaration_command": _Reader.command,
    "unset_command": _nothing,
    "redirected_statement": _Reader.redirected,
    "subshell": _subshell,
    "pipeline": _pipeline,
    "for_statement": _loop,
    "if_statement": _perhaps,
    "while_statement": _perhaps,
    "c_style_for_statement": _perhaps,
    "case_statement": _perhaps,
    "function_definition": _perhaps,
    "variable_assignment": _assigned,
    "variable_assignments": _assigned,
    "test_command": _substitutions,
    "binary_expression": _substitutions,
    "unary_expression": _substitutions,
    "command_substitution": _subshell,
    "process_substitution": _subshell,
    "comment": _nothing,
    "word": _nothing,
}
