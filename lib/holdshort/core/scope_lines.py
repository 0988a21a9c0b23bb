"""One line of a scope block: its decoration off, its notes off, its paths out.

One file, as it is one parser, and as each further module costs every dispatch (docs/performance.md).
"""

from __future__ import annotations

from holdshort.core.scope_words import (
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


LONGEST_LINK = 512
"""Characters looked at for the end of a link: a row of brackets costs no more than itself."""

BULLETS = "-*+•·‣◦▪●\u2013—"
"""Signs of a list item, as Markdown and word processors write them."""

ROUND_BULLETS = "•‣◦▪●"
"""Those that no path begins with, so that no blank need follow."""

QUOTES = {"`": "`", '"': '"', "'": "'", "“": "”", "„": "“", "”": "”", "\u2018": "\u2019", "«": "»"}
OPENERS = {"{": "}", "[": "]", "(": ")"}
SEPARATORS = ",;\uff0c、\uff1b"
INVISIBLE = " \t\u00a0\u200b\u200e\u200f\u2060\ufeff\u3000"


def strip_bullet(line: str) -> tuple[str, bool]:
    """Take bullets, numbers and check boxes off; say whether there were any."""
    text = line.strip(INVISIBLE)
    found = False
    for _ in range(4):
        rest = _after_bullet(text)
        if rest is None:
            break
        text, found = rest, True
    return text, found


def _after_bullet(text: str) -> str | None:
    head = (text[:64].split(None, 1) or [""])[0]
    tail = text[len(head) :].lstrip(INVISIBLE)
    if not head or (not tail and head[0] not in ROUND_BULLETS):
        return None
    if head == "[" and tail.startswith("] "):
        return tail[2:].lstrip(INVISIBLE)
    if head in ("[x]", "[X]", "[]") or (len(head) == 1 and head in BULLETS) or _is_number(head):
        return tail
    return text[1:].lstrip(INVISIBLE) if head[0] in ROUND_BULLETS else None


def _is_number(head: str) -> bool:
    number = head.removeprefix("(")
    if number[-1:] not in (".", ")"):
        return False
    number = number[:-1]
    return (number.isdigit() and len(number) < 5) or (len(number) == 1 and number.isalpha())


class Token:
    """A stretch of a line: its text, whether it was quoted, and where it stops."""

    __slots__ = ("comma", "quoted", "stop", "text", "wide")

    def __init__(self, text: str, stop: int, *, quoted: bool = False) -> None:
        self.text = text
        self.quoted = quoted
        self.stop = stop
        self.comma = False
        self.wide = False


def tokens_of(text: str) -> list[Token]:
    """Cut a line into tokens; `comma` and `wide` say what follows each one."""
    found: list[Token] = []
    shut = {sign: text.rfind(sign) for sign in "}])”“\u2019»`\"'"}
    at, end = 0, len(text)
    while at < end:
        if _is_gap(text, at):
            at = _mark_gap(text, at, found)
            continue
        token = _token_at(text, at, shut)
        at = token.stop
        found.append(token)
    return found


def _is_gap(text: str, at: int) -> bool:
    """Tell a blank, a comma, or a semicolon at a word's end, where no entity (`&amp;`) is."""
    sign = text[at]
    if sign == ";":
        return text[at + 1 : at + 2] in ("", *INVISIBLE) or text[at + 1] in QUOTES
    return sign in INVISIBLE or sign in SEPARATORS


def _mark_gap(text: str, start: int, found: list[Token]) -> int:
    at = start
    while at < len(text) and _is_gap(text, at):
        at += 1
    gap = text[start:at]
    if found:
        found[-1].comma = any(sign in gap for sign in f"{SEPARATORS};")
        found[-1].wide = "\t" in gap or "  " in gap
    return at


def _token_at(text: str, at: int, shut: dict[str, int]) -> Token:
    sign = text[at]
    if sign in QUOTES and shut[QUOTES[sign]] > at:
        stop = text.find(QUOTES[sign], at + 1)
        stop = at + 3 if text.startswith("```", at) else stop
        return _quoted(text, at, stop, shut)
    if sign == "[":
        link = _link_at(text, at)
        if link is not None:
            return link
    stop = _bare_stop(text, at, shut)
    return Token(text[at:stop], stop)


def _link_at(text: str, at: int) -> Token | None:
    close = text.find("](", at, at + LONGEST_LINK)
    stop = text.find(")", close, close + LONGEST_LINK) if close > at else -1
    if stop < 0:
        return None
    target = text[close + 2 : stop].partition(" ")[0]
    return Token(target.strip("<>"), stop + 1, quoted=True)


def _quoted(text: str, at: int, stop: int, shut: dict[str, int]) -> Token:
    if text.startswith("```", at):
        close = text.find("```", at + 3)
        if close < 0:
            return Token("", at + 3, quoted=True)
        return Token(text[at + 3 : close].strip(), close + 3, quoted=True)
    if stop < 0:
        return Token("", at + 1, quoted=True)
    after = stop + 1
    if after < len(text) and text[after] in "/*":
        after = _bare_stop(text, after, shut)
        return Token(text[at + 1 : stop] + text[stop + 1 : after], after)
    if after < len(text) and text[after] in ":#" and text[after + 1 : after + 2].strip():
        after = _bare_stop(text, after, shut)
    return Token(text[at + 1 : stop], after, quoted=True)


def _bare_stop(text: str, start: int, shut: dict[str, int]) -> int:
    at, depth = start, 0
    while at < len(text):
        sign = text[at]
        if sign in OPENERS and shut[OPENERS[sign]] > at:
            depth += 1
        elif sign in "}])" and depth:
            depth -= 1
        elif not depth and _is_gap(text, at):
            break
        at += 1
    return at


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
