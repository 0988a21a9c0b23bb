"""What a scope entry is: its canonical text, its brace alternatives, its tokens.

An entry is a path or glob, `/`-separated and anchored at both ends; docs/scope-entries.md has
the token table. There is no escape character: `*`, `?` and brace lists are always wildcards.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_ENTRY = 256
"""Characters of one entry."""
MAX_ENTRIES = 1024
"""Entries of one scope."""
MAX_ALTERNATIVES = 64
"""Alternatives the brace lists of one entry may expand to."""
MAX_SCOPE_ALTERNATIVES = 256
"""Alternatives all entries with brace lists of one scope may expand to together."""

ONE = "?"
NAME = "*"
TEXT = "**"
DIRECTORIES = "**/"
WILDCARDS = frozenset((ONE, NAME, TEXT, DIRECTORIES))

Tokens = tuple[str, ...]
"""One alternative: wildcards as spelled above, every other token one literal character."""


def normalise(text: str) -> str | None:
    """Return the canonical text of one entry as written, None if it can mean no path.

    Canonical: NFC; `/` for a backslash; no `.` and no empty segment; `..` resolved; at most two
    stars in a row, never `**/**/`; the whole tree is `**`. A leading `/` (an absolute entry) and
    a trailing `/` (everything below) stay, and a last segment `.` or `..` becomes the latter.
    """
    if not text or has_control(text):
        return None
    if not text.isascii():
        import unicodedata  # noqa: PLC0415  (only what is not ASCII pays for its tables)

        text = unicodedata.normalize("NFC", text)
    folded = _fold(text.replace("\\", "/"))
    return folded if folded and expand(folded) != () else None


def is_glob(entry: str) -> bool:
    """Tell whether an entry can match more than the path it spells."""
    return "*" in entry or "?" in entry or entry.endswith("/") or bool(_list_marks(entry))


def has_control(text: str) -> bool:
    """Tell whether a text holds a control character (Unicode Cc), which no path may."""
    return not text.isprintable() and any(map(is_control, text))


def is_control(letter: str) -> bool:
    """Tell whether one character is a control character (Unicode Cc)."""
    return letter < " " or "\x7f" <= letter <= "\x9f"


def expand(entry: str) -> tuple[str, ...] | None:
    """Return the distinct canonical alternatives of the brace lists; None past the bound.

    Lists nest. As in a shell, expansion is textual and comes first: `{a,*}*` is `a*` or `**`.
    Alternatives that can mean no path drop out, so the result may be empty. Braces without a
    partner or without a comma of their own are literal.
    """
    marks = _list_marks(entry)
    if not marks:
        return (entry,)
    texts = _expand_at(entry, marks)
    if texts is None:
        return None
    return tuple(dict.fromkeys(folded for text in texts if text and (folded := _fold(text))))


def tokenise(alternative: str) -> Tokens:
    """Return the tokens of one alternative; a trailing `/` goes on with any text (`dir/**`)."""
    return lex(alternative + TEXT if alternative.endswith("/") else alternative)


def lex(text: str) -> Tokens:
    """Return the tokens of a piece of an alternative.

    No two wildcards that can match nothing follow each other, except `*` after `**/`. The
    automata rely on it: `**/**/` is `**/`, `**/**` is `**`.
    """
    if "*" not in text:
        return tuple(text)
    tokens: list[str] = []
    at = 0
    text = _squeeze_stars(text)
    while at < len(text):
        token = _token_at(text, at)
        if tokens and tokens[-1] == DIRECTORIES and token in (TEXT, DIRECTORIES):
            tokens.pop()
        tokens.append(token)
        at += len(token)
    return tuple(tokens)


def read_scope(entries: Sequence[str]) -> tuple[list[tuple[str, Tokens]], str]:
    """Return (entry, tokens) of each alternative of a scope, and why some are missing or ''."""
    read: list[tuple[str, Tokens]] = []
    unread = f"more than {MAX_ENTRIES} entries" if len(entries) > MAX_ENTRIES else ""
    spare = MAX_SCOPE_ALTERNATIVES
    for entry in entries[:MAX_ENTRIES]:
        texts = expand(entry) if len(entry) <= MAX_ENTRY else None
        if texts is not None and texts != (entry,):
            spare -= len(texts)
        if texts is None or (spare < 0 and texts != (entry,)):
            unread = unread or _why_unread(entry)
        else:
            read += [(entry, tokenise(text)) for text in texts]
    return read, unread


def _why_unread(entry: str) -> str:
    if len(entry) > MAX_ENTRY:
        return f"an entry longer than {MAX_ENTRY} characters"
    return (
        f"more than {MAX_ALTERNATIVES} brace alternatives in an entry"
        f" or {MAX_SCOPE_ALTERNATIVES} in a scope"
    )


def _token_at(text: str, at: int) -> str:
    if text[at] != NAME:
        return text[at]
    if text.startswith(DIRECTORIES, at):
        return DIRECTORIES
    return TEXT if text.startswith(TEXT, at) else NAME


def _squeeze_stars(text: str) -> str:
    while "***" in text:
        text = text.replace("***", "**")
    return text


def _fold(text: str) -> str | None:
    """Return a text without `.`, `..`, empty and repeated `**` segments, None if it escapes."""
    text = _squeeze_stars(text)
    segments = text.split("/")
    kept = _fold_segments(segments, unresolved="*?{},/" if "{" in text else "*?/")
    if kept is None:
        return None
    below = "/" if segments[-1] in ("", ".", "..") else ""
    return ("/" if text[0] == "/" else "") + ("/".join(kept) + below if kept else TEXT)


def _fold_segments(segments: Iterable[str], unresolved: str) -> list[str] | None:
    """Fold segments; `..` goes back over one that holds none of the `unresolved` characters.

    Where braces are about, the others wait for their alternatives: `{a,b}/../c` keeps its `..`.
    """
    kept: list[str] = []
    for segment in segments:
        if segment in ("", ".") or (segment == TEXT and kept and kept[-1].endswith(TEXT)):
            continue
        if segment != "..":
            kept.append(segment)
        elif not kept:
            return None
        elif kept[-1] != ".." and not any(letter in kept[-1] for letter in unresolved):
            kept.pop()
        elif "{" in unresolved:
            kept.append("..")
        else:
            return None
    return kept


def _list_marks(text: str) -> list[int]:
    """Return the positions of the braces and commas that make lists, ascending."""
    if "{" not in text:
        return []
    marks: list[int] = []
    unclosed: list[list[int]] = []
    for at, letter in enumerate(text):
        if letter == "{":
            unclosed.append([at])
        elif letter == "," and unclosed:
            unclosed[-1].append(at)
        elif letter == "}" and unclosed:
            inside = unclosed.pop()
            marks += [*inside, at] if len(inside) > 1 else []
    return sorted(marks)


def _expand_at(text: str, marks: list[int]) -> list[str] | None:
    """Return every alternative as plain text, None when there are too many."""
    outer: list[tuple[list[str], list[str]]] = []
    done: list[str] = []
    growing = [""]
    start = 0
    for at in marks:
        growing = [begun + text[start:at] for begun in growing]
        start = at + 1
        if text[at] == "{":
            outer.append((done, growing))
            done, growing = [], [""]
        elif text[at] == ",":
            done, growing = done + growing, [""]
        else:
            inner = done + growing
            done, growing = outer.pop()
            if len(growing) * len(inner) > MAX_ALTERNATIVES:
                return None
            growing = [begun + more for begun in growing for more in inner]
    return [begun + text[start:] for begun in growing]
