"""Git's pathspecs as scope entries, as far as agents use them: paths, globs, `:/` and `:!`."""

from __future__ import annotations

from holdshort.core.entries import is_glob, normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

EXCLUDED = (":!", ":^", ":(exclude)")
TOP = (":/", ":(top)")


def entries_of(specs: Sequence[str], tree: str, below: str) -> tuple[str, ...]:
    """The entries of pathspecs, relative to the tree; `!` before what is left out.

    tree: its root. below: where in it the command runs, "" for the root. A `*` of git's crosses
    directories, so what is left out may be less than git leaves out, and never more.
    """
    found: list[str] = []
    for spec in specs:
        mark = next(("!" for magic in EXCLUDED if spec.startswith(magic)), "")
        magic = next((magic for magic in (*EXCLUDED, *TOP) if spec.startswith(magic)), "")
        text = spec[len(magic) :]
        place = text.removeprefix(f"{tree}/") if text.startswith(f"{tree}/") else text
        is_placed = place != text or magic in TOP or not below
        entries = _entries(place if is_placed else f"{below}/{place}")
        found += [mark + entry for entry in entries]
    return tuple(found)


def _entries(path: str) -> tuple[str, ...]:
    entry = normalise(path.rstrip("/") or ".")
    if path.rstrip("/") in ("", ".") or entry in (None, "", "."):
        return ("**",)
    if not is_glob(entry):
        return (entry, f"{entry}/**")
    directory, slash, name = entry.rpartition("/")
    return (entry, f"{directory}{slash}**/{name}")
