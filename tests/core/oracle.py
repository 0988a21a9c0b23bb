"""What the token table of scope entries says, worked out by other means than the product's.

Each entry becomes a regular expression, straight from the table, and interegular (or greenery)
makes a finite automaton of it. Nothing here imports `holdshort`.
"""

from __future__ import annotations

import random
import re
from collections import deque
from functools import cache
from typing import TYPE_CHECKING, Any

import greenery  # type: ignore[import-untyped]
import interegular
from interegular.fsm import FSM, anything_else

if TYPE_CHECKING:
    from collections.abc import Sequence

# A segment is not empty, not "." and not "..".
SEGMENT = r"([^/.]|\.[^/.]|\.\.[^/])[^/]*"
VALID_PATH = f"{SEGMENT}(/{SEGMENT})*"

REGEX_OF_TOKEN = {"*": "[^/]*", "?": "[^/]", "**": "(.|\n)*", "**/": "((.|\n)*/)?"}
STRANGER = "\N{SNOWMAN}"  # stands for every character that no automaton names


def regex_of(entry: str) -> str:
    """Return a regular expression in the syntax that both libraries share."""
    return "|".join(_regex_of_alternative(text) for text in alternatives_of(entry))


def alternatives_of(entry: str) -> list[str]:
    """Expand the innermost brace list first, until none is left."""
    inner = re.search(r"\{([^{}]*,[^{}]*)\}", entry)
    if inner is None:
        return [entry]
    before, after = entry[: inner.start()], entry[inner.end() :]
    return [
        text
        for choice in inner.group(1).split(",")
        for text in alternatives_of(before + choice + after)
    ]


def _regex_of_alternative(entry: str) -> str:
    below = "(.|\n)*" if entry.endswith("/") else ""
    parts = re.findall(r"\*\*/|\*\*|\*|\?|[^*?]", entry)
    return "".join(REGEX_OF_TOKEN.get(part) or _literal(part) for part in parts) + below


def _literal(character: str) -> str:
    return "\\" + character if character in r"\.+()[]{}|^$-&~#" else character


@cache
def automaton_of(entry: str) -> FSM:
    return interegular.parse_pattern(regex_of(entry)).to_fsm()


VALID = interegular.parse_pattern(VALID_PATH).to_fsm()


def shortest(inside: list[str], outside: Sequence[str] = ()) -> int | None:
    """Return the length of the shortest valid path in all of `inside`, in none of `outside`."""
    fsms = [VALID, *map(automaton_of, inside), *map(automaton_of, outside)]
    wanted = [True] * (1 + len(inside)) + [False] * len(outside)
    named = {key for fsm in fsms for key in fsm.alphabet if key is not anything_else}
    letters = [[fsm.alphabet[letter] for fsm in fsms] for letter in [*sorted(named), STRANGER]]
    start: list[Any] = [fsm.initial for fsm in fsms]
    queue = deque([(0, start)])
    seen = {tuple(start)}
    while queue:
        length, states = queue.popleft()
        if [state in fsm.finals for state, fsm in zip(states, fsms, strict=True)] == wanted:
            return length
        for keys in letters:
            after = [_next(*step) for step in zip(fsms, states, keys, strict=True)]
            dead = any(state is None and want for state, want in zip(after, wanted, strict=True))
            if not dead and tuple(after) not in seen:
                seen.add(tuple(after))
                queue.append((length + 1, after))
    return None


def _next(fsm: FSM, state: Any, key: Any) -> Any:
    return fsm.map[state].get(key) if state in fsm.map else None


def disjoint(ours: str, theirs: str) -> bool:
    """Tell by the library's own product, not by `shortest`, whether two entries share no path.

    The product and not its `isdisjoint`, which is wrong for `bax/*` and `bax/**/?a`.
    """
    return bool((automaton_of(ours) & automaton_of(theirs) & VALID).empty())


def agrees(entry: str, path: str) -> bool:
    """Tell whether an entry matches a valid path, by the standard library's engine."""
    return is_valid(path) and re.fullmatch(regex_of(entry), path) is not None


def is_valid(path: str) -> bool:
    return (
        re.fullmatch(VALID_PATH, path) is not None
        and re.search(r"[\x00-\x1f\x7f-\x9f]", path) is None
    )


@cache
def greenery_automaton_of(entry: str) -> greenery.Fsm:
    return greenery.parse(regex_of(entry)).to_fsm()


GREENERY_VALID = greenery.parse(VALID_PATH).to_fsm()


def disjoint_says_greenery(ours: str, theirs: str) -> bool:
    both = greenery_automaton_of(ours) & greenery_automaton_of(theirs) & GREENERY_VALID
    return bool(both.empty())


def families(seed: int, count: int) -> list[list[str]]:
    """Return groups of six related entries: one path and a slip of the pen away, made general."""
    rng = random.Random(seed)
    return [_family(rng) for _ in range(count)]


def _family(rng: random.Random) -> list[str]:
    segments = [_segment(rng) for _ in range(rng.randint(1, 4))]
    entries: list[str] = []
    while len(entries) < 6:
        near = segments if len(entries) < 1 else _slip(rng, segments)
        entry = _generalise(rng, near)
        if "***" not in entry and len(entry) < 40:
            entries.append(entry)
    return entries


def _segment(rng: random.Random) -> str:
    while True:
        name = "".join(rng.choice("aabbcx.") for _ in range(rng.randint(1, 4)))
        if name not in (".", ".."):
            return name


def _slip(rng: random.Random, segments: list[str]) -> list[str]:
    changed = list(segments)
    at = rng.randrange(len(changed))
    slip = rng.random()
    if slip < 0.2:
        changed.insert(at, _segment(rng))
    elif slip < 0.4 and len(changed) > 1:
        del changed[at]
    else:
        middle = rng.randrange(len(changed[at]) + 1)
        changed[at] = (
            changed[at][:middle] + rng.choice("abcx") + changed[at][middle + rng.randint(0, 1) :]
        )
    return changed


def _generalise(rng: random.Random, segments: list[str]) -> str:
    parts = list(segments)
    for _ in range(rng.choice((1, 1, 1, 2, 2))):
        at = rng.randrange(len(parts))
        parts[at : at + 1] = [rng.choice(LOOSER)(rng, parts[at])]
    text = "/".join(parts)
    if rng.random() < 0.15:
        start, end = sorted(rng.randrange(len(text) + 1) for _ in range(2))
        text = text[:start] + "**" + text[end:]
    return text + "/" if rng.random() < 0.1 and not text.endswith("/") else text


def _with_star(rng: random.Random, part: str) -> str:
    start, end = sorted(rng.randrange(len(part) + 1) for _ in range(2))
    return part[:start] + "*" + part[end:]


def _with_question_mark(rng: random.Random, part: str) -> str:
    at = rng.randrange(len(part))
    return part[:at] + "?" + part[at + 1 :]


def _with_braces(rng: random.Random, part: str) -> str:
    if "{" in part or "*" in part:
        return part
    at = rng.randrange(len(part))
    return f"{part[:at]}{{{part[at]},{rng.choice(['b', 'xa', 'a/b'])}}}{part[at + 1 :]}"


def _with_directories(_rng: random.Random, part: str) -> str:
    return "**/" + part if "*" not in part[:1] else part


LOOSER = (
    _with_star,
    _with_star,
    _with_question_mark,
    _with_braces,
    _with_directories,
    lambda _rng, _part: "*",
    lambda _rng, _part: "**",
)
