"""What the agents of a wave declare: `[{"id": ..., "files": [...]}, ...]`, or all that is wrong with it.

The rules are those of the original's writer of scope files, with its holes closed (docs/scopes.md).
"""

from __future__ import annotations

from holdshort.core.entries import MAX_ENTRIES, MAX_ENTRY, expand, normalise
from holdshort.core.words import clip_path, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

COORDINATOR = "coordinator"  # the record of who dispatches the wave; each wave has exactly one
LONGEST_ID = 128
_ENDS = ("\0", "\r", "\n")


class Declaration:
    """One agent and the entries it may write, as written; `record` is the object they came in."""

    __slots__ = ("files", "id", "record")

    def __init__(self, name: str, files: tuple[str, ...], record: dict[str, Any]) -> None:
        self.id = name
        self.files = files
        self.record = record


def declared(value: Any, bases: Sequence[str]) -> tuple[tuple[Declaration, ...], tuple[str, ...]]:
    """The declarations of a wave, or every fault, one line each; never both.

    bases: spellings of the tree's root; an absolute entry below one of them is made relative.
    """
    if not isinstance(value, list) or not value:
        return (), ("the declarations are not a list with at least one {id, files}",)
    faults: list[str] = []
    found: list[Declaration] = []
    for at, record in enumerate(value):
        wrong = [*_faults_of_id(record), *_faults_of_files(record, bases)]
        faults += [f"{_place(at, record)}: {fault}" for fault in wrong]
        if not wrong:
            files = tuple(below_root(entry, bases) or entry for entry in record["files"])
            found.append(Declaration(record["id"], files, record))
    faults += _faults_together(value)
    return ((), tuple(faults)) if faults else (tuple(found), ())


def recorded(value: Any) -> tuple[tuple[Declaration, ...], tuple[str, ...]]:
    """The same for a side file of `check`: who has no id is called by its place in the list.

    Nothing else is asked of ids, as files of other writers must be readable too.
    """
    if not isinstance(value, list):
        return (), ("it is not a list of {id, files}",)
    faults = [
        f"{_place(at, record)}: {fault}"
        for at, record in enumerate(value)
        for fault in _faults_of_shape(record)
    ]
    if faults:
        return (), tuple(faults)
    named = [(_name_of(at, record), record) for at, record in enumerate(value)]
    return tuple(Declaration(name, tuple(r["files"]), r) for name, r in named), ()


def entry_list(value: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The entries of one agent's scope file, or every fault of it."""
    if not isinstance(value, list):
        return (), ("it is not a list of texts",)
    faults = tuple(f"item {at}: {fault}" for at, fault in _odd_items(value))
    return ((), faults) if faults else (tuple(value), ())


def union(value: Any) -> list[str]:
    """All entries of a list of lists or of records: first-seen order, each once, never sorted.

    Whatever is neither is left out; of anything but a list there is nothing.
    """
    found: dict[str, None] = {}
    for member in value if isinstance(value, (list, tuple)) else ():
        files = member.get("files") if isinstance(member, dict) else member
        if isinstance(files, (list, tuple)):
            found.update(dict.fromkeys(text for text in files if isinstance(text, str) and text))
    return list(found)


def below_root(entry: str, bases: Sequence[str]) -> str | None:
    """The relative spelling of an absolute entry below one of the spellings of the root, else None."""
    canonical = normalise(entry) if entry[:1] in ("/", "\\") else None
    if canonical is None:
        return None
    for base in bases:
        if canonical.rstrip("/") == base:
            return "**"
        if canonical.startswith(f"{base}/"):
            return normalise(canonical[len(base) + 1 :])
    return None


def is_safe_id(name: Any) -> bool:
    """Whether an id can be the name of a file everywhere: ASCII, a letter or digit first."""
    return (
        isinstance(name, str)
        and name.isascii()
        and name[:1].isalnum()
        and len(name) <= LONGEST_ID
        and name.replace("-", "").replace("_", "").isalnum()
    )


def climbs(entry: str) -> bool:
    """Whether a segment is `..`, with either slash and also as an alternative in braces."""
    apart = entry.replace("\\", "/")
    if "{" in apart:
        apart = apart.replace("{", "/").replace("}", "/").replace(",", "/")
    return ".." in apart.split("/")


def leaves_tree(entry: str, bases: Sequence[str]) -> bool:
    """Whether an entry names a home directory, a drive, or an absolute path not below the root."""
    canonical = normalise(entry) or ""
    names = expand(canonical) or ()
    if any(is_home(name) or is_drive(name) for name in names):
        return True
    absolute = [name for name in names if name.startswith("/")]
    hidden = absolute and not canonical.startswith(
        "/"
    )  # `{/data/tree,b}`: nobody makes it relative
    return bool(hidden) or any(below_root(name, bases) is None for name in absolute)


def is_home(entry: str) -> bool:
    """Whether a canonical entry begins with the `~` that shells read as the home directory."""
    return entry == "~" or entry.startswith("~/")


def is_drive(entry: str) -> bool:
    """Whether a canonical entry begins with a drive letter of Windows."""
    head = entry.partition("/")[0]
    return len(head) == 2 and head[1] == ":" and head[0].isascii() and head[0].isalpha()


def _place(at: int, record: Any) -> str:
    name = record.get("id") if isinstance(record, dict) else None
    return f"record {at} ({quoted(name)})" if isinstance(name, str) else f"record {at}"


def _name_of(at: int, record: dict[str, Any]) -> str:
    name = record.get("id")
    return name if isinstance(name, str) and name.strip() else f"<unnamed#{at}>"


def _faults_of_id(record: Any) -> Iterator[str]:
    if not isinstance(record, dict):
        return
    name = record.get("id")
    if not is_safe_id(name):
        yield (
            "id: must be ASCII letters, digits, _ and -, a letter or digit first,"
            f" at most {LONGEST_ID} characters"
        )
    elif name != COORDINATOR and str(name).lower() == COORDINATOR:
        yield f"id: write {COORDINATOR} in lower case"


def _faults_of_shape(record: Any) -> Iterator[str]:
    if not isinstance(record, dict):
        yield "is not an object {id, files}"
    elif "files" not in record:
        yield "files: missing" + (' ("file" is not read)' if "file" in record else "")
    elif not isinstance(record["files"], list):
        yield "files: must be a list of texts"
    else:
        for at, fault in _odd_items(record["files"]):
            yield f"files[{at}]: {fault}"


def _odd_items(files: list[Any]) -> Iterator[tuple[int, str]]:
    for at, entry in enumerate(files):
        if not isinstance(entry, str):
            yield at, "must be a text"
        elif not entry.strip():
            yield at, "is blank"


def _faults_of_files(record: Any, bases: Sequence[str]) -> Iterator[str]:
    faults = list(_faults_of_shape(record))
    yield from faults
    files = record.get("files") if isinstance(record, dict) else None
    if not isinstance(files, list):
        return
    if len(files) > MAX_ENTRIES:
        yield f"files: {len(files)} entries, at most {MAX_ENTRIES}"
    for at, entry in enumerate(files):
        fault = _fault_of_entry(entry, bases) if isinstance(entry, str) and entry.strip() else ""
        if fault:
            yield f"files[{at}]: '{clip_path(entry)}' {fault}"


def _fault_of_entry(entry: str, bases: Sequence[str]) -> str:
    if any(sign in entry for sign in _ENDS):
        return "holds a NUL or a line end"
    if any("\ud800" <= letter <= "\udfff" for letter in entry):
        return "is no Unicode text"
    if len(entry) > MAX_ENTRY:
        return f"is longer than {MAX_ENTRY} characters"
    if climbs(entry):
        return "has a segment `..`"
    if normalise(entry) is None:
        return "can mean no path"
    return "is outside the working tree" if leaves_tree(entry, bases) else ""


def _faults_together(value: list[Any]) -> Iterator[str]:
    ids = [record.get("id") for record in value if isinstance(record, dict)]
    seen: set[str] = set()
    for name in ids:
        if not isinstance(name, str):
            continue
        if name.lower() in seen:
            yield f"id {quoted(name)} stands there twice (case does not tell ids apart)"
        seen.add(name.lower())
    if COORDINATOR not in ids:
        yield f'no record has the id "{COORDINATOR}"; it may have no files'
