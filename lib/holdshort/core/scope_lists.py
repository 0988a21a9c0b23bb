"""Where a list of paths begins and where it ends."""

from __future__ import annotations

from holdshort.core.path_words import DEEDS, EXTENSIONLESS
from holdshort.core.scope_blocks import indent_of, is_nothing
from holdshort.core.scope_fences import fence_of
from holdshort.core.scope_labels import Marks, label_parts
from holdshort.core.scope_lines import read_line
from holdshort.core.scope_tokens import strip_bullet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_HEAD = 40
"""Characters of a label before a path on one line (`write: src/a.py`)."""


def starts_list(text: str, marks: Marks, *, bullet: bool) -> bool:
    """Tell whether this line is an item, or as good as one, and not a marker itself."""
    head, rest = label_parts(text) or ("", "")
    if head and marks.around(head) is not None:
        return False
    if bullet or is_nothing(text):
        return True
    if head:
        return len(head) < LONGEST_HEAD and bool(read_line(rest, loose=False)[0])
    if not _may_begin_with_path(text):
        return False
    return bool(read_line(text, loose=False)[0]) and marks.around(text) is None


def _may_begin_with_path(text: str) -> bool:
    """Tell at a glance that a sentence is none: its first word is a plain one."""
    first = text[:LONGEST_HEAD].split(None, 1)[0].lower()
    return not first.isalpha() or first in DEEDS or first in EXTENSIONLESS


def list_end(lines: Sequence[str], start: int, marks: Marks, mark_indent: int) -> int:
    """Give the line after the last of a list; `mark_indent` is that of a marker which is an item.

    A bare list has no bullets: each of its lines must be a path.
    """
    bare = not strip_bullet(lines[start])[1]
    base = indent_of(lines[start])
    at = start + 1
    while at < len(lines) and _belongs(lines[at], base, marks, mark_indent, bare=bare):
        at += 1
    return at


def _belongs(raw: str, base: int, marks: Marks, mark_indent: int, *, bare: bool) -> bool:
    line = raw.strip()
    if not line:
        return True
    if fence_of(line) is not None or line[0] in "<|>" or (line[0] == "#" and not bare):
        return False
    text, bullet = strip_bullet(line)
    head = (label_parts(text) or ("", ""))[0]
    if head and marks.around(head) is not None:
        return False
    if bullet and not bare:
        return indent_of(raw) > mark_indent
    if bare and line[0] == "#":
        return True
    return (not bare and indent_of(raw) > base) or bool(read_line(text, loose=bullet)[0])
