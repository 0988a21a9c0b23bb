"""One scope against many: tells which entries of other agents meet ours.

Most entries of theirs are ruled out by a `Sieve`, at the price of a few look-ups; only what
passes it pays for the exact walk of `overlap`. The sieve errs on one side alone: it may pass an
entry that meets nothing, it never holds back one that does.
"""

from __future__ import annotations

from holdshort.core.entries import (
    DIRECTORIES,
    MAX_ENTRIES,
    MAX_ENTRY,
    MAX_SCOPE_ALTERNATIVES,
    NAME,
    ONE,
    TEXT,
    Tokens,
    expand,
    lex,
    read_scope,
)
from holdshort.core.overlap import Effort, Meeting, Net, Unknown, find_path, net_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

OPENING = 2
ENDING = 4
"""Letters of a last segment looked up together: few enough to repeat, many enough to tell."""


class ScopeIndex:
    """One scope of canonical entries, less the shared ones, ready to be met with many scopes.

    `unread` says why some of its own entries could not be read, or is ''.
    """

    __slots__ = (
        "_alternatives",
        "_effort",
        "_firsts",
        "_net",
        "_outside",
        "_sieve",
        "_unread_shared",
        "unread",
    )

    def __init__(
        self, entries: Sequence[str], shared: Sequence[str] = (), effort: Effort | None = None
    ) -> None:
        self._alternatives, self.unread = read_scope(entries)
        self._net = Net(tokens for _, tokens in self._alternatives)
        self._sieve = Sieve(self._net)
        self._outside, self._unread_shared = net_of(shared)
        self._effort = effort or Effort()
        self._firsts: dict[str, Meeting | Unknown | None] = {}

    def first_meeting(self, theirs: Sequence[str]) -> Meeting | Unknown | None:
        """Return the first meeting, in the order of theirs and then of ours.

        A meeting outweighs entries, of either side, that could not be read.
        """
        doubt = self._doubt_about(theirs)
        for entry in self._sieve.pass_on(theirs[:MAX_ENTRIES]):
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
        for entry in self._sieve.pass_on(theirs[:MAX_ENTRIES]):
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

    def _meetings_with(self, entry: str) -> Iterator[Meeting | Unknown]:
        """Yield where one of their entries meets ours, and where that cannot be told."""
        alternatives, unread = read_scope((entry,))
        if unread and self._alternatives:
            yield Unknown(unread)
        for _, tokens in alternatives:
            self._effort.spent += len(tokens)
            for ours, our_tokens in self._marked(self._sieve.run(tokens)):
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


class Sieve:
    """Walks entries of theirs, token by token, through the `Net` of all our alternatives.

    A wildcard of theirs moves every state at once, so an entry costs a few int operations a
    token. Work is shared: the walk of `src/api/*.py` goes on where that of `src/api/` ended, and
    a last segment whose letters lead nowhere in ours rules its entry out at any place.
    """

    __slots__ = (
        "_across",
        "_endings",
        "_ends",
        "_heads",
        "_moves",
        "_net",
        "_openings",
        "_segment_starts",
        "_within",
    )

    def __init__(self, net: Net) -> None:
        one = net.other[0]
        for letter, (onward, _) in net.moves.items():
            one |= onward if letter != "/" else 0
        self._net = net
        self._moves = {**net.moves, ONE: (one, net.other[1])}
        self._within = one | net.skips
        self._across = self._within | net.moves["/"][0]
        self._segment_starts = self._walk(net.starts[0] | net.starts[1], (DIRECTORIES,))
        self._heads = _Memo(self._reach_by_head)
        self._openings = _Memo(self._reach_by_opening)
        self._endings = _Memo(self._reach_an_end)
        self._ends = _Memo(self._reach_ends)

    def pass_on(self, scope: Sequence[str]) -> Iterator[str]:
        """Yield the entries of a scope that may meet one of ours, or are past a bound."""
        spare = MAX_SCOPE_ALTERNATIVES
        for entry in scope:
            if "{" not in entry:
                if len(entry) > MAX_ENTRY or self._may_meet(entry):
                    yield entry
                continue
            texts = expand(entry) if len(entry) <= MAX_ENTRY else None
            spare -= len(texts) if texts else 0
            if texts is None or spare < 0 or any(map(self._may_meet, texts)):
                yield entry

    def _may_meet(self, text: str) -> bool:
        """Tell whether an alternative may meet one of ours: the cheap questions come first."""
        if not self._heads[text[: text.find("/") + 1]]:
            return False
        cut = text.rfind("/") + 1
        rest = text[cut + OPENING :]
        opened = self._openings[text[cut : cut + OPENING]]
        may_end = opened & self._endings[rest[-ENDING:]] and opened & self._endings[rest]
        if not may_end and _has_own_last_segment(text, cut):
            return False
        return self._ends[text] != 0

    def run(self, tokens: Tokens) -> int:
        """Return the states that an alternative of theirs reaches in ours."""
        return self._walk(self._net.starts[tokens[:1] == ("/",)], tokens)

    def _reach_by_head(self, head: str) -> int:
        """Return the states that the directory part of an entry, up to a `/`, reaches."""
        states = self._net.starts[head[:1] == "/"]
        start = 0
        while start < len(head) and states:
            end = head.index("/", start) + 1
            if head[:end] not in self._heads:
                self._heads[head[:end]] = self._walk(states, lex(head[start:end]))
            states = self._heads[head[:end]]
            start = end
        return states

    def _reach_by_opening(self, opening: str) -> int:
        """Return the states that a last segment with this opening reaches, wherever it is."""
        states = self._segment_starts
        for letter in opening:
            if letter in "*?":
                break
            states = self._net.step(states, letter)
        return states | self._flood_segment(states)

    def _reach_an_end(self, ending: str) -> int:
        """Return the states from which a text with this ending reaches an end of ours."""
        states = self._net.ends
        for letter in reversed(ending):
            if letter in "*?" or not states:
                break
            states = self._net.step_back(states, letter)
        return states

    def _reach_ends(self, text: str) -> int:
        """Return the ends of ours that a whole alternative reaches."""
        cut = text.rfind("/") + 1
        states = self._heads[text[:cut]]
        return states and self._walk(states, lex(text[cut:]) or (TEXT,)) & self._net.ends

    def _walk(self, states: int, tokens: Sequence[str]) -> int:
        """Return the states that some text of the tokens reaches from some of these states."""
        net, moves = self._net, self._moves
        for token in tokens:
            if token == NAME:
                states |= self._flood_segment(states)
            elif token == TEXT:
                states |= _flood(states, self._across)
            elif token == DIRECTORIES:
                states |= net.step(states | _flood(states, self._across), "/")
            else:
                states = net.move(states, moves.get(token, net.other))
            if not states:
                break
        return states

    def _flood_segment(self, states: int) -> int:
        # A `**/` that already took a letter is left by a `/` alone: no row starts there.
        return _flood(states & ~self._net.directories, self._within)


def _flood(states: int, passable: int) -> int:
    """Return the states reached over passable ones: a carry runs up each row of set bits."""
    return ((states & passable) + passable) ^ passable


def _has_own_last_segment(text: str, cut: int) -> bool:
    """Tell whether what follows the last `/` is just the last segment of every path matched.

    Not so if it holds `**`, or follows a `**/` that begins inside a segment: `a**/c` is `ac` too.
    """
    if TEXT in text[cut:]:
        return False
    if not text.endswith(DIRECTORIES, 0, cut):
        return True
    return text.count(DIRECTORIES) == text.count("/**/") + text.startswith(DIRECTORIES)


def _first(findings: Iterator[Meeting | Unknown]) -> Meeting | Unknown | None:
    """Return the first meeting, else the first doubt, else None."""
    doubt: Unknown | None = None
    for finding in findings:
        if isinstance(finding, Meeting):
            return finding
        doubt = doubt or finding
    return doubt


class _Memo(dict[str, int]):
    """A function from text to states that remembers its answers."""

    __slots__ = ("_find",)

    def __init__(self, find: Callable[[str], int]) -> None:
        super().__init__()
        self._find = find

    def __missing__(self, text: str) -> int:
        states = self[text] = self._find(text)
        return states
