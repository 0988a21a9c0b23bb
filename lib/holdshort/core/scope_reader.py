"""Walk over the lines of a prompt and hand on what stands under its scope markers."""

from __future__ import annotations

from holdshort.core.scope_blocks import (
    fills_block,
    indent_of,
    read_block,
    read_table,
)
from holdshort.core.scope_fences import fence_of
from holdshort.core.scope_headlines import Headlines
from holdshort.core.scope_labels import (
    LONGEST_LABEL,
    Label,
    goes_on,
    judge,
    label_parts,
)
from holdshort.core.scope_lists import list_end, starts_list
from holdshort.core.scope_prose import (
    adds_more,
    after_dash,
    cue_of,
    holds_cue,
    is_worth_judging,
    talks_of_scope,
)
from holdshort.core.scope_sections import BOLD, NOT_HEADED
from holdshort.core.scope_tokens import strip_bullet

TYPE_CHECKING = False


class Reader(Headlines):
    """The walk from line to line."""

    __slots__ = ()

    def read(self) -> None:
        """Walk to the end."""
        while self.at < len(self.lines):
            line = self.lines[self.at].strip()
            if line:
                self._step(line)
            else:
                self.at += 1

    def _step(self, line: str) -> None:
        fence = fence_of(line)
        if fence is not None:
            self._fence(*fence)
        elif line[0] == "#":
            self._heading(line)
        elif line[0] == "<" and ">" in line:
            self._tag(line)
        elif line[0] == "|" and (self.pending or self.marks.around(line[:LONGEST_LABEL])):
            self._table()
        elif line[0] == ">":
            self._quotation(line)
        else:
            self._text(line)

    def _quotation(self, line: str) -> None:
        """Quoted text is somebody else's word: a block in it is weak."""
        start = self.at
        while self.at < len(self.lines) and self.lines[self.at].lstrip().startswith(">"):
            self.at += 1
        head, rest = label_parts(line.lstrip("> ")) or (line.lstrip("> ")[:LONGEST_LABEL], "")
        label = judge(head, self.marks, self.names, heading=True, rest=rest)
        if label.strength and label.kind == "write":
            weak = Label(
                "weak", label.owner or self.sections.owner(used=False), "write", group=True
            )
            self._same_line(weak, rest)
            body = [quoted.strip().lstrip("> ") for quoted in self.lines[start + 1 : self.at]]
            read_block(self.found, body, weak, loose=False)

    def _text(self, line: str) -> None:
        text, bullet = strip_bullet(line)
        if self.pending is not None and starts_list(text, self.marks, bullet=bullet):
            self._list()
            return
        indent = indent_of(self.lines[self.at])
        self.at += 1
        self.prose.append(line)
        self.listed = self.listed or bullet
        if is_worth_judging(text, self.marks):
            self._judge(text)
            self.mark_indent = indent if bullet else -1
        else:
            self._after_prose(text)

    def _judge(self, text: str) -> None:
        parts = label_parts(text)
        bold = text.startswith("**") and text.endswith("**") and len(text) <= LONGEST_LABEL
        head, rest = parts or (text[:LONGEST_LABEL], "")
        headed = parts is not None or bold
        label = judge(head, self.marks, self.names, heading=headed, rest=rest)
        cue = holds_cue(text)
        if self.context is not None and parts is not None and not rest and goes_on(label):
            self.pending = self.context
        elif label.strength == "strong" or (label.strength and parts and not cue):
            self._mark(label, rest or after_dash(text if parts is None else ""), NOT_HEADED)
        elif label.strength or cue:
            self._hint(text, label)
        elif bold and parts is None:
            self._open_section(BOLD, text.strip("*"))
        elif parts is None or rest:
            self._after_prose(text)
        else:
            self.pending = self.context = None
            self.sections.label_owner = label.owner
            self.listed = False

    def _after_prose(self, text: str) -> None:
        """A sentence stands between a marker and what it introduces."""
        if self.pending is None:
            self.pending = self.context if adds_more(text) else None
            return
        strong = self.pending.strength == "strong"
        if (strong and talks_of_scope(text)) or not any(sign.isalnum() for sign in text):
            return
        weak = Label("weak", self.pending.owner, self.pending.kind, group=True)
        self.pending = weak if strong else None

    def _hint(self, text: str, label: Label) -> None:
        """`Only modify src/a.py` in running prose."""
        before, paths = cue_of(text)
        owner = self.names.owner(before) or self.sections.owner(used=self.listed)
        weak = Label("weak", owner, label.kind, group=True)
        if paths:
            self.found.take(paths, weak, "")
        elif self._expects_strong():
            return
        self.pending = weak if not paths and label.kind == "write" else None

    def _fence(self, run: str, info: str) -> None:
        start = self.at + 1
        if info and judge(info, self.marks, self.names, heading=True).strength == "strong":
            self._mark(judge(info, self.marks, self.names, heading=True), "", NOT_HEADED)
        label = self.pending
        end, self.at = self.fences.end(self.at, run, scope=label is not None)
        if label is None:
            label, start = self._marked_inside(start, end)
        if label is not None:
            fills_block(self.found, self.lines[start:end], label, loose=True)
        self._close()

    def _marked_inside(self, start: int, end: int) -> tuple[Label | None, int]:
        """A fence with the headline inside may be an example, so it is weak."""
        line = self.lines[start].strip()[:LONGEST_LABEL] if start < end else ""
        if self.marks.around(line) is None:
            return None, start
        head, rest = label_parts(line) or (line, "")
        label = judge(head, self.marks, self.names, heading=True, rest=rest)
        owner = label.owner or self.sections.owner(used=self.listed)
        weak = Label("weak", owner, label.kind, group=True)
        self._same_line(weak, rest)
        return weak, start + 1

    def _close(self) -> None:
        self.pending = None
        self.sections.label_owner = ""
        self.listed = True

    def _list(self) -> None:
        start, label = self.at, self.pending
        bare = not strip_bullet(self.lines[start])[1]
        self.at = list_end(self.lines, start, self.marks, self.mark_indent)
        if label is not None:
            fills_block(self.found, self.lines[start : self.at], label, loose=not bare)
        self._close()

    def _table(self) -> None:
        start, label = self.at, self.pending
        label = label or Label("strong", self.sections.owner(used=self.listed), "write", group=True)
        while self.at < len(self.lines) and self.lines[self.at].strip().startswith("|"):
            self.at += 1
        if label.kind == "write":
            read_table(self.found, self.lines[start : self.at], label)
        self._close()
