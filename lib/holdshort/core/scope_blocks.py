"""The lines of one scope block: which paths, whose, and what was dropped."""

from __future__ import annotations

from holdshort.core.path_shapes import PROSE
from holdshort.core.scope_labels import MINE, Label, Marks, Names, judge, label_parts, words_of
from holdshort.core.scope_lines import NOT_WRITABLE, read_line, says_read
from holdshort.core.scope_tokens import strip_bullet
from holdshort.core.scope_words import NOTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

SILENT = ("after:", "agent-id:", "agent id:", "after :")
"""Lines of a block that are not about files."""

OWNER_COLUMNS = frozenset(("agent", "owner", "who", "worker", "assignee", "assigned", "session"))
PATH_COLUMNS = frozenset(
    (
        *("file", "files", "path", "paths", "scope", "target", "entry", "datei", "dateien"),
        "entries",
    )
)
CLIP = 120
LONGEST_NOTHING = 80
CLAUSE_ENDS = str.maketrans(dict.fromkeys("—\u2013,;:.()", "\n"))


class Finding:
    """One path: how sure, whose (empty: not said), under a heading of which level."""

    __slots__ = ("level", "owner", "path", "strength")

    def __init__(self, path: str, strength: str, owner: str, level: int) -> None:
        self.path = path
        self.strength = strength
        self.owner = owner
        self.level = level


class Found:
    """What a prompt has yielded so far."""

    __slots__ = ("dropped", "findings", "level", "marks", "names", "nothing")

    def __init__(self, marks: Marks, names: Names) -> None:
        self.marks = marks
        self.names = names
        self.findings: list[Finding] = []
        self.dropped: list[tuple[str, str]] = []
        self.nothing = False
        self.level = 0

    def take(self, paths: Sequence[str], label: Label, note: str) -> None:
        """Keep paths; a note may name their owner (`src/b.py (Agent B)`)."""
        owner = self.names.owner(words_of(note)) if "gent" in note else ""
        for path in paths:
            self.findings.append(Finding(path, label.strength, owner or label.owner, self.level))

    def drop(self, line: str, reason: str, label: Label) -> None:
        """Remember a line that was not understood, if it was meant for this agent."""
        if label.strength == "strong" and label.owner in ("", MINE):
            text = line.strip()
            self.dropped.append((text if len(text) <= CLIP else f"{text[:CLIP]}…", reason))

    def say_nothing(self, label: Label) -> None:
        """Remember that a block says it is empty, if it was meant for this agent."""
        if label.strength == "strong" and label.owner in ("", MINE):
            self.nothing = True

    def count(self) -> int:
        """How much has been found, of any kind."""
        return len(self.findings) + len(self.dropped) + self.nothing


def is_nothing(text: str) -> bool:
    """Tell whether this says that there is no file to write."""
    if len(text) > LONGEST_NOTHING or "/" in text.lower().replace("n/a", ""):
        return False
    clause = text.strip("( ").translate(CLAUSE_ENDS).partition("\n")[0]
    if words_of(clause).strip() not in NOTHING:
        return False
    return not any(word in words_of(text) for word in (" except ", " but ", " unless ", " until "))


def fills_block(found: Found, lines: Sequence[str], label: Label, *, loose: bool) -> None:
    """Read a block; one that is empty, or of reading matter alone, says that there is no scope."""
    before = found.count()
    reads = label.kind == "read"
    if label.kind == "write":
        reads = read_block(found, lines, label, loose=loose)
        reads = reads or not any(line.strip() for line in lines)
    if reads and before == found.count():
        found.say_nothing(label)


def read_block(found: Found, lines: Sequence[str], label: Label, *, loose: bool) -> bool:
    """Read the body of a fence or a list; tell whether a part of it was reading matter."""
    block = _Block(found, label, loose=loose and label.strength == "strong")
    for line in lines:
        text = strip_bullet(line)[0]
        if text and not text.lower().startswith(SILENT):
            block.line(line, text)
    return block.reads


def indent_of(line: str) -> int:
    """Count the blanks before the text of a line."""
    return len(line) - len(line.lstrip())


class _Block:
    """Where the reading of a block stands: the inner label in force, and how far it is indented."""

    __slots__ = (
        "base",
        "found",
        "inner",
        "inner_indent",
        "label",
        "loose",
        "nested",
        "path_indent",
        "reads",
        "was_label",
    )

    def __init__(self, found: Found, label: Label, *, loose: bool) -> None:
        self.found = found
        self.label = label
        self.loose = loose
        self.base = -1
        self.inner: Label | None = None
        self.inner_indent = 0
        self.nested: bool | None = None
        self.path_indent = 0
        self.was_label = False
        self.reads = False

    def line(self, line: str, text: str) -> None:
        indent = indent_of(line)
        self.base = indent if self.base < 0 else self.base
        self._leave_inner(indent)
        parts = (text.strip("# "), "") if text[0] == "#" else label_parts(text)
        if parts is not None and not parts[1]:
            self._enter_inner(parts[0], indent, remark=text[0] == "#")
            return
        if is_nothing(text):
            self.found.say_nothing(self._mark(self.inner))
        else:
            self._paths(line, text, parts, indent)
        self.was_label = False

    def _leave_inner(self, indent: int) -> None:
        if self.inner is None:
            return
        if self.nested is None:
            self.nested = indent > self.inner_indent
        if self.nested and indent <= self.inner_indent:
            self.inner = None

    def _enter_inner(self, text: str, indent: int, *, remark: bool) -> None:
        label = judge(text, self.found.marks, self.found.names, heading=True)
        speaks = label.kind != "write" or label.owner != ""
        if speaks or not (remark and self.was_label):
            self.inner = label if speaks else None
            self.inner_indent, self.nested = indent, None
        self.was_label = True
        self.reads = self.reads or label.kind == "read"

    def _paths(self, line: str, text: str, parts: tuple[str, str] | None, indent: int) -> None:
        label, loose = self.inner, self.loose and indent <= self.base
        if parts is not None:
            said = judge(parts[0], self.found.marks, self.found.names, heading=True)
            label = said if said.kind != "write" or said.owner else label
            text, loose = parts[1], loose and said.group
        if label is not None and label.kind != "write":
            if parts is not None and label is not self.inner:
                self.found.drop(line, NOT_WRITABLE, self.label)
            return
        mark = self._mark(label)
        paths, reason, note = read_line(text, loose=loose)
        self.found.take(paths, mark, note)
        if reason and not (
            reason == PROSE and not paths and self.path_indent < indent and self.found.findings
        ):
            self.found.drop(line, reason, mark)
        if paths:
            self.path_indent = indent

    def _mark(self, inner: Label | None) -> Label:
        owner = inner.owner if inner is not None and inner.owner else self.label.owner
        return Label(self.label.strength, owner, "write", group=True)


def read_table(found: Found, lines: Sequence[str], label: Label) -> None:
    """Read the rows of a table under a label; a header row says which column means what."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
    header: list[str] = []
    if len(rows) > 1 and _is_rule(rows[1]):
        header = [words_of(cell).strip() for cell in rows[0]]
        rows = rows[2:]
    for row in rows:
        if not _is_rule(row):
            _read_row(found, row, header, label)


def _is_rule(row: Sequence[str]) -> bool:
    return all(cell and not cell.strip("-: ") for cell in row)


def _read_row(found: Found, row: Sequence[str], header: Sequence[str], label: Label) -> None:
    owner = label.owner
    columns = list(zip(header, row, strict=False))
    for name, cell in columns:
        if not OWNER_COLUMNS.isdisjoint(name.split()):
            owner = found.names.owner_of_cell(cell)
    chosen = [cell for name, cell in columns if not PATH_COLUMNS.isdisjoint(name.split())]
    mark = Label(label.strength, owner, "write", group=True)
    if any(says_read(cell) or cell.lower() in ("read", "r", "ro") for cell in row):
        found.drop(" | ".join(row), NOT_WRITABLE, mark)
        return
    for cell in chosen or row:
        paths, reason, note = read_line(cell, loose=bool(chosen))
        found.take(paths, mark, note)
        if chosen and reason:
            found.drop(" | ".join(row), reason, mark)
        if paths and not chosen:
            return
