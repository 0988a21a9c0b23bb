"""One line of a scope block: the paths it names, or why it names none.

A line goes through three steps, each a pass from left to right: its bullet is taken off, it is cut
into tokens (a quoted run, a link target, or the text up to a blank or comma outside brackets), and
the tokens are judged together, since `src/a.py the parser` is a path with a note and
`fix the parser` is prose.
"""

from __future__ import annotations

from holdshort.core.path_words import (
    ARROWS,
    BIDI,
    CONNECTORS,
    DEEDS,
    EXTENSIONLESS,
    NO_NAMES,
    NOTE_SIGNS,
    OPEN_NOTES,
    READ_NOTES,
    SENTENCE_WORDS,
    TAILS,
)
from holdshort.core.scope_tokens import INVISIBLE, Token, tokens_of

LONGEST_ENTRY = 256
"""Characters of one entry (design.md, section 3, bounds)."""

LONGEST_NOTE = 8
"""Words that may follow a path without a sign between them and still be a note, not a sentence."""

PROSE = "reads as prose, not as a path"
TOO_LONG = "longer than 256 characters"
NO_ADDRESS = "a web address, not a path"
NO_VALUE = "a placeholder or variable, not a path"
UNPRINTABLE = "holds characters that no path should"
EXCLUSION = "reads as an exclusion"
NOT_WRITABLE = "marked as not to be written"


def read_line(line: str, *, loose: bool = True) -> tuple[tuple[str, ...], str, str]:
    """Give the paths of a line without its bullet, why not all of it was understood, and its note.

    A loose reader takes one bare word (`src`) for a path, a strict one wants a sign of a path.
    """
    text = _unwrap(line)
    if text.strip("`\"'") == ".":
        return (".",), "", ""
    if not text or text[0] == "#" or not any(sign.isalnum() or sign in "*.~/" for sign in text):
        return (), "", ""
    tokens, note = _before_note(_without_deed(tokens_of(text)))
    if not tokens:
        return (), "" if note else PROSE, note
    if says_read(note):
        return (), NOT_WRITABLE, note
    if tokens[0].text.startswith("!"):
        return (), EXCLUSION, note
    return (*_judge(tokens, loose=loose), note)


def says_read(note: str) -> bool:
    """Tell whether this is the note of a file that is not to be written."""
    text = note[:LONGEST_ENTRY].lower().replace("\u2019", "'").strip(" ()[]*_`#:-\u2013—.!,;")
    for start in READ_NOTES:
        rest = text[len(start) :]
        if text.startswith(start) and not rest[:1].isalnum():
            return start in OPEN_NOTES or rest in TAILS or rest[0] in ",;:.(-\u2013—"
    return False


def _unwrap(line: str) -> str:
    """Take off what wraps a whole line: bold, a JSON list, trailing commas."""
    text = line.strip(INVISIBLE)
    if text.startswith("**") and text[2:3] not in ("/", "*", ""):
        close = text.find("**", 2)
        close += 2 * text.startswith("****", close)
        if close > 0 and text[close + 2 : close + 3] in ("", *" \t:,;.—\u2013"):
            text = text[2:close] + text[close + 2 :]
    inner = text.rstrip(", ")
    if inner[:1] == "[" and inner[-1:] == "]" and inner[1:].lstrip()[:1] in ("'", '"', "`"):
        return inner[1:-1]
    return text


def _without_deed(tokens: list[Token]) -> list[Token]:
    """Drop `create`, `NEW:`, `modified:` before the path they speak of."""
    for index, token in enumerate(tokens[:-1]):
        if token.quoted or token.text.strip(":*_").lower() not in DEEDS:
            return tokens[index:]
    return tokens[-1:]


def _before_note(tokens: list[Token]) -> tuple[list[Token], str]:
    """Split the tokens at the first sign of a note."""
    kept: list[Token] = []
    for index, token in enumerate(tokens):
        if not token.quoted and _opens_note(token.text):
            if kept or token.text[0] != "(":
                return kept, _joined(tokens[index:])
            continue
        if token.quoted or token.text not in ARROWS:
            kept.append(token)
        if _is_followed_by_note(token, tokens[index + 1 : index + 2]):
            return kept, _joined(tokens[index + 1 :])
    return kept, ""


def _opens_note(text: str) -> bool:
    if text[0] == "(":
        return ")/" not in text
    return text in NOTE_SIGNS or text.startswith(("#", "//", "<!--"))


def _is_followed_by_note(token: Token, after: list[Token]) -> bool:
    if token.text[-1:] == ":" and not token.quoted:
        return True
    return token.wide and not token.comma and not (after and has_path_sign(after[0].text))


def _joined(tokens: list[Token]) -> str:
    return " ".join([token.text for token in tokens[: 2 * LONGEST_NOTE]])


def _judge(tokens: list[Token], *, loose: bool) -> tuple[tuple[str, ...], str]:
    """Take the run of paths at the start; what follows must be able to be a note."""
    paths: list[str] = []
    reason = ""
    for index, token in enumerate(tokens):
        alone = len(tokens) == 1 or (bool(paths) and _stands_apart(tokens, index))
        names, why = clean(token, loose=loose and alone)
        if not names and not why and paths and token.text.lower() in CONNECTORS:
            continue
        if not names and not why:
            return _with_tail(paths, tokens[index:], reason)
        paths += names
        reason = reason or why
    return tuple(paths), reason


def _stands_apart(tokens: list[Token], index: int) -> bool:
    before = tokens[index - 1]
    opened = before.comma or before.text.lower() in CONNECTORS
    return opened and (tokens[index].comma or index + 1 == len(tokens))


def _with_tail(paths: list[str], tail: list[Token], reason: str) -> tuple[tuple[str, ...], str]:
    words = [token.text.lower().strip(".,:;!") for token in tail[: LONGEST_NOTE + 1]]
    if not paths or len(words) > LONGEST_NOTE or not SENTENCE_WORDS.isdisjoint(words):
        return (), PROSE
    if says_read(" ".join(words)):
        return (), NOT_WRITABLE
    return tuple(paths), reason


def clean(token: Token, *, loose: bool) -> tuple[list[str], str]:
    """Give the entries of one token (several in one pair of backticks), or the reason for none."""
    text = token.text
    if token.quoted and ", " in text and len(text) <= LONGEST_ENTRY:
        parts = text.split(", ")
        if all(has_path_sign(part) for part in parts):
            return [without_place(part) for part in parts], ""
    text = without_place(text.strip() if token.quoted else _trimmed(text))
    if not text or not (has_path_sign(text) or (loose and _is_bare_name(text))):
        return [], ""
    reason = _refusal(text, quoted=token.quoted)
    return ([], reason) if reason else ([_folded(text)], "")


def _trimmed(text: str) -> str:
    """Drop what clings to an unquoted path: punctuation, lone brackets, a note in parentheses."""
    text = text.strip("`\"'“”\u2018\u2019").rstrip(",;:!")
    if text.endswith("/..."):
        return text[:-3]
    if text.endswith(".") and text.strip("./"):
        text = text.rstrip(".")
    for sign, other in (")(", "][", "}{"):
        if text.endswith(sign) and text.count(sign) > text.count(other):
            text = text[:-1]
    if text.startswith("(") and text.count("(") > text.count(")"):
        text = text[1:]
    note = text.rfind("(")
    if text.endswith(")") and "." in text[text.rfind("/") + 1 : max(note, 0)]:
        text = text[:note]
    return text


def without_place(text: str) -> str:
    """Drop a place inside the file: `:10-40`, `:12:5`, `#L10-L20`, `::test_x`."""
    anchor = text.rfind("#L")
    if anchor > 0 and text[anchor + 2 : anchor + 3].isdigit():
        text = text[:anchor]
    colon = text.find(":", max(text.rfind("/") + 1, 2))
    head, rest = text[:colon], text[colon + 1 :]
    if colon < 0:
        head, colon, rest = text.partition(":")[0], text.find(":"), text.partition(":")[2]
        return rest if rest and head.lower() in DEEDS else text
    if not rest or rest[0].isdigit() or rest[0] == ":" or "." in head[head.rfind("/") + 1 :]:
        return head
    return text


def has_path_sign(text: str) -> bool:
    """Tell whether a slash, a star, an extension or a known name makes it more than a word."""
    lowered = text.lower()
    if lowered in NO_NAMES or not any(sign.isalnum() or sign in "*~." for sign in text[:8]):
        return False
    if "/" in text or "\\" in text:
        return True
    if "*" in text:
        return text in ("*", "**") or bool(text.strip("*"))
    return lowered in EXTENSIONLESS or _has_extension(text)


def _has_extension(text: str) -> bool:
    stem, dot, extension = text.rpartition(".")
    if not dot or not extension.isalnum() or len(extension) > 8 or "(" in text:
        return bool(dot) and not stem and len(extension) > 8 and extension.isidentifier()
    if not stem or extension.isdigit():
        return (bool(stem) and not stem[-1].isdigit()) or (len(extension) > 1 and not stem)
    return stem[-1] not in " ." or stem == "."


def _is_bare_name(text: str) -> bool:
    lowered = text.lower()
    if lowered in NO_NAMES or lowered in DEEDS or len(text) < 2:
        return False
    return all(sign.isalnum() or sign in "_-.@+" for sign in text) and (
        text[0].isalnum() or text[0] in "._"
    )


def _refusal(text: str, *, quoted: bool) -> str:
    if len(text) > LONGEST_ENTRY:
        return TOO_LONG
    if "://" in text:
        return NO_ADDRESS
    if (
        (text[0] == "$" and (text[1:2].isupper() or text[1:2] == "{"))
        or "${" in text
        or "<" in text
    ):
        return NO_VALUE
    if any(sign < " " or "\x7f" <= sign < "\xa0" or "\ud800" <= sign <= "\udfff" for sign in text):
        return UNPRINTABLE
    if not BIDI.isdisjoint(text):
        return UNPRINTABLE
    return PROSE if not quoted and " " in _folded(text) else ""


def _folded(text: str) -> str:
    """Write `{f, g}` as `{f,g}`; nothing else changes."""
    if "{" in text and ", " in text:
        return text.replace(", ", ",")
    return text
