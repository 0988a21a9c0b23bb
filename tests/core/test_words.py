"""Nothing hostile gets out of us, and nothing too long."""

from __future__ import annotations

import datetime

import pytest
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


def test_what_just_fits_is_not_clipped_and_the_usual_limits_are_those_of_a_denial() -> None:
    assert clip("a" * 10, 10) == clip_path("a" * 10, 10) == "a" * 10
    assert clip("a" * 768) == "a" * 768
    assert clip("a" * 769) == "a" * 765 + "..."
    assert clip_path("a" * 96) == "a" * 96
    assert clip_path("b" + "a" * 96) == "..." + "a" * 93
    assert quoted("a" * 56) == f'"{"a" * 56}"'
    assert quoted("a" * 57) == f'"{"a" * 53}..."'


def test_characters_that_do_not_print_are_shown_as_a_question_and_others_kept() -> None:
    assert safe("a\u202eb\nc\ud800 d\u00fc") == "a?b?c? d\u00fc"
    assert clip("\u00fc" * 6, 10) == "\u00fc" * 3 + "..."
    assert clip_path("\u00fc" * 6, 10) == "..." + "\u00fc" * 3


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
        listed(["a", "b", "c"], 1),
        listed([], 3),
    ) == ("a, b", "a and 1 more", "a and 2 more", "")


def test_agent_types_compare_as_the_client_compares_them() -> None:
    assert type_name("Code Writer") == type_name("code-writer") == "codewriter"
    assert type_name("My-Plugin:Code_2") == "myplugin:code2"


@given(st.datetimes(datetime.datetime(1, 1, 1), datetime.datetime(9999, 12, 31, 23, 59, 59)))  # noqa: DTZ001
def test_times_are_those_of_the_standard_library(moment: datetime.datetime) -> None:
    moment = moment.replace(microsecond=0, tzinfo=UTC)
    text = moment.isoformat().replace("+00:00", "Z")

    assert moment.timestamp() == epoch_of(text)
    assert text == iso_of(moment.timestamp())


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-01T00:00:00Z", 0.0),
        ("1969-12-31T23:59:59Z", -1.0),
        ("2000-02-29T12:34:56Z", 951_827_696.0),
        ("2000-03-01T00:00:00.987Z", 951_868_800.0),
        ("2100-02-28T23:59:59Z", 4_107_542_399.0),
        ("2100-03-01T00:00:00Z", 4_107_542_400.0),
        ("2024-12-31T00:00:00Z", 1_735_603_200.0),
    ],
)
def test_a_time_is_the_seconds_since_1970_to_the_whole_second(text: str, seconds: float) -> None:
    assert epoch_of(text) == seconds
    assert iso_of(seconds) == text[:19] + "Z"


def test_a_time_beyond_the_calendar_is_at_its_nearest_end() -> None:
    assert iso_of(-62_135_596_801) == iso_of(-1e17) == "0001-01-01T00:00:00Z"
    assert iso_of(253_402_300_800) == iso_of(1e17) == "9999-12-31T23:59:59Z"
    assert iso_of(1.9) == "1970-01-01T00:00:01Z"


@pytest.mark.parametrize(
    "text",
    [
        *("", "2000-01-01T00:00:00", "2000-01-01T00:00:0Z", "2000-01-01 00:00:00Z"),
        *("2000-01-01T00:00:00+00:00", "200x-01-01T00:00:00Z", "2000-01-01T00:0x:00Z"),
        *("\u0662000-01-01T00:00:00Z", "2000-01-01T00:00:0\u00b2Z"),
        *("2000-00-01T00:00:00Z", "2000-13-01T00:00:00Z"),
        *("2000-01-00T00:00:00Z", "2000-01-32T00:00:00Z"),
    ],
)
def test_what_is_written_otherwise_is_no_time(text: str) -> None:
    assert epoch_of(text) is None


def test_the_first_and_last_month_and_day_are_times() -> None:
    assert epoch_of("2000-01-01T00:00:00Z") == 946_684_800.0
    assert epoch_of("2000-12-31T00:00:00Z") == 978_220_800.0


@given(st.text(max_size=30))
def test_what_is_no_time_is_none_or_a_number(text: str) -> None:
    found = epoch_of(text)

    assert found is None or isinstance(found, float)


@given(st.floats(-1e18, 1e18))
def test_any_number_has_a_text(seconds: float) -> None:
    assert iso_of(seconds).endswith("Z")
