"""The options and operands of a program's arguments."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence


class Options:
    """given: the values of each option by its name, `i` or `in-place`. operands: the rest, in order."""

    __slots__ = ("given", "operands")

    def __init__(self) -> None:
        self.given: dict[str, list[str]] = {}
        self.operands: list[str] = []

    def has(self, *names: str) -> bool:
        """Whether one of the options was given."""
        return any(name in self.given for name in names)

    def values(self, *names: str) -> list[str]:
        """The values of these options."""
        return [value for name in names for value in self.given.get(name, ())]

    def note(self, name: str, value: str = "") -> None:
        """Add one option."""
        self.given.setdefault(name, []).append(value)


def read_options(
    arguments: Sequence[str],
    valued: str = "",
    long: Collection[str] = (),
    attached: str = "",
    *,
    stops: bool = False,
) -> Options:
    """Read arguments as `getopt_long` does.

    valued: letters that take a value, from the next argument if need be. long: names that do. attached:
    letters that take only what is glued to them. stops: the first operand ends the options.
    """
    found = Options()
    at = 0
    while at < len(arguments):
        argument = arguments[at]
        at += 1
        if argument == "--" or (stops and (argument[:1] != "-" or argument == "-")):
            found.operands += arguments[at - (argument != "--") :]
            break
        if argument[:1] != "-" or argument == "-":
            found.operands.append(argument)
        elif argument.startswith("--"):
            name, equals, value = argument[2:].partition("=")
            takes_next = not equals and name in long and at < len(arguments)
            found.note(name, arguments[at] if takes_next else value)
            at += takes_next
        else:
            at += _cluster(argument[1:], arguments, at, found, valued, attached)
    return found


def _cluster(
    letters: str, arguments: Sequence[str], at: int, found: Options, valued: str, attached: str
) -> int:
    """Note the options of one `-abc`; how many of the next arguments it took."""
    for place, letter in enumerate(letters):
        rest = letters[place + 1 :]
        if letter in attached:
            found.note(letter, rest)
            return 0
        if letter in valued:
            takes_next = not rest and at < len(arguments)
            found.note(letter, arguments[at] if takes_next else rest)
            return int(takes_next)
        found.note(letter)
    return 0
