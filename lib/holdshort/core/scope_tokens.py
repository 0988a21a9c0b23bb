"""Cut a line of a scope block: its bullet off, the rest into tokens.

A token is a quoted run, the target of a link, or the text up to a blank or comma that stands
outside brackets, so that `src/{a, b}.ts` and `app/(shop)/x.tsx` stay whole.
"""

from __future__ import annotations

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
