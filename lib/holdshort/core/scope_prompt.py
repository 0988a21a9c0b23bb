"""A whole prompt: whose sections they are, and what its findings come to."""

from __future__ import annotations

from holdshort.core.extraction import READING_GATE, Extraction
from holdshort.core.scope_labels import MINE, OTHER, Marks, Names, agent_in, words_of
from holdshort.core.scope_reader import Reader
from holdshort.core.scope_words import MARKERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdshort.core.scope_blocks import Finding

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
        return Extraction((), "strong", "read", dropped, ids)
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
