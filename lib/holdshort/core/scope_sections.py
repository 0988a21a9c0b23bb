"""Whose section of the prompt a line stands in."""

from __future__ import annotations

from holdshort.core.scope_labels import MINE, Label, Names

NOT_HEADED = 99
"""The level of a marker that is a label, so that every heading is above it."""

BOLD = 7
"""The level of a bold line or a tag that serves as a heading."""

FORBIDDEN_OWNER = "forbidden"


class Sections:
    """The headings above a line, each with the agent it names, and the last label's owner."""

    __slots__ = ("label_owner", "levels_of_own_name", "names", "stack")

    def __init__(self, names: Names) -> None:
        self.names = names
        self.stack: list[tuple[int, str]] = []
        self.label_owner = ""
        self.levels_of_own_name: set[int] = set()

    def open(self, level: int, text: str, label: Label) -> None:
        """Enter a section; those of its level and below end."""
        self.close(level)
        named = self.names.are_in(text)
        owner = label.owner or (MINE if named else "")
        if label.kind != "write" and not label.strength and owner != MINE:
            owner = owner or FORBIDDEN_OWNER
        self.stack.append((level, owner))
        self.label_owner = ""
        if owner == MINE and named:
            self.levels_of_own_name.add(level)

    def close(self, level: int) -> None:
        """Leave the sections of this level and below."""
        while self.stack and self.stack[-1][0] >= level:
            self.stack.pop()

    def owner(self, *, used: bool) -> str:
        """Give the agent whose block a marker opens here.

        `used`: a list or fence has stood since the headline, so a label over it and a `do not
        touch` have had what they speak of.
        """
        if used:
            self.label_owner = ""
            if self.stack and self.stack[-1][1] == FORBIDDEN_OWNER:
                self.stack[-1] = (self.stack[-1][0], "")
        return self.label_owner or next((owner for _, owner in reversed(self.stack) if owner), "")
