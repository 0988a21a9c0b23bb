"""One line of a scope block: the paths it names, or why it names none.

A line goes through three steps, each a pass from left to right: its bullet is taken off, it is cut
into tokens (a quoted run, a link target, or the text up to a blank or comma outside brackets), and
the tokens are judged together, since `src/a.py the parser` is a path with a note and
`fix the parser` is prose.
"""

from __future__ import annotations

from holdshort.core.path_shapes import (
    LONGEST_ENTRY,
    PROSE,
    folded,
    has_path_sign,
    is_bare_name,
    refusal_of,
    without_place,
)
from holdshort.core.path_words import (
    ARROWS,
    CONNECTORS,
    DEEDS,
    NOTE_SIGNS,
    OPEN_NOTES,
    READ_NOTES,
    SENTENCE_WORDS,
    TAILS,
)
from holdshort.core.scope_tokens import INVISIBLE, Token, tokens_of

LONGEST_NOTE = 8
"""Words that may follow a path without a sign between them and still be a note, not a sentence."""

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
    """Split the tokens at the first sign of a note, but go on behind `(new),`."""
    kept: list[Token] = []
    for index, token in enumerate(tokens):
        behind = tokens[index + 1 : index + 2]
        if not token.quoted and _opens_note(token.text):
            if not kept and token.text[0] == "(":
                continue
            if token.text[0] != "(" or not _is_listed(token, behind):
                return kept, _joined(tokens[index:])
            if says_read(token.text):
                kept.pop()
        elif token.quoted or token.text not in ARROWS:
            kept.append(token)
            if _is_followed_by_note(token, behind):
                return kept, _joined(tokens[index + 1 :])
    return kept, ""


def _is_listed(token: Token, behind: list[Token]) -> bool:
    """Tell whether a note in parentheses stands between two paths."""
    return bool(behind) and (token.comma or behind[0].text.lower() in CONNECTORS)


def _opens_note(text: str) -> bool:
    if text[0] == "(":
        return ")/" not in text
    return text in NOTE_SIGNS or text == "." or text.startswith(("#", "//", "<!--"))


def _is_followed_by_note(token: Token, after: list[Token]) -> bool:
    if token.text[-1:] in (":", ".") and not token.quoted and token.text.strip("./"):
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
    if not text or not (has_path_sign(text) or (loose and is_bare_name(text))):
        return [], ""
    reason = refusal_of(text, quoted=token.quoted)
    return ([], reason) if reason else ([folded(text)], "")


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
