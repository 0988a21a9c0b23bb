"""Whether a prompt says that its agent only reads.

A reader holds nothing, so a wrong yes disarms the guard for that agent. A phrase counts only where
a clause begins, only with an object that means everything (`any files`, `code`), and only when the
clause ends there: `do not edit tests/`, `no code changes outside src/` and `do not edit any files
until` speak of something narrower.
"""

from __future__ import annotations

from holdshort.core.extraction import READING_GATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

ALONE = frozenset(("edit", "modify", "write", "touch", "change", "alter"))
"""Deeds that need no object: `Look, but do not touch.`"""

ANSWERS = frozenset(
    (
        *("report", "only", "just", "return", "do", "give", "list", "summarize", "summarise"),
        *("stop", "answer", "describe", "explain", "propose", "suggest", "nur", "berichte"),
    )
)
"""Deeds of a reader, which may follow `do not edit any files and`."""

CLOSERS = frozenset(
    (
        *("", "at all", "please", "whatsoever", "yourself", "of any kind", "here", "today"),
        *("bitte", "in this repo", "in the repo", "in this repository", "in the repository"),
        *("for this task", "during this task", "in this task", "under any circumstances"),
        *("in any way", "allowed", "in this session", "in the codebase", "in this codebase"),
        *("to the codebase", "in this run", "to the repo", "to the repository", "for any reason"),
        *("are allowed", "permitted", "are permitted", "am code", "an dateien", "vornehmen"),
        "machen",
    )
)
"""What may stand between a phrase and the end of its clause."""

DENIED_DEEDS = frozenset(
    (
        *("edit", "modify", "change", "write", "touch", "alter", "make", "update", "create"),
        *("editing", "modifying", "changing", "writing", "touching", "altering", "making"),
        *("delete", "or", "and"),
    )
)
"""Deeds a denial names, and the words between two of them (`edit or create`)."""

FRAMES = frozenset(
    (
        *("important", "note", "please", "strictly", "this", "is", "a", "an", "you", "are"),
        *("your", "task", "job", "role", "mode", "access", "warning", "hard", "rule"),
        *("constraint", "in", "so", "but", "and", "work", "operate", "stay", "run", "be"),
        *("purely", "it", "then", "there", "should", "also", "again", "remember", "just", "hence"),
        *("constraints", "rules", "scope", "permissions", "absolutely", "critical", "caution"),
        *("look", "report", "nb", "bitte", "dies", "das", "ist", "eine", "und", "aber", "du"),
        *("sollst", "wichtig"),
    )
)
"""Words that may stand before a phrase in its clause without making it speak of another thing."""

GRANTS = ("may edit", "may modify", "may change", "may write", "can edit", "should edit")
"""Phrases that give leave to write, whatever else is said."""

JOINTS = frozenset(("and", "but", "so", "then", "just", "und", "aber"))
"""Words at which a new clause begins without a comma."""

KINDS = frozenset(
    (
        *("task", "agent", "review", "research", "audit", "analysis", "investigation", "mode"),
        *("session", "run", "pass", "exploration", "work", "job", "access", "assignment", "role"),
        *("survey", "reconnaissance", "aufgabe", "modus", "analyse", "recherche"),
    )
)
"""What may follow `read-only` and its kin: `this is a read-only audit`."""

NARROW = frozenset(
    (
        *("phase", "first", "until", "yet", "before", "unless", "if", "when", "while", "except"),
        *("step", "users", "user", "erst", "bis", "outside", "else", "other", "beyond", "besides"),
        *("says", "said", "saying", "tell", "telling", "states", "bevor", "außer", "außerhalb"),
        *("initially", "stage", "now"),
    )
)
"""Words that bind a sentence to a time, a case, a place or another speaker."""


NEGATIONS = frozenset(
    (
        *("do not", "dont", "never", "must not", "may not", "should not", "cannot", "can not"),
        *("without", "do not ever", "shall not", "not to", "must never", "should never"),
    )
)
NEGATION_STARTS = frozenset(phrase.partition(" ")[0] for phrase in NEGATIONS)

OBJECTS = frozenset(
    (
        *("any files", "any file", "files", "anything", "any code", "the code", "code", "a file"),
        *("any source code", "any source files", "source code", "source files"),
        *("any of the files", "any of the code", "any changes", "changes", "any edits", "edits"),
        *("any modifications", "the codebase", "the repository", "the repo", "the source"),
        *("code changes", "a thing", "any code changes", "any changes to any files"),
        *("any changes to files", "any code files", "any changes to the code"),
        *("changes to any files", "changes to the code", "any line", "files or code"),
        *("code or files", "any files or code", "any code or files"),
    )
)
"""Objects that leave nothing to write."""

OF_THINGS = frozenset(("read", "readonly", "no"))
"""First words of phrases that may be said of a thing as well as of a task."""

READERS = frozenset(
    (
        *("explore", "review", "research", "investigate", "analyse", "analyze", "audit", "find"),
        *("map", "look", "study", "check", "inspect", "survey", "read", "report", "list", "trace"),
        *("summarise", "summarize", "search", "identify", "describe", "explain", "locate", "plan"),
        *("draft", "compare", "strictly", "readonly", "this", "you", "your", "please", "bitte"),
        *("important", "note", "nur", "reine", "only", "diagnose", "figure", "determine", "mode"),
        *("access", "task"),
    )
)
"""First words of a sentence that asks for reading, or speaks of the task itself."""

REVIEWS = (
    *tuple(
        form
        for task in (
            "review",
            "research",
            "audit",
            "analysis",
            "inspection",
            "investigation",
            "read",
        )
        for form in (f"{task} only", f"only {task}", f"only a {task}", f"read only {task}")
    ),
    "read only reviewer",
    "nur review",
    "reines review",
    "only inspect",
    "only analyse",
    "only analyze",
)
"""Phrases that call a whole task a review."""

TASKS = frozenset(("implement", "fix", "refactor", "rename", "migrate", "implementiere", "behebe"))
"""A prompt with a sentence that begins so wants something written, whatever else it says."""

WHOLE = frozenset(
    (
        *("review only", "research only", "analysis only", "investigation only", "read only"),
        *("readonly", "report only", "audit only", "planning only", "exploration only"),
        *("no code changes", "no code change", "no edits", "no file changes", "no writes"),
        *("no changes to any files", "no changes to files", "no changes to the code"),
        *("no file edits", "no modifications", "no file modifications", "no code edits"),
        *("no file writes", "make no changes", "make no code changes", "make no edits"),
        *("change nothing", "edit nothing", "modify nothing", "write nothing", "touch nothing"),
        *("write no code", "nur lesen", "nur lesend", "reine recherche", "reine analyse"),
        *("nichts ändern", "nichts verändern", "nichts bearbeiten", "ändere nichts"),
        *("verändere nichts", "keine dateien ändern", "keine dateien bearbeiten"),
        *("keine dateien verändern", "keine dateien schreiben", "ändere keine dateien"),
        *("bearbeite keine dateien", "keine änderungen", "keine codeänderungen"),
        *("keine codeänderung", "kein code"),
    )
)
"""Phrases that say it by themselves, in English and German."""

WHOLE_STARTS = frozenset(phrase.partition(" ")[0] for phrase in WHOLE)

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
