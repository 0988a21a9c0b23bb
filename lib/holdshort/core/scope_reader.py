"""A whole prompt: the walk over its lines, whose sections they are, and what that comes to."""

from __future__ import annotations

from holdshort.core.extraction import READING_GATE, Extraction
from holdshort.core.scope_blocks import (
    Fences,
    Found,
    adds_more,
    after_dash,
    cue_of,
    fence_of,
    fills_block,
    holds_cue,
    indent_of,
    is_nothing,
    is_worth_judging,
    list_end,
    read_block,
    read_table,
    starts_list,
    talks_of_scope,
)
from holdshort.core.scope_labels import (
    LONGEST_LABEL,
    MINE,
    OTHER,
    Label,
    Marks,
    Names,
    agent_in,
    goes_on,
    judge,
    label_parts,
    words_of,
)
from holdshort.core.scope_lines import read_line, strip_bullet
from holdshort.core.scope_words import MARKERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdshort.core.scope_blocks import Finding

NOT_HEADED = 99
"""The level of a marker that is a label, so that every heading is above it."""

BOLD = 7
"""The level of a bold line or a tag that serves as a heading."""

FORBIDDEN_OWNER = "forbidden"


class Sections:
    """The headings above a line, each with the agent it names, and the last label's owner."""

    __slots__ = ("label_owner", "levels_of_own_name", "names", "stack")

    def __init__(self, names: Names) -> None:
        self.names = names
        self.stack: list[tuple[int, str]] = []
        self.label_owner = ""
        self.levels_of_own_name: set[int] = set()

    def open(self, level: int, text: str, label: Label) -> None:
        """Enter a section; those of its level and below end."""
        self.close(level)
        named = self.names.are_in(text)
        owner = label.owner or (MINE if named else "")
        if label.kind != "write" and not label.strength and owner != MINE:
            owner = owner or FORBIDDEN_OWNER
        self.stack.append((level, owner))
        self.label_owner = ""
        if owner == MINE and named:
            self.levels_of_own_name.add(level)

    def close(self, level: int) -> None:
        """Leave the sections of this level and below."""
        while self.stack and self.stack[-1][0] >= level:
            self.stack.pop()

    def owner(self, *, used: bool) -> str:
        """Give the agent whose block a marker opens here.

        `used`: a list or fence has stood since the headline, so a label over it and a `do not
        touch` have had what they speak of.
        """
        if used:
            self.label_owner = ""
            if self.stack and self.stack[-1][1] == FORBIDDEN_OWNER:
                self.stack[-1] = (self.stack[-1][0], "")
        return self.label_owner or next((owner for _, owner in reversed(self.stack) if owner), "")


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


SELF = ("you are ", "you're ", "you\u2019re ", "du bist ")
"""How a prompt tells an agent its name."""

OTHER_SECTION = "stands in another section than the agent's own"


def read_prompt(
    prompt: str, lowered: str, own_names: Sequence[str], markers: Sequence[str]
) -> Extraction:
    """Read a prompt that passed the gate; `lowered` is the same in lower case."""
    marks = Marks((*MARKERS, *markers))
    lines = prompt.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    ids = tuple(_agent_ids(lines))
    names = Names((*own_names, *_names_told(lowered), *(ids if len(set(ids)) == 1 else ())))
    reader = Reader(lines, marks, names)
    reader.read()
    return _conclude(reader, ids, _title(lines), _reading_of(reader, lowered))


def _reading_of(reader: Reader, lowered: str) -> str:
    """Tell how a prompt says that its agent only reads: `review`, `read only` or not at all."""
    if not any(word in lowered for word in READING_GATE):
        return ""
    from holdshort.core.access import is_review, says_read_only  # noqa: PLC0415  # past its gate

    if is_review(reader.prose, lowered):
        return "review"
    return "read only" if says_read_only(reader.prose) else ""


def _agent_ids(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        text = line[:160].strip().lstrip("#*-_`> \t")
        if text[:8].lower() in ("agent-id", "agent id", "agent_id"):
            name = text[8:].strip("*_ ").lstrip(":=").strip(" *_`\"'")
            if text[8:].lstrip("*_ ")[:1] in (":", "=") and name and " " not in name:
                yield name


def _names_told(lowered: str) -> tuple[str, ...]:
    """Give the name of `You are Agent B`; two different ones tell nothing."""
    found = set()
    for start in SELF:
        at = lowered.find(start)
        while at >= 0:
            sentence = lowered[at + len(start) : at + 60].partition("\n")[0].partition(". ")[0]
            found.add(agent_in(" " + " ".join(words_of(sentence).split()[:6]) + " "))
            at = lowered.find(start, at + 1)
    found.discard("")
    return tuple(f"agent {name}" for name in found) if len(found) == 1 else ()


def _title(lines: Sequence[str]) -> str:
    """Give the agent that the first line of the prompt names."""
    first = next((line for line in lines if line.strip()), "")
    return agent_in(words_of(first[:160]))


def _conclude(reader: Reader, ids: Sequence[str], title: str, reading: str) -> Extraction:
    found = reader.found
    strong = [finding for finding in found.findings if finding.strength == "strong"]
    owners = {finding.owner for finding in strong}
    own, strange = _own(strong, reader.sections.levels_of_own_name)
    if title and owners == {title} and not reader.names.designators:
        own = strong
    dropped = [*found.dropped, *((finding.path, OTHER_SECTION) for finding in strange)]
    paths = [finding.path for finding in own]
    if own and reading == "review":
        unheld = [(path, "the task is called a review") for path in paths]
        return Extraction((), "strong", "read", [*dropped, *unheld], ids)
    if own:
        return Extraction(paths, "strong", "write", dropped, ids)
    if found.nothing:
        return Extraction((), "strong", "read", dropped, ids)
    if reading:
        return Extraction((), "none", "read", dropped, ids)
    weak = _own([finding for finding in found.findings if finding.strength == "weak"], set())[0]
    unplaced = [finding for finding in strong if finding.owner != OTHER]
    paths = [finding.path for finding in weak or unplaced]
    return Extraction(paths, "weak" if paths else "none", "write", dropped, ids)


def _own(findings: Sequence[Finding], levels: set[int]) -> tuple[list[Finding], list[Finding]]:
    """Part the agent's own findings from those in sections beside the one that names it."""
    named = any(finding.owner == MINE for finding in findings)
    own = [finding for finding in findings if finding.owner in ("", MINE)]
    beside = {
        id(finding)
        for finding in own
        if named and finding.owner == "" and finding.level in levels and finding.level
    }
    kept = [finding for finding in own if id(finding) not in beside]
    return kept, [finding for finding in own if id(finding) in beside]
