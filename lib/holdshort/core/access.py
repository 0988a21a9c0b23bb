"""Whether a prompt says that its agent only reads.

A reader holds nothing, so a wrong yes disarms the guard for that agent. A phrase counts only where
a clause begins, only with an object that means everything (`any files`, `code`), and only when the
clause ends there: `do not edit tests/`, `no code changes outside src/` and `do not edit any files
until` speak of something narrower.
"""

from __future__ import annotations

from holdshort.core.extraction import READING_GATE
from holdshort.core.scope_words import (
    ALONE,
    ANSWERS,
    CLOSERS,
    DENIED_DEEDS,
    FRAMES,
    GRANTS,
    JOINTS,
    KINDS,
    NARROW,
    NEGATION_STARTS,
    NEGATIONS,
    OBJECTS,
    OF_THINGS,
    READERS,
    REVIEWS,
    TASKS,
    WHOLE,
    WHOLE_STARTS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

BREAKS = ",:()—\u2013"
STRAY = str.maketrans(dict.fromkeys("*_`#>|[]\"“”'-+•", " ") | {"/": " or "})
LONGEST_SENTENCE = 400


def may_say_read(lowered: str) -> bool:
    """Tell whether it is worth looking at the sentences (the literal gate)."""
    return any(word in lowered for word in READING_GATE)


def says_read_only(lines: Sequence[str]) -> bool:
    """Tell whether a sentence says that the agent only reads, and none that it writes."""
    said = False
    for line in lines:
        step = _is_step(line)
        for sentence in _sentences(line):
            words = sentence.translate(STRAY).split()
            if words and words[0] in TASKS:
                return False
            said = said or (not step and _says(sentence, words))
    return said


def is_review(lines: Sequence[str], lowered: str) -> bool:
    """Tell whether a prompt calls its whole task a review, so that its scope is what to read.

    A mere `do not edit any files` does not outweigh a scope that was declared; neither does a label
    (`Read-only:`), nor a task that is told what it may edit.

    lines: the prompt's prose. lowered: all of it, in lower case.
    """
    if any(grant in lowered for grant in GRANTS):
        return False
    said = [line for line in lines if not line.rstrip("*_ ").endswith(":")]
    plain = "\n".join(said).lower().replace("-", " ").replace("*", "")
    return any(phrase in plain for phrase in REVIEWS) and says_read_only(said)


def _sentences(line: str) -> list[str]:
    text = line.lower().replace("*", "").replace("__", "")
    if not may_say_read(f"{text} ") and not any(task in text for task in TASKS):
        return []
    for end in ".!?;":
        text = text.replace(f"{end} ", "\n")
    return [part for part in text.split("\n") if len(part) <= LONGEST_SENTENCE]


def _says(sentence: str, words: list[str]) -> bool:
    if not may_say_read(f"{sentence} ") or _is_narrow(words):
        return False
    if '"' in sentence or "“" in sentence:
        return False
    text = sentence.replace("n't", "nt").replace("n\u2019t", "nt").replace(" - ", ",")
    for sign in BREAKS:
        text = text.replace(sign, "\n")
    clauses = [clause.translate(STRAY).split() for clause in text.split("\n")]
    reading = bool(words) and words[0].strip(":,.!") in READERS
    return any(
        _clause_says(clause, clear=reading or not any(clauses[:at]))
        for at, clause in enumerate(clauses)
    )


def _is_narrow(words: list[str]) -> bool:
    return not NARROW.isdisjoint([word.strip(".,:;!?()") for word in words])


def _is_step(sentence: str) -> bool:
    head = sentence.strip()[:8].partition(" ")[0]
    return head[:-1].isdigit() and head[-1] in ".)"


def _clause_says(words: list[str], *, clear: bool) -> bool:
    """Look at each place where a clause may begin.

    Not `clear` is a clause behind another one that is not about reading: `(read-only)` may there be
    said of a file or a disk.
    """
    if not clear and words[:1] and words[0].rstrip(".!?;") in OF_THINGS:
        return False
    framed = True
    for start, word in enumerate(words):
        opened = (
            (framed and (clear or start == 0)) or word == "without" or words[start - 1] in JOINTS
        )
        if opened and (_is_whole(words, start) or _is_denial(words, start)):
            return True
        framed = framed and word in FRAMES
    return False


def _is_whole(words: list[str], start: int) -> bool:
    if words[start].rstrip(".!?;") not in WHOLE_STARTS:
        return False
    for size in range(5, 0, -1):
        if " ".join(words[start : start + size]).rstrip(".!?;") in WHOLE:
            rest = words[start + size :]
            return _closes(rest) or (rest[0].rstrip(".!?;") in KINDS and _closes(rest[1:]))
    return False


def _is_denial(words: list[str], start: int) -> bool:
    if words[start] not in NEGATION_STARTS:
        return False
    for size in (3, 2, 1):
        if " ".join(words[start : start + size]) in NEGATIONS:
            return _denies_all(words[start + size :])
    return False


def _denies_all(words: list[str]) -> bool:
    at = 0
    while at < len(words) and words[at].rstrip(".!?;") in DENIED_DEEDS:
        at += 1
    if at == 0 or words[:at] == ["create"]:
        return False
    for size in range(5, 0, -1):
        if " ".join(words[at : at + size]).rstrip(".!?;") in OBJECTS:
            return _closes(words[at + size :])
    return words[at - 1].rstrip(".!?;") in ALONE and _closes(words[at:])


def _closes(words: list[str]) -> bool:
    if words[:1] in (["and"], ["und"]):
        return words[1:2] != [] and words[1] in ANSWERS
    if words and words[0] in JOINTS:
        return True
    return " ".join(words).rstrip(".!?; ") in CLOSERS
