"""Do two scopes share a path? Exactly, with the shortest path that proves it.

Each alternative of an entry is an automaton whose state is the number of tokens behind it. Two
of them meet if a breadth-first walk through pairs of states, one letter a step, reaches both
ends. Two more things ride along: how far the current segment of the path has come, since only
valid paths count, and the states of a `Net`: everything that must *not* match the path.
Nothing backtracks, and nothing recurses over user text.
"""

from __future__ import annotations

from holdshort.core.entries import (
    DIRECTORIES,
    NAME,
    ONE,
    TEXT,
    WILDCARDS,
    Tokens,
    expand,
    has_control,
    is_control,
    is_glob,
    read_scope,
    tokenise,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MAX_STATES = 300_000
"""Pairs of states one question may look at; any one pair of entries fits: 4 x 257 x 257."""
MAX_STATES_OUTSIDE = 3_000
"""The same for one pair of alternatives while a `Net` rides along: that can be exponential."""

SKIPPABLE = frozenset((NAME, TEXT, DIRECTORIES))
CROSSING = frozenset((TEXT, DIRECTORIES))

BEGUN, DOT, DOTS, NAMED = range(4)
"""How far a segment has come. Each allows every ending that the ones before it allow."""


class Meeting:
    """Two entries as written, a path both match, and `kind`: "concrete" if one is a path."""

    __slots__ = ("kind", "ours", "theirs", "witness")

    def __init__(self, ours: str, theirs: str, witness: str) -> None:
        self.ours = ours
        self.theirs = theirs
        self.witness = witness
        self.kind = "glob" if is_glob(ours) and is_glob(theirs) else "concrete"

    def __repr__(self) -> str:
        return f"Meeting({self.ours!r}, {self.theirs!r}, {self.witness!r})"


class Unknown:
    """Cannot tell: a bound was hit."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"Unknown({self.reason!r})"


class Effort:
    """States looked at so far, and how many may be."""

    __slots__ = ("limit", "spent")

    def __init__(self, limit: int = MAX_STATES) -> None:
        self.limit = limit
        self.spent = 0


class Net:
    """Many alternatives as one automaton: a set of states is an int with a bit for each.

    Bit k stands before token k; the alternatives lie one after the other, each closed by an end
    bit. `moves` maps a letter to (bits it moves on, bits it leaves in place); `other` serves the
    letters that no alternative spells. `starts` is (for relative paths, for absolute paths).
    """

    __slots__ = ("directories", "ends", "moves", "other", "skips", "starts")

    def __init__(self, alternatives: Iterable[Tokens]) -> None:
        places: dict[str, list[int]] = {}
        starts: tuple[list[int], list[int]] = ([], [])
        ends: list[int] = []
        size = 0
        for tokens in alternatives:
            starts[_is_absolute(tokens)].append(size)
            for token in tokens:
                places.setdefault(token, []).append(size)
                size += 1
            ends.append(size)
            size += 1
        self.ends = _mask(ends, size)
        self._set_moves({token: _mask(at, size) for token, at in places.items()})
        self.starts = tuple(self.arrive(_mask(at, size)) for at in starts)

    def _set_moves(self, masks: dict[str, int]) -> None:
        one, name, text, self.directories = (
            masks.pop(wildcard, 0) for wildcard in (ONE, NAME, TEXT, DIRECTORIES)
        )
        self.skips = name | text | self.directories
        self.other = (one, name | text)
        self.moves = {letter: (mask | one, name | text) for letter, mask in masks.items()}
        self.moves["/"] = (masks.get("/", 0) | self.directories, text)

    def arrive(self, states: int) -> int:
        """Return the states just reached and those reached from them by no letter at all."""
        states |= (states & self.skips) << 1
        return states | (states & self.skips) << 1  # twice: `**/*` is the longest row of skips

    def step(self, states: int, letter: str) -> int:
        """Return the states after one more letter of a path."""
        return self.move(states, self.moves.get(letter, self.other))

    def move(self, states: int, how: tuple[int, int]) -> int:
        """Return the states after a move: (bits it moves on, bits it leaves in place)."""
        onward, stay = how
        moved = (states & onward) << 1 | states & stay
        if moved:
            moved = self.arrive(moved)
        # `**/` stays without arriving anew: it can be skipped only before it took a letter.
        return moved | states & self.directories

    def step_back(self, states: int, letter: str) -> int:
        """Return the states from which a letter leads to some of these states."""
        onward, stay = self.moves.get(letter, self.other)
        arriving = states | states >> 1 & self.skips
        arriving |= arriving >> 1 & self.skips
        return arriving >> 1 & onward | arriving & stay | states & self.directories

    def run(self, path: str) -> int:
        """Return the end bits of the alternatives that match a path; 0 for an invalid one."""
        if not self.ends or not is_path(path):
            return 0
        states = self.starts[path[0] == "/"]
        for letter in path:
            states = self.step(states, letter)
        return states & self.ends

    def stranger(self) -> str:
        """Return a letter, as readable as can be, that no alternative spells."""
        return next(letter for letter in _letters() if letter not in self.moves)


def is_path(path: str) -> bool:
    """Tell whether no segment is empty, `.` or `..`, and no character a control character."""
    names = path.split("/")[path[:1] == "/" :]
    return not has_control(path) and not any(name in ("", ".", "..") for name in names)


def matches(entry: str, path: str) -> bool:
    """Tell whether a canonical entry matches a valid path; False past the brace bound."""
    return Net(map(tokenise, expand(entry) or ())).run(path) != 0


def first_match(entries: Sequence[str], path: str) -> str | None:
    """Return the first of canonical entries that matches a valid path.

    What an entry spells before its first wildcard rules most of them out without any automaton.
    """
    for entry in entries:
        if path.startswith(_spelled(entry)) and (entry == path or matches(entry, path)):
            return entry
    return None


def _spelled(entry: str) -> str:
    cut = min((at for at in map(entry.find, "*?{") if at >= 0), default=len(entry))
    return entry[:cut]


def meet(
    ours: Sequence[str],
    theirs: Sequence[str],
    shared: Sequence[str] = (),
    effort: Effort | None = None,
) -> Meeting | Unknown | None:
    """Return where two scopes of canonical entries meet outside the shared ones, if they do.

    Of all pairs the one with the shortest witness, the first of equals. Every pair is looked at;
    `ScopeIndex` serves many scopes. A meeting outweighs entries that could not be read.
    """
    if not ours or not theirs:
        return None
    effort = effort or Effort()
    outside, unread_shared = net_of(shared)
    (our_side, unread), (their_side, unread_too) = read_scope(ours), read_scope(theirs)
    doubt = unread or unread_too
    best: Meeting | None = None
    for our_entry, our_tokens in our_side:
        for their_entry, their_tokens in their_side:
            path = find_path(our_tokens, their_tokens, outside, effort)
            if isinstance(path, Unknown):
                doubt = doubt or path.reason
            elif path and (best is None or len(path) < len(best.witness)):
                best = Meeting(our_entry, their_entry, path)
    if best and unread_shared:
        return Unknown(unread_shared)
    return best or (Unknown(doubt) if doubt else None)


def net_of(entries: Sequence[str]) -> tuple[Net, str]:
    """Return the net of a scope, and why some of its entries are missing or ''."""
    read, unread = read_scope(entries)
    return Net(tokens for _, tokens in read), unread


def find_path(ours: Tokens, theirs: Tokens, outside: Net, effort: Effort) -> str | Unknown | None:
    """Return the shortest valid path that both alternatives and nothing outside match."""
    path = Walk(ours, theirs, NOTHING).find(effort)
    if not isinstance(path, str) or not outside.run(path):
        return path
    return Walk(ours, theirs, outside).find(effort)


class Walk:
    """The breadth-first walk through (our state, their state, segment, states of the net)."""

    __slots__ = ("_came", "_net", "_ours", "_queue", "_seen", "_stranger", "_theirs")

    def __init__(self, ours: Tokens, theirs: Tokens, net: Net) -> None:
        self._ours = _Side(ours)
        self._theirs = _Side(theirs)
        self._net = net
        self._stranger = net.stranger()
        self._queue: list[tuple[int, int, int, int]] = []
        self._came: list[tuple[int, str]] = []
        self._seen: dict[tuple[int, int], list[tuple[int, int]]] = {}

    def find(self, effort: Effort) -> str | Unknown | None:
        """Return the shortest path that leads to both ends and is not in the net."""
        absolute = _is_absolute(self._ours.tokens) and _is_absolute(self._theirs.tokens)
        self._reach(
            (self._ours.arrivals[0], self._theirs.arrivals[0]),
            (NAMED if absolute else BEGUN, self._net.starts[absolute]),
            (-1, ""),
        )
        our_end, their_end = self._ours.end, self._theirs.end
        for at, state in enumerate(self._queue):  # which grows
            if state[0] != our_end:
                self._leave(at, state)
            elif state[1] == their_end and state[2] == NAMED and not state[3] & self._net.ends:
                return self._path_to(at)
            effort.spent += 1
            if effort.spent > effort.limit or self._is_beyond_bound():
                return Unknown("too many possible paths to look at")
        return None

    def _is_beyond_bound(self) -> bool:
        return self._net is not NOTHING and len(self._queue) > MAX_STATES_OUTSIDE

    def _leave(self, at: int, state: tuple[int, int, int, int]) -> None:
        our_at, their_at, segment, held = state
        for letter in self._letters_of(self._ours.tokens[our_at], self._theirs.tokens[their_at]):
            after = segment_after(segment, letter)
            if after is not None:
                self._reach(
                    (self._ours.after(our_at, letter), self._theirs.after(their_at, letter)),
                    (after, held and self._net.step(held, letter)),
                    (at, letter),
                )

    def _letters_of(self, ours: str, theirs: str) -> tuple[str, ...]:
        """Return the letters worth trying where two tokens both take one.

        Where both are wildcards, a letter that no token of the net spells allows all that any
        other letter allows, save `/`: it gets as far in the segment and stays out of the net.
        """
        if ours in WILDCARDS and theirs in WILDCARDS:
            both_cross = ours in CROSSING and theirs in CROSSING
            return (self._stranger, "/") if both_cross else (self._stranger,)
        letter = theirs if ours in WILDCARDS else ours
        return (letter,) if takes(ours, letter) and takes(theirs, letter) else ()

    def _reach(
        self,
        arrivals: tuple[tuple[int, ...], tuple[int, ...]],
        ridden: tuple[int, int],
        came: tuple[int, str],
    ) -> None:
        for our_at in arrivals[0]:
            for their_at in arrivals[1]:
                half_done = (our_at == self._ours.end) != (their_at == self._theirs.end)
                if not half_done and self._is_new(our_at, their_at, ridden):
                    self._queue.append((our_at, their_at, *ridden))
                    self._came.append(came)

    def _is_new(self, our_at: int, their_at: int, ridden: tuple[int, int]) -> bool:
        """Tell whether no state seen at this pair allows everything that this one allows."""
        seen = self._seen.get((our_at, their_at))
        if seen is None:
            self._seen[our_at, their_at] = [ridden]
            return True
        segment, held = ridden
        for segment_seen, held_seen in seen:
            if segment <= segment_seen and not held_seen & ~held:
                return False
        seen.append(ridden)
        return True

    def _path_to(self, at: int) -> str:
        letters: list[str] = []
        while at >= 0:
            at, letter = self._came[at]
            letters.append(letter)
        return "".join(reversed(letters))


class _Side:
    """The tokens of one alternative; `arrivals[k]` are the states that state k is and skips to."""

    __slots__ = ("arrivals", "end", "tokens")

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.end = len(tokens)
        self.arrivals: list[tuple[int, ...]] = [(self.end,)]
        for at in reversed(range(self.end)):
            further = self.arrivals[-1] if tokens[at] in SKIPPABLE else ()
            self.arrivals.append((at, *further))
        self.arrivals.reverse()

    def after(self, at: int, letter: str) -> tuple[int, ...]:
        """Return the states after the token of a state has taken a letter."""
        token = self.tokens[at]
        if token in (NAME, TEXT):
            return self.arrivals[at]
        if token == DIRECTORIES:
            # It stays without arriving anew: it can be skipped only before it took a letter.
            return (at, *self.arrivals[at + 1]) if letter == "/" else (at,)
        return self.arrivals[at + 1]


def takes(token: str, letter: str) -> bool:
    """Tell whether a token can take a letter."""
    return token == letter or token in CROSSING or (token in (ONE, NAME) and letter != "/")


def segment_after(segment: int, letter: str) -> int | None:
    """Return how far the segment has come after a letter, None if no valid path has it there."""
    if letter == "/":
        return BEGUN if segment == NAMED else None
    if letter == ".":
        return min(segment + 1, NAMED)
    return None if is_control(letter) else NAMED


def _is_absolute(tokens: Tokens) -> bool:
    return tokens[:1] == ("/",)


def _mask(places: Iterable[int], size: int) -> int:
    """Return an int of `size` bits with the bits at `places` set, in linear time."""
    octets = bytearray(size // 8 + 1)
    for place in places:
        octets[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(octets, "little")


def _letters() -> Iterator[str]:
    yield from "xyzabcdefghijklmnopqrstuvw0123456789XYZABCDEFGHIJKLMNOPQRSTUVW"
    yield from map(chr, range(0x4E00, 0x110000))  # ideographs first: letters, no accents to join


NOTHING = Net(())
