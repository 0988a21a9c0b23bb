"""The words and signs around a path in a list: notes, deeds, names without an extension.

Collected from dispatch prompts of public projects; tests/core/extraction_corpus.toml has examples.
"""

from __future__ import annotations

NOTE_SIGNS = frozenset(
    (*("-", "--", "\u2014", "\u2013", "|", "//", ":", "<-", "←", "=", "/*", "<!--"),)
)
"""Tokens after which the rest of a line is a note."""

ARROWS = frozenset(("->", "→", "=>"))
"""Tokens between the two names of a move; both names are written."""

CONNECTORS = frozenset(
    (*("and", "und", "&", "+", "or", "oder", "plus", "as", "well", "also", "both"),)
)

DEEDS = frozenset(
    (
        *("new", "create", "creates", "add", "adds", "edit", "edits", "modify", "modifies"),
        *("update", "updates", "change", "changes", "write", "writes", "delete", "remove"),
        *("rename", "move", "rewrite", "refactor", "fix", "extend", "touch", "implement", "file"),
        *("files", "path", "paths", "dir", "directory", "folder", "modified", "only", "neu"),
        *("neue", "ändern", "anlegen", "löschen", "bearbeiten", "datei", "dateien", "m", "a", "d"),
        *("r", "am", "mm", "??"),
    )
)
"""What coordinators put before a path: a deed, a kind, or the letter `git status` prints."""

EXTENSIONLESS = frozenset(
    (
        *("makefile", "gnumakefile", "dockerfile", "containerfile", "jenkinsfile", "vagrantfile"),
        *("procfile", "rakefile", "gemfile", "brewfile", "justfile", "caddyfile", "license"),
        *("licence", "readme", "changelog", "contributing", "codeowners", "authors", "notice"),
        *("version", "copying", "podfile", "fastfile", "tiltfile", "build", "workspace"),
    )
)
"""File names known without a dot or a slash."""

NO_NAMES = frozenset(
    (
        *("n/a", "and/or", "or/and", "i/o", "w/o", "either/or", "e.g", "i.e", "z.b", "d.h", "u.a"),
        *("etc", "tbd", "todo", "yes", "no", "all", "any", "everything", "anything", "nothing"),
        *("none", "nichts", "keine", "n.a", "file", "files", "path", "paths", "datei", "dateien"),
        *("note", "notes", "why", "entry", "purpose", "reason", "please", "thanks", "done", "ok"),
        *("read-only", "readonly", "write", "scope", "else", "below", "above", "here", "null"),
    )
)
"""Single words and slashed words that are never an entry."""

SENTENCE_WORDS = frozenset(
    (
        *("is", "are", "was", "were", "be", "must", "should", "shall", "will", "would", "can"),
        *("has", "have", "had", "does", "do", "did", "belongs", "belong", "stays", "stay", "need"),
        *("needs", "may", "might", "ist", "sind", "muss", "soll", "wird", "gehört", "bleibt"),
    )
)
"""Finite verbs: words behind a path that hold one of these make a sentence of it."""

READ_NOTES = (
    *("read-only", "read only", "readonly", "reference", "for reference", "not yours", "context"),
    *("do not edit", "do not touch", "do not modify", "do not change", "don't edit", "off limits"),
    *("don't touch", "don't modify", "don't change", "read for", "just read", "only read"),
    *("off-limits", "owned by", "out of scope", "nur lesen", "nicht ändern", "no edits"),
)
"""Beginnings of a note that takes its path out of the scope."""

OPEN_NOTES = frozenset(("owned by", "read for", "reference", "for reference", "context"))
"""Those that may go on as they like; the others must stand alone, since `do not edit the header`
speaks of a part of the file."""

TAILS = frozenset(
    (*("", " first", " them", " it", " this", " this file", " these", " please", " only"),)
)
BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b\u2060\ufeff")
