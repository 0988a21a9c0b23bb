"""Entries as written, turned into entries of one tree by what exists on disk."""

from __future__ import annotations

import os

from holdshort.adapters.places import folds_case
from holdshort.core.entries import normalise


class Resolver:
    """root: real path of the tree. cwd: where the session works, as the harness spells it."""

    def __init__(self, root: str, cwd: str) -> None:
        self.root = root
        self.spelled_cwd = cwd
        self.cwd = os.path.realpath(cwd) if os.path.isabs(cwd) else root
        inside = os.path.relpath(self.cwd, root)
        self.below = "" if inside == "." or inside.startswith("..") else f"{inside}/"
        self.folds = folds_case(root)

    def resolve(self, raw: str) -> str | None:
        """The entry meant by `raw`, or None when it can mean no path."""
        if "\\" in raw and os.path.lexists(os.path.join(self.root, raw)):
            return raw
        entry = normalise(os.path.expanduser(raw) if raw.startswith("~/") else raw)
        if entry is None:
            return self._outside(raw)
        entry = self._relative(entry) if entry.startswith("/") else self._anchored(entry)
        entry = self._without_links(entry)
        if not _is_glob(entry) and os.path.isdir(os.path.join(self.root, entry)):
            entry += "/"
        return entry.casefold() if self.folds else entry

    def _outside(self, raw: str) -> str | None:
        """An entry that climbs out of a subdirectory but stays in the tree."""
        if not raw.startswith("../") or not self.below:
            return None
        entry = normalise(self.below + raw)
        return None if entry is None else self._without_links(entry)

    def _relative(self, entry: str) -> str:
        for base in (self.root, self.spelled_cwd.rstrip("/"), self.cwd):
            if base and entry.startswith(f"{base}/"):
                inside = os.path.relpath(os.path.realpath(base), self.root)
                prefix = "" if inside == "." else f"{inside}/"
                return normalise(prefix + entry[len(base) + 1 :]) or entry
            if entry.rstrip("/") == base == self.root:
                return "**"
        return entry

    def _anchored(self, entry: str) -> str:
        """`entry` against the session's directory, or the tree's root, by what exists."""
        if not self.below or entry.startswith("**"):
            return entry
        for probe in (_literal_part(entry), os.path.dirname(_literal_part(entry))):
            if os.path.lexists(os.path.join(self.cwd, probe)) and probe:
                return self.below + entry
            if os.path.lexists(os.path.join(self.root, probe)) and probe:
                return entry
        return self.below + entry

    def _without_links(self, entry: str) -> str:
        """`entry` with the symlinks in its literal part followed, so that aliases compare equal."""
        literal = _literal_part(entry)
        rest = entry[len(literal) :]
        if not literal:
            return entry
        real = os.path.realpath(os.path.join(self.root, literal))
        inside = os.path.relpath(real, self.root)
        if inside.startswith(".."):
            return real + rest
        return rest.lstrip("/") or "**" if inside == "." else inside + rest


def _literal_part(entry: str) -> str:
    """The leading segments of `entry` without a wildcard, without the slash that ends them."""
    cut = min((at for at in map(entry.find, "*?{") if at >= 0), default=len(entry))
    if cut == len(entry):
        return entry.rstrip("/")
    return entry[:cut].rpartition("/")[0]


def _is_glob(entry: str) -> bool:
    return _literal_part(entry) != entry
