"""Nothing hostile gets out of us, and nothing too long."""

from __future__ import annotations

import datetime

from hypothesis import given
from hypothesis import strategies as st

from holdshort.core.words import (
    clip,
    clip_path,
    epoch_of,
    iso_of,
    listed,
    quoted,
    safe,
    span,
    type_name,
)

UTC = datetime.UTC
HOSTILE = st.text(st.characters(codec=None), max_size=60)


@given(HOSTILE)
def test_safe_text_is_one_printable_line(text: str) -> None:
    assert safe(text).isprintable()
    assert len(safe(text)) == len(text)


@given(HOSTILE, st.integers(8, 40))
def test_clipped_text_fits_and_keeps_the_telling_end(text: str, limit: int) -> None:
    for clipped in (clip(text, limit), clip_path(text, limit)):
        assert len(clipped.encode()) <= limit
        assert clipped.isprintable()
    assert clip("short", limit) == "short"[:limit]


def test_a_name_starts_and_a_path_ends_as_it_did() -> None:
    assert clip("abcdefghijklmnop", 10) == "abcdefg..."
    assert clip_path("abcdefghijklmnop", 10) == "...jklmnop"


def test_a_quoted_name_cannot_end_its_quotes() -> None:
    assert quoted('a" b') == '"a\' b"'


def test_spans_read_at_a_glance() -> None:
    assert [span(seconds) for seconds in (0, 119, 120, 7199, 7200, -5)] == [
        "0 s",
        "119 s",
        "2 min",
        "119 min",
        "2 h",
        "0 s",
    ]


def test_lists_say_how_many_more() -> None:
    assert (
        listed(["a", "b"], 2),
        listed(["a", "b"], 1),
        listed([], 3),
    ) == ("a, b", "a and 1 more", "")


def test_agent_types_compare_as_the_client_compares_them() -> None:
    assert type_name("Code Writer") == type_name("code-writer") == "codewriter"


@given(st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59)))  # noqa: DTZ001
def test_times_are_those_of_the_standard_library(moment: datetime.datetime) -> None:
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    text = moment.isoformat().replace("+00:00", "Z")

    assert moment.timestamp() == epoch_of(text)
    assert text == iso_of(moment.timestamp())


@given(st.text(max_size=30))
def test_what_is_no_time_is_none_or_a_number(text: str) -> None:
    found = epoch_of(text)

    assert found is None or isinstance(found, float)


@given(st.floats(-1e18, 1e18))
def test_any_number_has_a_text(seconds: float) -> None:
    assert iso_of(seconds).endswith("Z")
