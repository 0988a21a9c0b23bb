"""Entries as written, turned into entries of one tree by what exists on disk."""

from __future__ import annotations

import posix
import stat

from holdshort.adapters import paths
from holdshort.adapters.places import folds_case
from holdshort.core.entries import normalise


class Resolver:
    """root: real path of the tree. cwd: where the session works, as the harness spells it."""

    def __init__(self, root: str, cwd: str) -> None:
        self.root = root
        self.spelled_cwd = cwd
        self.cwd = paths.realpath(cwd) if paths.isabs(cwd) else root
        self.below = self.cwd[len(root) + 1 :] + "/" if self.cwd.startswith(f"{root}/") else ""
        self.folds = folds_case(root)
        self._kinds: dict[str, str] = {}

    def resolve(self, raw: str) -> str | None:
        """The entry meant by `raw`, or None when it can mean no path."""
        if not _can_be_named(raw):
            return None
        if "\\" in raw and paths.lexists(paths.join(self.root, raw)):
            return raw
        entry = normalise(self._spelled(raw))
        if entry is None:
            return None
        entry = self._relative(entry) if entry.startswith("/") else self._anchored(entry)
        entry = self._without_links(entry)
        if not _is_glob(entry) and self._kind(entry) == "directory":
            entry += "/"
        return entry.casefold() if self.folds else entry

    def _spelled(self, raw: str) -> str:
        """`raw` without the ways of writing that are not the path's own: `~/`, `../`, `@`, `/src`."""
        if raw.startswith("~/"):
            return paths.expanduser(raw)
        if raw.startswith("../") and self.below:
            return f"{self.root}/{self.below}{raw}"
        bare = raw[1:]
        first = bare.partition("/")[0]
        if raw[:1] == "@" and self._kind(f"@{first}") == "nothing" != self._kind(first):
            return bare  # how a person mentions a file to the client
        if raw[:1] == "/" and _kind_of(f"/{first}") == "nothing" != self._kind(first):
            return bare  # anchored at the root of the repository, not of the machine
        return raw

    def _relative(self, entry: str) -> str:
        for base in (self.root, self.spelled_cwd.rstrip("/"), self.cwd):
            if base and entry.startswith(f"{base}/"):
                prefix = "" if base == self.root else self.below
                return normalise(prefix + entry[len(base) + 1 :]) or entry
            if entry.rstrip("/") == base == self.root:
                return "**"
        return entry

    def _anchored(self, entry: str) -> str:
        """`entry` against the session's directory, or the tree's root, by what exists."""
        if not self.below or entry.startswith("**"):
            return entry
        for probe in (_literal_part(entry), paths.dirname(_literal_part(entry))):
            if paths.lexists(paths.join(self.cwd, probe)) and probe:
                return self.below + entry
            if paths.lexists(paths.join(self.root, probe)) and probe:
                return entry
        return self.below + entry

    def _without_links(self, entry: str) -> str:
        """`entry` with the symlinks in its literal part followed, so that aliases compare equal."""
        literal = _literal_part(entry)
        if not self._leads_through_link(literal):
            return entry
        rest = entry[len(literal) :]
        real = paths.realpath(paths.join(self.root, literal))
        if real == self.root:
            return rest.lstrip("/") or "**"
        if real.startswith(f"{self.root}/"):
            return real[len(self.root) + 1 :] + rest
        return real + rest

    def _leads_through_link(self, literal: str) -> bool:
        """Whether a segment of `literal` is a symlink; what does not exist leads nowhere else."""
        at = literal.find("/", 1)
        while at >= 0:
            kind = self._kind(literal[:at])
            if kind != "directory":
                return kind == "link"
            at = literal.find("/", at + 1)
        return bool(literal) and self._kind(literal) == "link"

    def _kind(self, path: str) -> str:
        """`directory`, `link`, `file`, or `nothing`, of a path relative to the root or absolute."""
        found = self._kinds.get(path)
        if found is None:
            found = self._kinds[path] = _kind_of(paths.join(self.root, path))
        return found


def _kind_of(path: str) -> str:
    try:
        mode = posix.lstat(path).st_mode
    except (OSError, ValueError):
        return "nothing"
    if stat.S_ISLNK(mode):
        return "link"
    return "directory" if stat.S_ISDIR(mode) else "file"


def _can_be_named(text: str) -> bool:
    """Whether a file system can hold a name like this: no lone surrogate, no NUL."""
    try:
        return b"\0" not in paths.encoded(text)
    except UnicodeEncodeError:
        return False


def _literal_part(entry: str) -> str:
    """The leading segments of `entry` without a wildcard, without the slash that ends them."""
    cut = min((at for at in map(entry.find, "*?{") if at >= 0), default=len(entry))
    if cut == len(entry):
        return entry.rstrip("/")
    return entry[:cut].rpartition("/")[0]


def _is_glob(entry: str) -> bool:
    return _literal_part(entry) != entry
