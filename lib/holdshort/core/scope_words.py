"""The words that scopes, paths and access are read by, in English and German."""

from __future__ import annotations

VERBS = ("edit", "modify", "change", "write", "touch", "update", "create")

MARKERS = (
    *("FILE-SCOPE", "FILE SCOPE", "DATEI-SCOPE", "DATEI SCOPE", "DEIN SCOPE", "SCOPE ("),
    *("FILE IN SCOPE", "FILES IN SCOPE", "Allowed files", "Allowed paths", "Writable files"),
    *("Write scope", "Files you may write to", "Files allowed to edit"),
    "Files you are allowed to",
    *(f"Files you may {verb}" for verb in VERBS),
    *(f"Files you can {verb}" for verb in VERBS),
    *(f"You may {verb} these" for verb in VERBS),
    *(f"You can {verb} these" for verb in VERBS),
    *(f"You may {verb} only these" for verb in VERBS),
    *(f"You may {verb} only" for verb in VERBS),
    *(f"You may only {verb}" for verb in VERBS),
    *("Dateien die du ändern darfst", "Erlaubte Dateien", "Files you are permitted to"),
)
"""What introduces a scope: the usual markers and the wordings that people use instead. Hyphens,
underscores, case, `the following` and a `(s)` make no difference."""

WEAK_LABELS = frozenset(
    (
        *("scope", "files", "file", "paths", "dateien", "datei", "your files", "your file"),
        *("your scope", "files to edit", "files to modify", "files to change", "files to touch"),
        *("files to create", "files to update", "target files", "target file", "owned files"),
        *("files you own", "assigned files", "your paths", "modify", "edit", "files to write"),
        *("ownership", "file ownership", "your ownership", "deine dateien", "you own", "changes"),
        *("files to modify create", "files to create modify", "umfang", "your territory"),
    )
)
"""Labels that often stand over a scope and often over something else: they can only advise."""

WEAK_CUES = (
    *("only modify", "only edit", "only touch", "only change", "only write to", "modify only"),
    *("edit only", "touch only", "change only", "your files are", "your file is", "you own"),
    *("your scope is", "restrict your changes to", "limit your changes to", "confine yourself to"),
    *("restrict yourself to", "limit yourself to", "stay within", "work only in", "work only on"),
    *("only work in", "only work on", "keep your changes to", "your only file is", "your files"),
    *("restrict changes to", "limit changes to", "restrict edits to", "limit edits to"),
    *("own only", "bearbeite nur", "ändere nur", "nur ändern", "deine dateien sind"),
    *("you may edit", "you may modify", "you may change", "you may touch", "you may write"),
    "file scope is",
)
"""Prose that names a scope on the same line; may also stand over a list."""

CUE_GATE = (
    *("only", "your", "you ", "limit", "restrict", "within", "confine", "nur", "deine", "is "),
)
"""One of these stands in each cue."""

FORBIDDEN = (
    *("not touch", "not edit", "not modify", "not change", "not write", "not yours"),
    *("not in scope", "dont touch", "dont edit", "dont modify", "dont change", "never touch"),
    *("never edit", "must not", "may not", "out of scope", "off limits", "outside", "forbidden"),
    *("not in file scope", "tabu", "hands off", "excluded", "exclude", "exclusions", "no go"),
    *("not your", "leave alone", "ignore", "not allowed", "disallowed", "except"),
    *("nicht anfassen", "nicht ändern", "verboten", "denied", "protected", "do not"),
    *("never modify", "avoid", "ausser", "nicht bearbeiten", "cannot"),
)
"""Labels whose paths are kept from the agent."""

NEGATED = ("not", "never", "dont", "no", "nicht", "keine")
EXCEPTING = ("except", "outside", "outside of", "other than", "beyond", "ausser", "außer")
"""`Do not edit anything except:` introduces a scope, in the way of a hint."""

FOR_READING = (
    *("read only", "readonly", "reference", "references", "read these", "read first", "read the"),
    *("for reading", "to read", "nur lesen", "for context", "context", "background", "reads"),
    *("reading", "see also", "related files", "relevant files", "may read", "can read", "read"),
    "zum lesen",
)
"""Labels whose paths are reading matter."""

READ_BLOCKS = ("read only", "readonly", "nur lesen", "for reference", "reference only", "none")
"""Said beside a marker, the block is one of reading."""

THE_REST = (
    *(" else ", " other ", " others ", " outside ", " beyond ", " elsewhere ", " rest ", " more "),
    *(" sonst ", " anderes ", " andere ", " except "),
)
"""A denial with one of these beside a marker speaks of what the block leaves out."""

OTHERS = (
    *(" other agent", " other worker", " another agent", " sibling", " parallel agent"),
    *(" teammates ", " someone else", " other session", " other people", " colleagues "),
    *(" concurrent agent", " all agents", " every agent", " whole wave", " andere agent"),
    *(" anderer agent", " peers ", " each agent", " others "),
)
"""Labels that speak of agents other than this one, or of all of them."""

AGENT_WORDS = frozenset(("agent", "subagent", "worker", "teammate", "implementer"))
NO_DESIGNATOR = frozenset(
    (
        *("files", "file", "scope", "scopes", "is", "are", "owns", "own", "the", "and", "has"),
        *("may", "must", "will", "should", "prompt", "tasks", "task", "for", "in", "to", "of"),
        *("working", "instructions", "you", "your", "a's", "this", "that", "each", "per", "all"),
        *("an", "every", "other", "another", "coding", "ai", "sub", "only", "gets", "s", "edits"),
        *("writes", "any", "responsibilities", "assignments", "by", "with", "on", "rules", "read"),
        *("context", "my", "name", "id", "no", "number", "new", "single", "one's", "review"),
        *("research", "or", "as"),
    )
)
GROUPS = frozenset(
    (
        *("create", "new", "modify", "edit", "update", "write", "change", "add", "delete"),
        *("remove", "source", "sources", "src", "test", "tests", "docs", "documentation", "code"),
        *("backend", "frontend", "migrations", "also", "and", "plus", "rename", "config"),
        *("configuration", "production", "implementation", "writable", "owned", "neu", "move"),
        *("modified", "created", "fixtures", "styles", "assets", "types", "ändern", "api"),
    )
)
"""First words of a label that goes on with the block it stands in."""

LEADS = frozenset(
    (
        *("per", "each", "all", "agents", "your", "the", "my", "this", "is", "here", "are", "a"),
        *("an", "assigned", "strict", "hard", "own", "exact", "and", "for", "as", "follows"),
        *("below", "exactly", "these", "only", "in", "list", "of", "task", "wave", "write"),
        *("limit", "nothing", "else", "following", "s", "files", "paths", "allowed", "declared"),
        *("you", "have", "has", "with", "gets", "freely", "two", "three", "four", "five", "six"),
        *("strictly", "owns", "i", "e", "agent", "binding", "rule", "to", "modify", "it"),
    )
)
"""Words beside a marker that leave it a headline."""

NOTHING = frozenset(
    (
        *("none", "nothing", "no files", "no file", "n a", "read only", "readonly", "empty"),
        *("keine", "no writes", "nichts", "nur lesen", "none read only", "no files read only"),
        *("nil", "no files at all", "keine dateien", "no write access", "none this is read only"),
    )
)
"""What stands in a block that is empty on purpose."""

SCOPE_TALK = (
    *(" file", " edit", " modif", " own", " touch", " these", " following", " only", " below"),
    *(" datei", " scope", " writ", " chang", " exactly"),
)
"""A sentence between a marker and its list speaks with one of these."""

STOPS = frozenset(
    (
        *("not", "dont", "never", "without", "except", "but", "while", "agent", "unless", "nor"),
        *("see", "nicht", "leave", "read", "from", "because", "since", "so", "then", "using"),
        *("like", "as"),
    )
)
"""Words at which a list of paths in prose is over."""

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
