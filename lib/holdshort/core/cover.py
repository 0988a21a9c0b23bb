"""Is everything an entry can match within a scope? Exactly, or not proven."""

from __future__ import annotations

from holdshort.core.entries import TEXT, Tokens, read_scope
from holdshort.core.overlap import Effort, Unknown, find_path, net_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Escape:
    """A path that the entry matches and the scope does not, the shortest there is."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"Escape({self.path!r})"


class NotProven:
    """Cannot tell: a bound was hit."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"NotProven({self.reason!r})"


def covers(
    entries: Sequence[str], entry: str, effort: Effort | None = None
) -> Escape | NotProven | None:
    """Return None if the entries match every path the entry matches, or a path that escapes.

    All entries are canonical. An entry that can match nothing is covered by any scope.
    """
    net, unread_scope = net_of(entries)
    alternatives, doubt = read_scope((entry,))
    effort = effort or Effort()
    escape: Escape | None = None
    for _, tokens in alternatives:
        path = find_path(tokens, _everything_beside(tokens), net, effort)
        if isinstance(path, Unknown):
            doubt = doubt or path.reason
        elif path and (escape is None or len(path) < len(escape.path)):
            escape = Escape(path)
    if escape and unread_scope:
        return NotProven(unread_scope)
    return escape or (NotProven(doubt) if doubt else None)


def _everything_beside(tokens: Tokens) -> Tokens:
    return ("/", TEXT) if tokens[:1] == ("/",) else (TEXT,)
