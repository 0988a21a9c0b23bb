"""What a sentence in running prose says of a scope; never more than a hint."""

from __future__ import annotations

from holdshort.core.scope_labels import LONGEST_LABEL, Marks, words_of
from holdshort.core.scope_lines import clean
from holdshort.core.scope_tokens import tokens_of
from holdshort.core.scope_words import CUE_GATE, GROUPS, LEADS, SCOPE_TALK, STOPS, WEAK_CUES

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
