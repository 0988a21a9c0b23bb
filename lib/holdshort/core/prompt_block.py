"""The lines of a prompt that declare a scope, spelled so that `extraction` reads them back."""

from __future__ import annotations

from holdshort.core.entries import normalise
from holdshort.core.extraction import extract

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MARKER = "FILE-SCOPE — exactly these:"
NOTHING = "(none)"
_QUOTES = (("", ""), ('"', '"'), ("`", "`"), ("'", "'"), ("“", "”"), ("«", "»"))


def block(name: str, entries: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """The block for the agent `name`, and the entries that no spelling gets through a prompt.

    Those are left out of it: a reader would take `a.py:10` for a place in `a.py`.
    """
    lines: list[str] = []
    lost: list[str] = []
    for entry in dict.fromkeys(entries):
        line = _spelled(entry)
        if line is None:
            lost.append(entry)
        else:
            lines.append(line)
    return _fenced(name, lines or [NOTHING]), tuple(lost)


def is_read_back(text: str, entries: Sequence[str]) -> bool:
    """Whether a prompt with this block declares exactly these entries, as far as they mean."""
    found = extract(text)
    wanted = dict.fromkeys(map(normalise, entries))
    return found.strength == "strong" and list(dict.fromkeys(map(normalise, found.entries))) == [
        *wanted
    ]


def _spelled(entry: str) -> str | None:
    """The plainest spelling of an entry that is read back alone and alike, or None."""
    for spelling in _spellings(entry):
        if is_read_back(_fenced("x", [spelling]), [entry]):
            return spelling
    return None


def _spellings(entry: str) -> Iterator[str]:
    """As it is, in quotes, and with the `./` that shows a word such as `none` to be a path."""
    for path in (entry, f"./{entry}"):
        for opening, closing in _QUOTES:
            yield f"{opening}{path}{closing}"


def _fenced(name: str, lines: Sequence[str]) -> str:
    fence = "`" * (max(3, 1 + max(map(_longest_run, lines))))
    body = "\n".join(lines)
    return f"AGENT-ID: {name}\n\n{MARKER}\n{fence}\n{body}\n{fence}\n"


def _longest_run(line: str) -> int:
    """The length of the longest run of backticks in a line."""
    longest = 0
    while "`" * (longest + 1) in line:
        longest += 1
    return longest
