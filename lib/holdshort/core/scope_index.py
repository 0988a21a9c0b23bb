"""One scope against many: tells which entries of other agents meet ours.

All our alternatives are one `Net`. An entry of theirs is walked through it token by token, a
wildcard moving every state at once, so yes or no costs a few int operations a token. Directories
are walked once: `src/api/*.py` goes on where the walk of `src/api/` ended, and most of them end
with no state left. Only entries that get through pay for the exact walk of `overlap`.
"""

from __future__ import annotations

from holdshort.core.entries import (
    DIRECTORIES,
    MAX_ENTRIES,
    MAX_ENTRY,
    NAME,
    ONE,
    TEXT,
    Tokens,
    lex,
    read_scope,
)
from holdshort.core.overlap import Effort, Meeting, Net, Unknown, find_path, net_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

_ANY_TEXT = "*?{"
_BITE = 4
"""Letters of a last segment tried first from either side: few enough to repeat, and to tell."""


class ScopeIndex:
    """One scope of canonical entries, less the shared ones, ready to be met with many scopes.

    `unread` says why some of its own entries could not be read, or is ''.
    """

    __slots__ = (
        "_alternatives",
        "_effort",
        "_endings",
        "_firsts",
        "_heads",
        "_net",
        "_openings",
        "_outside",
        "_strides",
        "_unread_shared",
        "unread",
    )

    def __init__(
        self, entries: Sequence[str], shared: Sequence[str] = (), effort: Effort | None = None
    ) -> None:
        self._alternatives, self.unread = read_scope(entries)
        self._net = Net(tokens for _, tokens in self._alternatives)
        self._outside, self._unread_shared = net_of(shared)
        self._effort = effort or Effort()
        self._strides = Strides(self._net)
        self._heads = _Heads(self._strides, self._net)
        self._openings = _Memo(self._strides.reach_from_segment)
        self._endings = _Memo(self._strides.reach_an_end)
        self._firsts: dict[str, Meeting | Unknown | None] = {}

    def first_meeting(self, theirs: Sequence[str]) -> Meeting | Unknown | None:
        """Return the first meeting, in the order of theirs and then of ours.

        A meeting outweighs entries, of either side, that could not be read.
        """
        doubt = self._doubt_about(theirs)
        for entry in self._suspects(theirs):
            if entry not in self._firsts:
                self._firsts[entry] = _first(self._meetings_with(entry))
            found = self._firsts[entry]
            if isinstance(found, Meeting):
                return found
            doubt = doubt or found
        return doubt

    def meetings(self, theirs: Sequence[str], limit: int) -> list[Meeting]:
        """Return up to `limit` meetings in the same order, each pair of entries once."""
        found: dict[tuple[str, str], Meeting] = {}
        for entry in self._suspects(theirs):
            for meeting in self._meetings_with(entry):
                if len(found) >= limit:
                    return list(found.values())
                if isinstance(meeting, Meeting):
                    found.setdefault((meeting.ours, meeting.theirs), meeting)
        return list(found.values())[:limit]

    def covers_path(self, path: str) -> str | None:
        """Return the first of our entries that matches a path; what is `unread` is not asked."""
        return next((entry for entry, _ in self._marked(self._net.run(path))), None)

    def _doubt_about(self, theirs: Sequence[str]) -> Unknown | None:
        if theirs and self.unread:
            return Unknown(self.unread)
        too_many = len(theirs) > MAX_ENTRIES and self._alternatives
        return Unknown(f"more than {MAX_ENTRIES} entries") if too_many else None

    def _suspects(self, theirs: Sequence[str]) -> Iterator[str]:
        """Yield the entries that the net cannot rule out."""
        heads, openings, endings = self._heads, self._openings, self._endings
        for entry in theirs[:MAX_ENTRIES]:
            if not heads[entry[: entry.find("/") + 1]].states:
                continue
            cut = entry.rfind("/") + 1
            tail = entry[cut:]
            may_meet = openings[tail[:_BITE]] & endings[tail[_BITE:][-_BITE:]]
            if not may_meet and _has_own_last_segment(entry, cut):
                continue
            if len(entry) > MAX_ENTRY or heads[entry[:cut]][tail]:
                yield entry

    def _meetings_with(self, entry: str) -> Iterator[Meeting | Unknown]:
        """Yield where one of their entries meets ours, and where that cannot be told."""
        alternatives, unread = read_scope((entry,))
        if unread and self._alternatives:
            yield Unknown(unread)
        for _, tokens in alternatives:
            self._effort.spent += len(tokens)
            for ours, our_tokens in self._marked(self._strides.run(tokens)):
                path = find_path(our_tokens, tokens, self._outside, self._effort)
                if isinstance(path, Unknown):
                    yield path
                elif path:
                    unread = self._unread_shared
                    yield Unknown(unread) if unread else Meeting(ours, entry, path)

    def _marked(self, states: int) -> Iterator[tuple[str, Tokens]]:
        """Yield the alternatives whose end bit is among the states."""
        end = -1
        for entry, tokens in self._alternatives if states & self._net.ends else ():
            end += len(tokens) + 1
            if states >> end & 1:
                yield entry, tokens


def _first(findings: Iterator[Meeting | Unknown]) -> Meeting | Unknown | None:
    """Return the first meeting, else the first doubt, else None."""
    doubt: Unknown | None = None
    for finding in findings:
        if isinstance(finding, Meeting):
            return finding
        doubt = doubt or finding
    return doubt


class Strides:
    """Walks tokens of theirs through our net: to all states that some text of a token reaches."""

    __slots__ = ("_across", "_moves", "_net", "_within")

    def __init__(self, net: Net) -> None:
        one = net.other[0]
        for letter, (onward, _) in net.moves.items():
            one |= onward if letter != "/" else 0
        self._net = net
        self._moves = {**net.moves, ONE: (one, net.other[1])}
        self._within = one | net.skips
        self._across = self._within | net.moves["/"][0]

    def run(self, tokens: Tokens) -> int:
        """Return the states a whole alternative of theirs reaches."""
        return self.walk(self._net.starts[tokens[:1] == ("/",)], tokens)

    def reach_from_segment(self, opening: str) -> int:
        """Return the states that a last segment with this opening may reach, wherever it is."""
        states = self.walk(self._net.starts[0] | self._net.starts[1], (DIRECTORIES,))
        for letter in opening:
            if letter in _ANY_TEXT:
                break
            states = self._net.step(states, letter)
        return states | self._flood_segment(states)

    def reach_an_end(self, ending: str) -> int:
        """Return the states from which a text of just this ending reaches an end."""
        states = self._net.ends
        for letter in reversed(ending):
            if letter in _ANY_TEXT:
                break
            states = self._net.step_back(states, letter)
        return states

    def walk(self, states: int, tokens: Sequence[str]) -> int:
        """Return the states that some text of the tokens reaches from some of these states."""
        net, moves = self._net, self._moves
        for token in tokens:
            if token == NAME:
                states |= self._flood_segment(states)
            elif token == TEXT:
                states |= _flood(states, self._across)
            elif token == DIRECTORIES:
                states |= net.step(states | _flood(states, self._across), "/")
            elif states != states & net.directories or token in "/":  # a begun `**/` awaits `/`
                states = net.move(states, moves.get(token, net.other))
            if not states:
                break
        return states

    def _flood_segment(self, states: int) -> int:
        # A `**/` that already took a letter is left by a `/` alone: no row starts there.
        return _flood(states & ~self._net.directories, self._within)


def _has_own_last_segment(entry: str, cut: int) -> bool:
    """Tell whether what follows the last `/` is just the last segment of each path matched.

    Not so if it holds `**`, after a `**/` that may be nothing (`a**/c` is `ac` too), or if braces
    may hide either.
    """
    glued = entry.endswith(DIRECTORIES, 0, cut) and entry[cut - 4 : cut - 3] not in ("", "/")
    return not glued and TEXT not in entry[cut:] and "{" not in entry


def _flood(states: int, passable: int) -> int:
    """Return the states reached over passable ones: a carry runs up each row of set bits."""
    return ((states & passable) + passable) ^ passable


class _Heads(dict[str, "_Tails"]):
    """From the directory part of an entry, up to the last `/`, to what may follow it."""

    __slots__ = ("_by_states", "_net", "_strides")

    def __init__(self, strides: Strides, net: Net) -> None:
        super().__init__()
        self._strides = strides
        self._net = net
        self._by_states: dict[int, _Tails] = {}

    def __missing__(self, head: str) -> _Tails:
        if "{" in head:
            return self._after(_ANY_STATES)
        tails = self._after(self._net.starts[head[:1] == "/"])
        cut = 0
        while cut < len(head) and tails.states:
            start, cut = cut, head.index("/", cut) + 1
            known = self.get(head[:cut])
            if known is None:
                known = self._after(self._strides.walk(tails.states, lex(head[start:cut])))
                self[head[:cut]] = known
            tails = known
        self[head] = tails
        return tails

    def _after(self, states: int) -> _Tails:
        tails = self._by_states.get(states)
        if tails is None:
            tails = self._by_states[states] = _Tails(self._strides, states, self._net.ends)
        return tails


_ANY_STATES = -1
"""States unknown: braces may join a directory part with what follows; nothing is ruled out."""


class _Tails(dict[str, bool]):
    """From the last segment of an entry to whether it may meet ours when walked from `states`."""

    __slots__ = ("_ends", "_strides", "states")

    def __init__(self, strides: Strides, states: int, ends: int) -> None:
        super().__init__()
        self._strides = strides
        self._ends = ends
        self.states = states

    def __missing__(self, tail: str) -> bool:
        if not self.states:
            return False
        if self.states == _ANY_STATES or "{" in tail:
            return True
        reached = self._strides.walk(self.states, lex(tail) or (TEXT,))
        self[tail] = may_meet = reached & self._ends != 0
        return may_meet


class _Memo(dict[str, int]):
    """A function from text to states that remembers its answers."""

    __slots__ = ("_find",)

    def __init__(self, find: Callable[[str], int]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, text: str) -> int:
        states = self[text] = self._find(text)
        return states
