"""Our JSON is `json`'s: the same values, the same refusals."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.harness import CHECKOUT

from holdshort.adapters.json_text import compact, parse

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def accepted(text: str) -> Any:
    """What `json` makes of `text`, or ValueError; NaN and infinities refused, as no JSON."""

    def refuse(name: str) -> float:
        raise ValueError(name)

    try:
        return json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError):
        return ValueError


def ours(text: str) -> Any:
    try:
        return parse(text.encode())
    except ValueError:
        return ValueError


@given(VALUES)
def test_written_values_are_read_back(value: Any) -> None:
    assert json.loads(compact(value)) == value
    assert parse(compact(value).encode()) == value


@given(
    VALUES, st.integers(0, 60), st.sampled_from(['"', "{", "]", ",", "\\", "1e", "\n", "\x00", ""])
)
def test_broken_documents_are_refused_exactly_where_json_refuses(
    value: Any, at: int, junk: str
) -> None:
    text = json.dumps(value)
    broken = text[:at] + junk + text[at + 1 :]

    assert accepted(broken) == ours(broken)


@pytest.mark.parametrize(
    "text",
    ["", " ", "nul", "[1,]", "{} {}", "NaN", "-Infinity", "[" * 100_000, '"\ud800"', "01", "'a'"],
)
def test_what_is_no_json_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # its kind is all that callers look at
        parse(text.encode("utf-8", "surrogatepass"))


def test_a_byte_order_mark_is_no_fault() -> None:
    assert parse(b'\xef\xbb\xbf{"a": 1}\n') == {"a": 1}


def test_large_numbers_do_not_break_it() -> None:
    assert math.isinf(parse(b"1e999"))


def test_what_json_cannot_hold_is_refused() -> None:
    with pytest.raises(TypeError):
        compact({"a": object()})


@pytest.mark.parametrize("text", ["{half", "[1,", '{"a":', "nul", '"open', "{}x", "[" * 10_000])
def test_what_is_no_json_is_a_value_error_also_where_json_was_never_imported(text: str) -> None:
    program = (
        f"import sys; sys.path.append({str(CHECKOUT / 'lib')!r})\n"
        "from holdshort.adapters.json_text import parse\n"
        "assert 'json' not in sys.modules\n"
        f"try: parse({text.encode()!r})\n"
        "except ValueError: print('refused')"
    )

    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True)

    assert done.stdout == b"refused\n"
