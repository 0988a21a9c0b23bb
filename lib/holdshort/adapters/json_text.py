"""JSON without importing `json`, which alone costs two thirds of a hook's start (docs/adr/0002).

The C scanner and encoder behind `json` are used directly. They are private to CPython, so this is the
only file that knows them, it falls back to `json` where they are missing, and a test holds them
equal to it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

try:
    from _json import encode_basestring_ascii, make_encoder, make_scanner

    HAS_C = True
except ImportError:  # pragma: no cover  # another Python: correct, only slower
    HAS_C = False

_BLANKS = " \t\n\r"
_MARK = b"\xef\xbb\xbf"  # byte order mark; the codec that drops it would be one more import


class _Options:
    """What `make_scanner` reads its settings from: those of `json.loads`."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    memo: dict[str, str] = {}  # noqa: RUF012  # the scanner wants an attribute of this name

    @staticmethod
    def parse_constant(name: str) -> float:
        """NaN and the infinities are no JSON; nothing that we read may hold them."""
        raise ValueError(name)


def parse(raw: bytes) -> Any:
    """The value in `raw`; ValueError when it is no JSON, whatever is wrong with it."""
    return parse_text(raw.removeprefix(_MARK).decode().strip(_BLANKS))


def parse_text(text: str) -> Any:
    """The value in `text`, which neither begins nor ends with blanks; else as `parse`."""
    try:
        if not HAS_C:  # pragma: no cover
            import json  # noqa: PLC0415  # what this file is there to avoid

            return json.loads(text, parse_constant=_Options.parse_constant)
        value, end = _scan(text, 0)
    except (StopIteration, RecursionError, SystemError) as error:
        # SystemError: the scanner wants `json`'s own error class, which nobody has imported
        raise ValueError("no JSON value, or one nested too deeply") from error
    if end != len(text):
        raise ValueError("more than one JSON value")
    return value


def compact(value: Any) -> str:
    """`value` as one line of ASCII JSON."""
    if not HAS_C:  # pragma: no cover
        import json  # noqa: PLC0415  # same

        return json.dumps(value, separators=(",", ":"))
    return "".join(_encode(value, 0))


def _refuse(value: Any) -> Any:
    raise TypeError(type(value).__name__)


if HAS_C:
    _scan = make_scanner(_Options())  # type: ignore[arg-type]  # what it reads is all there
    _encode = make_encoder(
        None,
        _refuse,
        encode_basestring_ascii,
        None,
        ":",
        ",",
        False,  # noqa: FBT003  # sort_keys, skipkeys, allow_nan: positional in C
        False,  # noqa: FBT003
        False,  # noqa: FBT003
    )
