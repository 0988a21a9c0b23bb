"""Which held files a hit certainly meets, when it is more than one path."""

from __future__ import annotations

from holdshort.core.cover import covers
from holdshort.core.entries import is_glob, normalise
from holdshort.core.overlap import Meeting, first_match, matches, meet
from holdshort.core.shell_script import FILE, SOME, TREE, WHOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def entries_of(inside: str, reach: str) -> tuple[str, ...]:
    """The entries that say what a hit on `inside` (relative to the tree) reaches; `""` is the tree."""
    if not inside:
        return ("**",)
    found = normalise(inside.rstrip("/"))
    if found is None:
        return ()
    return (found,) if reach == FILE else (found, f"{found}/**")


def certainly_met(
    held: Sequence[str], inside: str, reach: str, shared: Sequence[str] = ()
) -> tuple[str, str] | None:
    """`(path, entry)` of a held file that is written for certain, None if none is.

    A directory that is written as a whole meets all entries below it. A glob, or files in a directory
    that are not named, meet what lies wholly in an entry, and a glob also each path that it matches:
    what else it matches is not known to exist.
    """
    entries = entries_of(inside, reach)
    if reach in (TREE, WHOLE) and not is_glob(inside):
        return _below(held, entries, shared)
    for entry in held:
        if not is_glob(entry) and reach != SOME and any(matches(one, entry) for one in entries):
            if first_match(shared, entry) is None:
                return entry, entry
        elif entries and all(covers((entry,), one) is None for one in entries[-1:]):
            return inside, entry
    return None


def is_globbed(glob: str, path: str) -> bool:
    """Whether a shell would put `path` in the place of `glob`: a leading dot has to be written out."""
    named, globs = path.split("/"), glob.split("/")
    hidden = any(name[:1] == "." != one[:1] for name, one in zip(named, globs, strict=False))
    entry = normalise(glob)
    return not hidden and entry is not None and matches(entry, path)


def _below(
    held: Sequence[str], entries: Sequence[str], shared: Sequence[str]
) -> tuple[str, str] | None:
    found = meet(tuple(held), entries, shared)
    return (found.witness, found.ours) if isinstance(found, Meeting) else None
