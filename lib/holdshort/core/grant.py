"""What the wave manifest grants: the gates of the original, fail closed (docs/hooks/enforce_scope.md).

A manifest that says nothing usable grants nothing, whatever else is wrong with it.
"""

from __future__ import annotations

from holdshort.core.entries import expand, normalise
from holdshort.core.overlap import first_match

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

STRICT, WARN, OFF = LEVELS = ("strict", "warn", "off")
READ_ONLY_ROLE = "discovery"
GATE = "path-guard"
MOST_ENTRIES = 4096
"""Of a manifest; 20,000 full of braces took the 5 s that a hook has."""


class Grant:
    """One manifest as the write guard reads it.

    entries: what may be written, canonical, relative to the tree or absolute. level: `STRICT`,
    `WARN` or `OFF`; `OFF` also when its gate is switched off. role: as written, "" without one.
    is_readable: False when the manifest is no usable record.
    """

    __slots__ = ("entries", "is_readable", "level", "role")

    def __init__(
        self,
        entries: tuple[str, ...] = (),
        level: str = STRICT,
        role: str = "",
        *,
        is_readable: bool = True,
    ) -> None:
        self.entries = entries
        self.level = level
        self.role = role
        self.is_readable = is_readable

    def covers(self, inside: str | None, absolute: str) -> bool:
        """Whether the path may be written.

        inside: relative to the tree, None when it lies outside. absolute: where the write lands.
        """
        paths = (absolute,) if inside is None else (inside, absolute)
        return any(first_match(self.entries, path) is not None for path in paths)


def grant_of(value: Any, root: str, below: str = "", *, folds: bool = False) -> Grant:
    """The grant in a parsed manifest; None could not even be parsed.

    root: the directory that its entries count from. below: where that lies in the tree, "" for the
    tree itself. folds: whether letters are folded, as the file system does.
    """
    if not isinstance(value, dict):
        return Grant(is_readable=False)
    level = _level(value)
    role = value.get("role") if isinstance(value.get("role"), str) else ""
    listed = value.get("allowedPaths", [])
    entries = _entries(listed, root, f"{below}/" if below else "", folds=folds)
    if entries is None:
        return Grant((), level, str(role), is_readable=False)
    return Grant(entries, level, str(role))


def _level(value: dict[str, Any]) -> str:
    """The level that the manifest asks for; whatever is none counts as strict."""
    gates = value.get("gates")
    if isinstance(gates, dict) and gates.get(GATE) is False:
        return OFF
    level = value.get("enforcement")
    return level if isinstance(level, str) and level in LEVELS else STRICT


def _entries(listed: Any, root: str, prefix: str, *, folds: bool) -> tuple[str, ...] | None:
    """The canonical entries of a list; None when it is no list of texts, or too long. Nulls are skipped."""
    if not isinstance(listed, list) or len(listed) > MOST_ENTRIES:
        return None
    texts = [entry for entry in listed if entry is not None]
    if not all(isinstance(text, str) for text in texts):
        return None
    found = [(normalise(text) or "").removeprefix(f"{root}/") for text in texts]
    kept = [entry for entry in found if entry and not (entry[0] == "/" and _is_too_much(entry))]
    is_placed = not prefix  # then they count from the tree already
    placed = (
        entry if is_placed or entry[0] == "/" else normalise(prefix + entry) or entry
        for entry in kept
    )
    return tuple(entry.casefold() if folds else entry for entry in placed)


def _is_too_much(entry: str) -> bool:
    """Whether an absolute entry grants what no wave may be granted."""
    from holdshort.core.absolute import fault_of  # noqa: PLC0415  # hardly any manifest has one

    return any(map(fault_of, expand(entry) or ("/",)))
