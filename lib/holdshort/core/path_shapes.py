"""What a path looks like, what clings to one, and what is none although it looks so."""

from __future__ import annotations

from holdshort.core.path_words import BIDI, DEEDS, EXTENSIONLESS, NO_NAMES

LONGEST_ENTRY = 256
"""Characters of one entry (design.md, section 3, bounds)."""

LONGEST_EXTENSION = 8
AFTER_DRIVE = 2
"""Where a colon can stand that is not that of a drive letter."""

PLACES = frozenset("0123456789:")
PROSE = "reads as prose, not as a path"
TOO_LONG = "longer than 256 characters"
NO_ADDRESS = "a web address, not a path"
NO_VALUE = "a placeholder or variable, not a path"
UNPRINTABLE = "holds characters that no path should"


def without_place(text: str) -> str:
    """Drop a place inside the file (`:10-40`, `#L7`, `::test_x`), and a `NEW:` before it."""
    anchor = text.rfind("#L")
    if anchor > 0 and text[anchor + 2 : anchor + 3].isdigit():
        text = text[:anchor]
    deed, colon, path = text.partition(":")
    if colon and path and deed.lower() in DEEDS:
        text = path
    at = text.find(":", max(text.rfind("/") + 1, AFTER_DRIVE))
    head, place = text[: max(at, 0)], text[at + 1 :]
    if at < 0 or (place and place[0] not in PLACES and "." not in head[head.rfind("/") + 1 :]):
        return text
    return head


def has_path_sign(text: str) -> bool:
    """Tell whether a slash, a star, an extension or a known name makes it more than a word."""
    lowered = text.lower()
    if lowered in NO_NAMES or not any(sign.isalnum() or sign in "*~._" for sign in text[:8]):
        return False
    if "/" in text or "\\" in text:
        return True
    if "*" in text:
        return text in ("*", "**") or bool(text.strip("*"))
    return lowered in EXTENSIONLESS or _has_extension(text)


def _has_extension(text: str) -> bool:
    stem, dot, extension = text.rpartition(".")
    if not dot or "(" in text:
        return False
    if not stem:
        return len(extension) > 1 and extension.replace("-", "").replace("_", "").isalnum()
    if not extension.isalnum() or len(extension) > LONGEST_EXTENSION or stem[-1] in " .":
        return False
    return not (extension.isdigit() and stem[-1].isdigit())


def is_bare_name(text: str) -> bool:
    """Tell a word that may name a directory or a file without extension: `src`."""
    lowered = text.lower()
    if lowered in NO_NAMES or lowered in DEEDS or len(text) == 1:
        return False
    return text[0] not in "-@+" and all(sign.isalnum() or sign in "_-.@+" for sign in text)


def refusal_of(text: str, *, quoted: bool) -> str:
    """Say why this is no entry although it looks like a path; empty: it is one."""
    if len(text) > LONGEST_ENTRY:
        return TOO_LONG
    if "://" in text:
        return NO_ADDRESS
    if "${" in text or "<" in text or (text[0] == "$" and text[1:2].isupper()):
        return NO_VALUE
    if not BIDI.isdisjoint(text) or any(_is_unprintable(sign) for sign in text):
        return UNPRINTABLE
    return PROSE if not quoted and " " in folded(text) else ""


def _is_unprintable(sign: str) -> bool:
    return sign < " " or "\x7f" <= sign < "\xa0" or "\ud800" <= sign <= "\udfff"


def folded(text: str) -> str:
    """Write `{f, g}` as `{f,g}`; nothing else changes."""
    if "{" in text and ", " in text:
        return text.replace(", ", ",")
    return text
