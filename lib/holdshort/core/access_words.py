"""The words by which a prompt says that its agent only reads, and those that make it mean less.

Collected from dispatch prompts of public projects, in English and German; both sides of the line
have their cases in tests/core/extraction_corpus.toml, section 6 and 8.
"""

from __future__ import annotations

GATE = (
    *("not ", "n't", "n\u2019t", "no ", "only", "without", "never", "nothing", "nur ", "keine"),
    *("nichts", "reine ", "kein "),
)
"""A sentence without any of these (in lower case) cannot say it."""

NEGATIONS = frozenset(
    (
        *("do not", "dont", "never", "must not", "may not", "should not", "cannot", "can not"),
        *("without", "do not ever", "shall not", "not to", "must never", "should never"),
    )
)

NEGATION_STARTS = frozenset(phrase.partition(" ")[0] for phrase in NEGATIONS)

DEEDS = frozenset(
    (
        *("edit", "modify", "change", "write", "touch", "alter", "make", "update", "create"),
        *("editing", "modifying", "changing", "writing", "touching", "altering", "making"),
        *("delete", "or", "and"),
    )
)
"""Deeds a denial names, and the words between two of them (`edit or create`)."""

ALONE = frozenset(("edit", "modify", "write", "touch", "change", "alter"))
"""Deeds that need no object: `Look, but do not touch.`"""

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

KINDS = frozenset(
    (
        *("task", "agent", "review", "research", "audit", "analysis", "investigation", "mode"),
        *("session", "run", "pass", "exploration", "work", "job", "access", "assignment", "role"),
        *("survey", "reconnaissance", "aufgabe", "modus", "analyse", "recherche"),
    )
)
"""What may follow `read-only` and its kin: `this is a read-only audit`."""

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

JOINTS = frozenset(("and", "but", "so", "then", "just", "und", "aber"))
"""Words at which a new clause begins without a comma."""

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

NARROW = frozenset(
    (
        *("phase", "first", "until", "yet", "before", "unless", "if", "when", "while", "except"),
        *("step", "users", "user", "erst", "bis", "outside", "else", "other", "beyond", "besides"),
        *("says", "said", "saying", "tell", "telling", "states", "bevor", "außer", "außerhalb"),
        *("initially", "stage", "now"),
    )
)
"""Words that bind a sentence to a time, a case, a place or another speaker."""

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

TASKS = frozenset(("implement", "fix", "refactor", "rename", "migrate", "implementiere", "behebe"))
"""A prompt with a sentence that begins so wants something written, whatever else it says."""
