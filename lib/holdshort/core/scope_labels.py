"""What a headline says of the lines below it: whether it is a marker, and whose they are.

A headline is a heading, a bold line, a tag, or a text up to its colon. Only its words are looked
at, so `**FILE-SCOPE — exactly these:**` and `<file_scope>` read alike.
"""

from __future__ import annotations

from holdshort.core.scope_lines import has_path_sign
from holdshort.core.scope_words import (
    AGENT_WORDS,
    EXCEPTING,
    FOR_READING,
    FORBIDDEN,
    GROUPS,
    LEADS,
    NEGATED,
    NO_DESIGNATOR,
    OTHERS,
    READ_BLOCKS,
    THE_REST,
    WEAK_CUES,
    WEAK_LABELS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_LABEL = 200
SHORT_CLAUSE = 6
PUNCTUATION = str.maketrans(dict.fromkeys('*_`#>|<[](){}"“”„.,:;!?=/\\-\u2013—+•~&', " "))
DASHES = str.maketrans(dict.fromkeys("—\u2013(,;", "\n"))
PARTINGS = str.maketrans(dict.fromkeys(",;()—\u2013:.", "\n"))
ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789"
SKIPPED = frozenset((*AGENT_WORDS, "name", "id", "no"))
GENERIC = frozenset((*SKIPPED, *NO_DESIGNATOR, *GROUPS, *ALPHABET, "general", "purpose"))
"""Words that alone are no name: an agent type `agent` or `worker` tells nothing."""

MINE = "mine"
OTHER = "others"


def words_of(text: str) -> str:
    """Give the words of a text in lower case, one blank around each."""
    lowered = text.lower().replace("\u2019", "'").replace("'s ", " ").replace("(s)", "s")
    return f" {' '.join(lowered.replace(chr(39), '').translate(PUNCTUATION).split())} "


def holds(words: str, phrases: Sequence[str]) -> bool:
    """Tell whether one of these phrases stands in the words."""
    return any(phrase in words and f" {phrase} " in words for phrase in phrases)


def _squeezed(words: str) -> str:
    return words.replace(" the following ", " these ").replace(" these files ", " these ")


def _rarest(mark: str) -> str:
    return "scope" if " scope " in mark else max(mark.split(), key=len)


class Marks:
    """The markers in force, made ready for comparison.

    `gate` holds one word of each: a text without any of them holds no marker.
    """

    __slots__ = ("gate", "literal", "phrases")

    def __init__(self, markers: Sequence[str]) -> None:
        self.literal = tuple(mark.lower() for mark in markers if mark.endswith("("))
        plain = (_squeezed(words_of(mark)) for mark in markers if not mark.endswith("("))
        self.phrases = tuple(dict.fromkeys(mark for mark in plain if mark.strip()))
        self.gate = tuple(dict.fromkeys((*map(_rarest, self.phrases), *self.literal)))

    def around(self, label: str) -> tuple[str, str] | None:
        """Give the words before and behind the marker of a label."""
        lowered = label.lower()
        if not any(word in lowered for word in self.gate):
            return None
        words = _squeezed(words_of(label))
        for mark in self.phrases:
            before, found, behind = words.partition(mark)
            if found:
                return before, behind
        for mark in self.literal:
            at = lowered.find(mark)
            if at == 0 or (at > 0 and not lowered[at - 1].isalnum()):
                return words_of(lowered[:at]), words_of(lowered[at + len(mark) :])
        return None


class Names:
    """The names by which a prompt may speak of the agent it is for."""

    __slots__ = ("designators", "spoken")

    def __init__(self, names: Sequence[str]) -> None:
        spoken = [words_of(name) for name in names]
        self.spoken = tuple(words for words in spoken if not GENERIC.issuperset(words.split()))
        found = [
            agent_in(words) or (words.strip() if len(words.strip()) == 1 else "")
            for words in spoken
        ]
        self.designators = frozenset(name for name in found if name)

    def owner(self, words: str) -> str:
        """Give whose label this is: "mine", another's designator, or empty (not said)."""
        words = words.replace(" no other agent ", " ").replace(" not you ", " others ")
        if any(phrase in words for phrase in OTHERS):
            return OTHER
        named = agent_in(words)
        if named in self.designators or any(name in words for name in self.spoken):
            return MINE
        if named and not self.designators and len(named) > 1 and not named.isdigit():
            named = MINE if any(f" {named} " in name for name in self.spoken) else named
        if " your " in words or words.startswith(" you ") or words.endswith(" you "):
            return MINE
        return named

    def are_in(self, text: str) -> bool:
        """Tell whether this heading carries a name of the agent, not merely `your`."""
        words = words_of(text)
        return agent_in(words) in self.designators or any(name in words for name in self.spoken)

    def owner_of_cell(self, cell: str) -> str:
        """Give the owner of a table row with this in its agent column."""
        words = words_of(cell)
        return self.owner(words) or (MINE if words.strip() in self.designators else words.strip())


def agent_in(words: str) -> str:
    """Give the designator of the agent that a label names: `B` of `Agent B's files`."""
    tokens = words.replace(" owned by ", " agent ").replace(" owner ", " agent ").split()
    for index, token in enumerate(tokens):
        if token in AGENT_WORDS:
            behind = [word for word in tokens[index + 1 : index + 3] if word not in SKIPPED]
            if behind and behind[0] not in NO_DESIGNATOR:
                return behind[0]
            if index and tokens[index - 1] not in NO_DESIGNATOR:
                return tokens[index - 1]
    return ""


class Label:
    """What a headline says: marker strength, owner, kind of the paths, whether it goes on."""

    __slots__ = ("group", "kind", "owner", "strength")

    def __init__(self, strength: str, owner: str, kind: str, *, group: bool) -> None:
        self.strength = strength
        self.owner = owner
        self.kind = kind
        self.group = group


def judge(label: str, marks: Marks, names: Names, *, heading: bool, rest: str = "") -> Label:
    """Judge a headline; `heading` also stands for a label that ends in a colon."""
    words = words_of(label)
    around = marks.around(label)
    first = (words.split() or [""])[0]
    if around is None:
        if holds(words, NEGATED) and holds(words, EXCEPTING):
            return Label("weak", names.owner(words), "write", group=True)
        strength = "weak" if _is_weak(words) and heading else ""
        return Label(strength, names.owner(words), _kind(words), group=first in GROUPS)
    owner = names.owner(f"{around[0]}| {around[1]}".replace("  ", " "))
    strength = _strength(label, around, marks, names, heading=heading, rest=rest)
    return Label(strength, owner, _kind_beside_marker(label, marks), group=True)


def goes_on(label: Label) -> bool:
    """Tell `Tests:` or `Modify:`, which go on with the block that a marker opened."""
    if label.strength == "strong" or label.owner or label.kind != "write":
        return False
    return label.group


def _is_weak(words: str) -> bool:
    plain = words.strip().replace("only ", "").replace("the ", "").removesuffix(" only")
    return plain in WEAK_LABELS or holds(words, WEAK_CUES)


def _kind(words: str) -> str:
    if holds(words, FORBIDDEN):
        return "forbid"
    return "read" if holds(words, FOR_READING) else "write"


def _kind_beside_marker(label: str, marks: Marks) -> str:
    for clause in label.replace(" - ", "\n").translate(PARTINGS).split("\n"):
        words = words_of(clause)
        if any(rest in words for rest in THE_REST) or "/" in clause:
            continue
        if holds(words, FORBIDDEN) and (marks.around(clause) or len(words.split()) <= SHORT_CLAUSE):
            return "forbid"
        if holds(words, READ_BLOCKS) or words in (" read ", " reading "):
            return "read"
    return "write"


def _strength(
    label: str, around: tuple[str, str], marks: Marks, names: Names, *, heading: bool, rest: str
) -> str:
    """Strong is a marker that begins or ends its headline, with nothing strange at its side."""
    before = _is_lead(around[0], names, most=4)
    behind = _is_lead(around[1], names, most=12)
    head = label.translate(DASHES).partition("\n")[0]
    short = marks.around(head)
    cut = short is not None and _is_lead(short[1], names, most=12)
    if before and (behind or (cut and (head != label or heading))):
        return "strong"
    opened = behind or around[1].split()[0] in LEADS
    return "strong" if heading and not rest and opened and (before or behind) else "weak"


def _is_lead(words: str, names: Names, *, most: int) -> bool:
    tokens = words.split()
    named = agent_in(words)
    strange = [token for token in tokens if token not in LEADS and token != named]
    strange = [token for token in strange if not any(f" {token} " in own for own in names.spoken)]
    return len(tokens) <= most and not strange


def label_parts(text: str) -> tuple[str, str] | None:
    """Split `label: rest` at its colon; none: there is no label."""
    plain = text[: LONGEST_LABEL + 40].rstrip("*_ ") if len(text) <= LONGEST_LABEL else text
    if plain.endswith(":") and len(plain) <= LONGEST_LABEL:
        return plain[:-1].strip("*_ \"'`"), ""
    at = _colon_outside_parentheses(text[:LONGEST_LABEL])
    if at < 0:
        return None
    head, rest = text[:at], text[at + 1 :]
    after = rest[2:] if rest.startswith("**") and head.startswith("**") else rest
    if after and not after[0].isspace() and "scope" not in head.lower():
        return None
    if has_path_sign(head.strip("*_ \"'`").rpartition(" ")[2]) or "`" in head:
        return None
    return head.strip("*_ \"'"), after.strip()


def _colon_outside_parentheses(text: str) -> int:
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == ":" and depth <= 0:
            return at
    return -1
