"""May this command write at all? A look at its words, before anything is parsed."""

from __future__ import annotations

WORDS = frozenset(
    (
        *(
            "tee",
            "sed",
            "gsed",
            "perl",
            "ruby",
            "php",
            "awk",
            "gawk",
            "mawk",
            "mv",
            "cp",
            "rm",
            "ln",
        ),
        *("install", "truncate", "dd", "unlink", "shred", "touch", "chmod", "chown", "chgrp"),
        *("rsync", "unzip", "tar", "patch", "sponge", "sort", "curl", "wget", "ed", "ex", "vim"),
        *("vi", "nvim", "restore", "checkout", "apply", "apply_patch", "applypatch"),
        *("python", "pypy", "node", "nodejs", "bun", "deno", "tsx", "ts-node"),
        *("eval", "bash", "sh", "zsh", "dash", "ksh", "ash", "source", "xargs", "parallel", "find"),
        *("prettier", "eslint", "stylelint", "standard", "xo", "oxlint", "biome", "ruff", "black"),
        *("isort", "autopep8", "yapf", "pyupgrade", "fmt", "format", "fix", "--fix", "rustfmt"),
        *("gofmt", "goimports", "gofumpt", "shfmt", "rubocop", "stylua", "swiftformat", "ktlint"),
        *("php-cs-fixer", "clang-format"),
    )
)
GIT = frozenset(
    (
        *("stash", "reset", "switch", "clean", "merge", "rebase", "pull", "cherry-pick", "revert"),
        *("add", "stage", "commit", "submodule", "worktree"),
    )
)
"""What git does to whole trees."""
HARMLESS = (
    "2>&1",
    "1>&2",
    ">&2",
    ">&1",
    "2>/dev/null",
    "2> /dev/null",
    ">/dev/null",
    "> /dev/null",
)
_SEPARATORS = "\n\t;|&()<>{}\"'`$=/,:!"
_TABLE = {ord(mark): " " for mark in _SEPARATORS}


def may_write(command: str) -> bool:
    """Whether a command has a word that may write, or redirects anywhere but to where nothing is kept."""
    if ">" in command and _redirects(command):
        return True
    words = command.replace("\\", "").translate(_TABLE).split()
    if any(word in WORDS or _is_versioned(word) for word in words):
        return True
    return any(word.endswith("git") for word in words) and not GIT.isdisjoint(words)


def _is_versioned(word: str) -> bool:
    """`python3.11`, `clang-format-18`."""
    return (word[-1:].isdigit() and word.rstrip("0123456789.-") in WORDS) or word == "."


def _redirects(command: str) -> bool:
    rest = _unquoted(command)
    for harmless in HARMLESS:
        rest = rest.replace(harmless, "")
    return ">" in rest


def _unquoted(command: str) -> str:
    """The command without what stands in quotes; in doubt, more of it is left."""
    if "\\" in command or "#" in command:
        return command
    kept, at = [], 0
    while at < len(command):
        single, double = command.find("'", at), command.find('"', at)
        start = min(single, double) if single >= 0 and double >= 0 else max(single, double)
        end = command.find(command[start], start + 1) if start >= 0 else -1
        if end < 0:
            break
        inner = command[start:end]
        kept.append(command[at:start])
        if start == double and ("$(" in inner or "`" in inner):
            kept.append(inner)
        at = end + 1
    return "".join(kept) + command[at:]
