"""The lines of one scope block: which paths, whose, and what was dropped."""

from __future__ import annotations

from holdshort.core.scope_labels import (
    LONGEST_LABEL,
    MINE,
    Label,
    Marks,
    Names,
    judge,
    label_parts,
    words_of,
)
from holdshort.core.scope_lines import (
    NOT_WRITABLE,
    PROSE,
    clean,
    read_line,
    says_read,
    strip_bullet,
    tokens_of,
)
from holdshort.core.scope_words import (
    CUE_GATE,
    DEEDS,
    EXTENSIONLESS,
    GROUPS,
    LEADS,
    NOTHING,
    SCOPE_TALK,
    STOPS,
    WEAK_CUES,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_HEAD = 40
"""Characters of a label before a path on one line (`write: src/a.py`)."""


def starts_list(text: str, marks: Marks, *, bullet: bool) -> bool:
    """Tell whether this line is an item, or as good as one, and not a marker itself."""
    head, rest = label_parts(text) or ("", "")
    if head and marks.around(head) is not None:
        return False
    if bullet or is_nothing(text):
        return True
    if head:
        return len(head) < LONGEST_HEAD and bool(read_line(rest, loose=False)[0])
    if not _may_begin_with_path(text):
        return False
    return bool(read_line(text, loose=False)[0]) and marks.around(text) is None


def _may_begin_with_path(text: str) -> bool:
    """Tell at a glance that a sentence is none: its first word is a plain one."""
    first = text[:LONGEST_HEAD].split(None, 1)[0].lower()
    return not first.isalpha() or first in DEEDS or first in EXTENSIONLESS


def list_end(lines: Sequence[str], start: int, marks: Marks, mark_indent: int) -> int:
    """Give the line after the last of a list; `mark_indent` is that of a marker which is an item.

    A bare list has no bullets: each of its lines must be a path.
    """
    bare = not strip_bullet(lines[start])[1]
    base = indent_of(lines[start])
    at = start + 1
    while at < len(lines) and _belongs(lines[at], base, marks, mark_indent, bare=bare):
        at += 1
    return at


def _belongs(raw: str, base: int, marks: Marks, mark_indent: int, *, bare: bool) -> bool:
    line = raw.strip()
    if not line:
        return True
    if fence_of(line) is not None or line[0] in "<|>" or (line[0] == "#" and not bare):
        return False
    text, bullet = strip_bullet(line)
    head = (label_parts(text) or ("", ""))[0]
    if head and marks.around(head) is not None:
        return False
    if bullet and not bare:
        return indent_of(raw) > mark_indent
    if bare and line[0] == "#":
        return True
    return (not bare and indent_of(raw) > base) or bool(read_line(text, loose=bullet)[0])


def fence_of(line: str) -> tuple[str, str] | None:
    """Give the run of fence signs that opens this line, and its info string."""
    sign = line[:3]
    if sign not in ("```", "~~~"):
        return None
    info = line.lstrip(sign[0])
    return (
        None if sign[0] in info and sign == "```" else (line[: len(line) - len(info)], info.strip())
    )


class Fences:
    """The fences of a prompt; asked from the top down, so that the whole walk stays linear."""

    __slots__ = ("closers", "lines")

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.closers = {sign: _Closers(lines, sign) for sign in "`~"}

    def end(self, start: int, run: str, *, scope: bool) -> tuple[int, int]:
        """Give the line after the last of the body, and the line to go on with.

        A fence without scope ends as Markdown says. That of a scope also ends where another fence
        opens, or where the last path carries the closing run.
        """
        if not scope and not self.closers[run[0]].has_after(start, len(run)):
            return self._loose_end(start, len(self.lines))
        for at in range(start + 1, len(self.lines)):
            line = self.lines[at].strip()
            if line.startswith(run):
                if not line.strip(run[0]):
                    return at, at + 1
                if scope and fence_of(line) is not None:
                    return self._loose_end(start, at)
            elif scope and line.endswith(run) and line[:3] != run[:3]:
                return at + 1, at + 1
        return self._loose_end(start, len(self.lines))

    def _loose_end(self, start: int, limit: int) -> tuple[int, int]:
        """End an unclosed fence where prose follows a blank line."""
        for at in range(start + 2, limit):
            if not self.lines[at - 1].strip() and _is_prose(self.lines[at].strip()):
                return at, at
        return limit, limit


class _Closers:
    """The lines that could close a fence of one sign; asked from the top of the prompt down."""

    __slots__ = ("at", "lines", "longest")

    def __init__(self, lines: Sequence[str], sign: str) -> None:
        self.lines = [at for at, line in enumerate(lines) if sign * 3 in line]
        self.longest = [0] * (len(self.lines) + 1)
        self.at = 0
        for index in range(len(self.lines) - 1, -1, -1):
            line = lines[self.lines[index]].strip()
            length = len(line) if not line.strip(sign) else 0
            self.longest[index] = max(length, self.longest[index + 1])

    def has_after(self, line: int, length: int) -> bool:
        """Tell whether a closer of this length stands below that line."""
        while self.at < len(self.lines) and self.lines[self.at] <= line:
            self.at += 1
        return self.longest[self.at] >= length


def _is_prose(line: str) -> bool:
    text = strip_bullet(line)[0]
    if not text or (line[0] == "#" and line[1:2] != "#" and len(text) < 60):
        return False
    parts = label_parts(text)
    if parts is not None and not parts[1] and " " not in parts[0].strip():
        return False
    return " " in text and not read_line(text)[0]


LABEL_SIGNS = frozenset("#*<`~|_")
LONGEST_SENTENCE = 2000
"""Characters of a line in which a cue is looked for."""


def holds_cue(text: str) -> bool:
    """Tell whether this sentence names a scope in passing."""
    lowered = _plain(text[:LONGEST_SENTENCE]).lower()
    if not any(word in lowered for word in CUE_GATE):
        return False
    return any(cue in lowered for cue in WEAK_CUES)


def cue_of(text: str) -> tuple[str, tuple[str, ...]]:
    """Give the words before the cue of a sentence, and the paths behind it."""
    plain = _plain(text[:LONGEST_SENTENCE])
    lowered = plain.lower()
    if len(lowered) != len(plain):
        plain = lowered
    starts = [(lowered.find(cue), cue) for cue in WEAK_CUES if cue in lowered]
    at, cue = min(starts, default=(0, ""))
    return words_of(plain[:at]), paths_in_prose(plain[at + len(cue) :])


def _plain(text: str) -> str:
    """Drop bold signs, but not the stars of a glob."""
    if "**" not in text:
        return text
    kept = text.replace("/**", "/\0").replace("**/", "\0/")
    return kept.replace("**", "").replace("\0", "**")


def paths_in_prose(text: str) -> tuple[str, ...]:
    """Give the paths of a sentence up to its end, or to a word that turns it."""
    paths: list[str] = []
    for token in tokens_of(text):
        if words_of(token.text).strip() in STOPS:
            break
        paths += clean(token, loose=False)[0]
        if token.text.endswith((".", "!", "?")) and not token.quoted:
            break
    return tuple(paths)


def talks_of_scope(text: str) -> bool:
    """Tell whether a sentence between a marker and its list still speaks of it."""
    words = words_of(text[:LONGEST_SENTENCE])
    return any(talk in words for talk in SCOPE_TALK)


def after_dash(text: str) -> str:
    """Give what stands behind the dash of a headline without a colon."""
    for dash in ("—", "\u2013", " - "):
        head, found, rest = text.partition(dash)
        if found and "/" not in head:
            return rest.strip()
    return ""


def is_worth_judging(text: str, marks: Marks) -> bool:
    """Tell whether a line could be a headline, or a sentence with a cue."""
    head = text[:LONGEST_LABEL]
    if head[:1] in LABEL_SIGNS or ":" in head:
        return True
    return holds_cue(text) or marks.around(head) is not None


def adds_more(text: str) -> bool:
    """Tell `and`, `and the tests` between two blocks of one scope."""
    words = words_of(text[:LONGEST_LABEL]).split()
    if not words or words[0] not in ("and", "plus", "also", "und", "sowie"):
        return False
    return all(word in GROUPS or word in LEADS for word in words)


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
