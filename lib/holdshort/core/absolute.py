"""What an absolute entry may grant: a named place outside the tree, never the machine.

The refused roots are those of the original; `/private` is what macOS puts before `/etc` and others.
"""

from __future__ import annotations

FEWEST_DIRECTORIES = 2  # that an absolute grant must spell out below the root
_ALIASES = ("private",)
_SYSTEM_ROOTS = frozenset(
    (
        *("etc", "users", "home", "root", "bin", "sbin", "usr", "system", "var", "boot", "dev"),
        *("proc", "sys", "library", "applications", "windows"),
    )
)


def fault_of(name: str) -> str:
    """Why an absolute glob must not be granted, or nothing. name: one canonical alternative."""
    if _first(name) in _SYSTEM_ROOTS:
        return "is in a directory of the system"
    if len(_directories(name)) < FEWEST_DIRECTORIES:
        return (
            f"is absolute and spells out fewer than {FEWEST_DIRECTORIES} directories below the root"
        )
    return ""


def _first(name: str) -> str:
    """The first directory of an absolute name, in lower case, as some file systems ignore it."""
    segments = [segment.casefold() for segment in name.strip("/").split("/")]
    return segments[1] if len(segments) > 1 and segments[0] in _ALIASES else segments[0]


def _directories(name: str) -> list[str]:
    """The directories that an absolute name spells out before its first wildcard."""
    literal: list[str] = []
    for segment in name[1:].split("/")[:-1]:
        if "*" in segment or "?" in segment:
            break
        literal.append(segment)
    return literal[1:] if literal[:1] and literal[0].casefold() in _ALIASES else literal
