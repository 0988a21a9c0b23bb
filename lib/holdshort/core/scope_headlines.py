"""Headings, tags and markers: whose section begins, and which block is expected next."""

from __future__ import annotations

from holdshort.core.scope_blocks import Found, is_nothing
from holdshort.core.scope_fences import Fences
from holdshort.core.scope_labels import LONGEST_LABEL, Label, Marks, Names, judge, label_parts
from holdshort.core.scope_lines import read_line
from holdshort.core.scope_sections import BOLD, NOT_HEADED, Sections

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Headlines:
    """Where the walk stands, which block is expected next, and what was found.

    `pending` is the marker whose block has not come yet, `context` the one that a label like
    `Tests:` may go on with, `listed` whether a list or fence stood since the last headline.
    """

    __slots__ = (
        *("at", "context", "context_level", "fences", "found", "lines", "listed", "mark_indent"),
        *("marks", "names", "pending", "prose", "sections"),
    )

    def __init__(self, lines: Sequence[str], marks: Marks, names: Names) -> None:
        self.lines = lines
        self.marks = marks
        self.names = names
        self.at = 0
        self.pending: Label | None = None
        self.context: Label | None = None
        self.context_level = NOT_HEADED
        self.listed = False
        self.mark_indent = -1
        self.sections = Sections(names)
        self.found = Found(marks, names)
        self.fences = Fences(lines)
        self.prose: list[str] = []

    def _heading(self, line: str) -> None:
        text = line.lstrip("#")
        self.prose.append(text)
        self.at += 1
        self._open_section(min(len(line) - len(text), BOLD - 1), text.strip()[:LONGEST_LABEL])

    def _open_section(self, level: int, text: str) -> None:
        head, rest = label_parts(text) or (text, "")
        label = judge(head, self.marks, self.names, heading=True, rest=rest)
        self.sections.open(level, text, label)
        self.found.level = level
        if label.group and label.strength != "strong" and level > self.context_level:
            self.pending = self.context if label.kind == "write" else None
            return
        self.pending = self.context = None
        if label.strength:
            self._mark(label, rest, level)

    def _expects_strong(self) -> bool:
        return self.pending is not None and self.pending.strength == "strong"

    def _mark(self, label: Label, rest: str, level: int) -> None:
        """A marker stands here: take the paths of its own line, or expect a block."""
        owner = label.owner or self.sections.owner(used=self.listed)
        self.pending = self.context = Label(label.strength, owner, label.kind, group=True)
        self.context_level = level
        self.listed = False
        self.mark_indent = -1
        if rest:
            self._same_line(self.pending, rest)

    def _same_line(self, label: Label, rest: str) -> None:
        paths, reason, note = read_line(rest, loose=False)
        if is_nothing(rest):
            self.found.say_nothing(label)
            self.pending = None
        elif paths and label.kind == "write":
            self.found.take(paths, label, note)
            if not rest.endswith(","):
                self.pending = None
        if reason and (paths or "/" in rest):
            self.found.drop(rest, reason, label)

    def _tag(self, line: str) -> None:
        name, _, rest = line[1:].partition(">")
        self.at += 1
        if name.startswith("/"):
            self.pending = self.context = None
            self.sections.close(BOLD)
            return
        inner, closing, _ = rest.partition("</")
        label = judge(name[:LONGEST_LABEL], self.marks, self.names, heading=True)
        if label.strength and not (self._expects_strong() and label.strength == "weak"):
            self._mark(label, inner.strip(), NOT_HEADED)
            self.pending = None if closing else self.pending
        elif label.strength:
            self._same_line(self.pending or label, inner.strip())
        elif not closing:
            self._open_section(BOLD, name[:LONGEST_LABEL])
        self.prose.append("" if label.strength else inner)
