"""Points in time without `datetime`, whose import a hook cannot afford (docs/adr/0002)."""

from __future__ import annotations

_DAY = 86_400


def epoch_of(text: str) -> float | None:
    """Seconds since 1970 of `YYYY-MM-DDTHH:MM:SS[.fff]Z`, or None when it is not that."""
    if len(text) < 20 or not text.endswith("Z") or text[10] != "T":
        return None
    fields = (text[0:4], text[5:7], text[8:10], text[11:13], text[14:16], text[17:19])
    if not all(field.isascii() and field.isdigit() for field in fields):
        return None
    year, month, day, hour, minute, second = (int(field) for field in fields)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return float(_days(year, month, day) * _DAY + hour * 3600 + minute * 60 + second)


def iso_of(seconds: float) -> str:
    """`YYYY-MM-DDTHH:MM:SSZ` of seconds since 1970; outside the years 1 to 9999, the nearest end."""
    whole = min(max(int(seconds), -62_135_596_800), 253_402_300_799)
    days, rest = divmod(whole, _DAY)
    year, month, day = _date(days)
    hour, rest = divmod(rest, 3600)
    return f"{year:04}-{month:02}-{day:02}T{hour:02}:{rest // 60:02}:{rest % 60:02}Z"


def _days(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 in the Gregorian calendar, by eras of 400 years from March."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


def _date(days: int) -> tuple[int, int, int]:
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    month += 3 if month < 10 else -9
    return year + era * 400 + (month <= 2), month, day
