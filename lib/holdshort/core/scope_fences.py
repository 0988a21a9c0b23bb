"""Where a fence opens and where it ends, closed or not."""

from __future__ import annotations

from holdshort.core.scope_labels import label_parts
from holdshort.core.scope_lines import read_line
from holdshort.core.scope_tokens import strip_bullet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def fence_of(line: str) -> tuple[str, str] | None:
    """Give the run of fence signs that opens this line, and its info string."""
    sign = line[:3]
    if sign not in ("```", "~~~"):
        return None
    info = line.lstrip(sign[0])
    return (
        None if sign[0] in info and sign == "```" else (line[: len(line) - len(info)], info.strip())
    )


class Fences:
    """The fences of a prompt; asked from the top down, so that the whole walk stays linear."""

    __slots__ = ("closers", "lines")

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = lines
        self.closers = {sign: _Closers(lines, sign) for sign in "`~"}

    def end(self, start: int, run: str, *, scope: bool) -> tuple[int, int]:
        """Give the line after the last of the body, and the line to go on with.

        A fence without scope ends as Markdown says. That of a scope also ends where another fence
        opens, or where the last path carries the closing run.
        """
        if not scope and not self.closers[run[0]].has_after(start, len(run)):
            return self._loose_end(start, len(self.lines))
        for at in range(start + 1, len(self.lines)):
            line = self.lines[at].strip()
            if line.startswith(run):
                if not line.strip(run[0]):
                    return at, at + 1
                if scope and fence_of(line) is not None:
                    return self._loose_end(start, at)
            elif scope and line.endswith(run) and line[:3] != run[:3]:
                return at + 1, at + 1
        return self._loose_end(start, len(self.lines))

    def _loose_end(self, start: int, limit: int) -> tuple[int, int]:
        """End an unclosed fence where prose follows a blank line."""
        for at in range(start + 2, limit):
            if not self.lines[at - 1].strip() and _is_prose(self.lines[at].strip()):
                return at, at
        return limit, limit


class _Closers:
    """The lines that could close a fence of one sign; asked from the top of the prompt down."""

    __slots__ = ("at", "lines", "longest")

    def __init__(self, lines: Sequence[str], sign: str) -> None:
        self.lines = [at for at, line in enumerate(lines) if sign * 3 in line]
        self.longest = [0] * (len(self.lines) + 1)
        self.at = 0
        for index in range(len(self.lines) - 1, -1, -1):
            line = lines[self.lines[index]].strip()
            length = len(line) if not line.strip(sign) else 0
            self.longest[index] = max(length, self.longest[index + 1])

    def has_after(self, line: int, length: int) -> bool:
        """Tell whether a closer of this length stands below that line."""
        while self.at < len(self.lines) and self.lines[self.at] <= line:
            self.at += 1
        return self.longest[self.at] >= length


def _is_prose(line: str) -> bool:
    text = strip_bullet(line)[0]
    if not text or (line[0] == "#" and line[1:2] != "#" and len(text) < 60):
        return False
    parts = label_parts(text)
    if parts is not None and not parts[1] and " " not in parts[0].strip():
        return False
    return " " in text and not read_line(text)[0]
