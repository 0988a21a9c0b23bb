"""Which files the agent of a prompt may write.

The scope is what stands under a marker (`FILE-SCOPE`, `Files you may edit`, ...) as a fenced block,
a list, a table or the rest of the line. Blocks add up; those of another agent, those not to be
touched and reading matter do not count. Anything less plain is weak and may only advise.
"""

from __future__ import annotations

from holdshort.core.access import may_say_read, says_read_only
from holdshort.core.scope_labels import MINE, OTHER, Marks, Names, agent_in, words_of
from holdshort.core.scope_reader import Reader
from holdshort.core.scope_words import MARKERS, WEAK_GATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from holdshort.core.scope_blocks import Finding

SELF = ("you are ", "you're ", "you\u2019re ", "du bist ")
"""How a prompt tells an agent its name."""

OTHER_SECTION = "stands in another section than the agent's own"


class Extraction:
    """The scope of a prompt as written, how sure it is, and what was left out.

    `strength` is "strong", "weak" or "none"; `access` is "write" or "read"; `dropped` holds pairs
    of a line of a scope block and why it was not understood as a path.
    """

    __slots__ = ("access", "agent_ids", "dropped", "entries", "strength")

    def __init__(
        self,
        entries: Sequence[str] = (),
        strength: str = "none",
        access: str = "write",
        dropped: Sequence[tuple[str, str]] = (),
        agent_ids: Sequence[str] = (),
    ) -> None:
        self.entries = tuple(dict.fromkeys(entries))
        self.strength = strength
        self.access = access
        self.dropped = tuple(dropped)
        self.agent_ids = tuple(dict.fromkeys(agent_ids))


def extract(
    prompt: str, own_names: Sequence[str] = (), markers: Sequence[str] = MARKERS
) -> Extraction:
    """Read the prompt of a dispatch; `own_names` are its description, name and type."""
    lowered = prompt.lower()
    if not _is_worth_reading(lowered, markers):
        return Extraction()
    marks = Marks(markers)
    lines = prompt.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    ids = tuple(_agent_ids(lines))
    names = Names((*own_names, *_names_told(lowered), *(ids if len(set(ids)) == 1 else ())))
    reader = Reader(lines, marks, names)
    reader.read()
    return _conclude(reader, ids, _title(lines))


def _is_worth_reading(lowered: str, markers: Sequence[str]) -> bool:
    """Tell whether a word is there without which there is no marker, no promise and no id."""
    return (
        any(word in lowered for word in WEAK_GATE)
        or (markers is not MARKERS and any(word in lowered for word in Marks(markers).gate))
        or may_say_read(lowered)
        or "agent-id" in lowered
        or "agent id" in lowered
        or "agent_id" in lowered
    )


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


def _conclude(reader: Reader, ids: Sequence[str], title: str) -> Extraction:
    found = reader.found
    strong = [finding for finding in found.findings if finding.strength == "strong"]
    owners = {finding.owner for finding in strong}
    own, strange = _own(strong, reader.sections.levels_of_own_name)
    if title and owners == {title} and not reader.names.designators:
        own = strong
    dropped = [*found.dropped, *((finding.path, OTHER_SECTION) for finding in strange)]
    paths = [finding.path for finding in own]
    if own:
        return Extraction(paths, "strong", "write", dropped, ids)
    if found.nothing:
        return Extraction((), "strong", "read", dropped, ids)
    if says_read_only(reader.prose):
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
