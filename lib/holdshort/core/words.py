"""Text for agents, users and files: nothing hostile, nothing too long, times without `datetime`.

`datetime` would add a sixth to the start of every hook (docs/adr/0002).
"""

from __future__ import annotations

DENIAL_BYTES = 768  # UTF-8; more is not read by an agent that wants to go on
NAME_BYTES = 56
PATH_BYTES = 96

_DAY = 86_400
_HOURS = 3600
_MINUTE = 60


def safe(text: str) -> str:
    """`text` on one line, without control, bidi, zero-width or unpaired surrogate characters."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "?" for char in text)


def clip(text: str, limit: int = DENIAL_BYTES) -> str:
    """`text` made safe and cut to at most `limit` UTF-8 bytes; its start is kept."""
    text = safe(text)
    raw = text.encode("utf-8", "replace")
    if len(raw) <= limit:
        return text
    return raw[: limit - 3].decode("utf-8", "ignore") + "..."


def clip_path(path: str, limit: int = PATH_BYTES) -> str:
    """`path` made safe and cut to `limit` UTF-8 bytes; its end is kept, as that tells files apart."""
    path = safe(path)
    raw = path.encode("utf-8", "replace")
    if len(raw) <= limit:
        return path
    return "..." + raw[3 - limit :].decode("utf-8", "ignore")


def quoted(name: str) -> str:
    """An agent's or session's own name, clipped and in quotes, so that it reads as a name."""
    return f'"{clip(name, NAME_BYTES).replace(chr(34), chr(39))}"'


def span(seconds: float) -> str:
    """A length of time in the largest fitting unit: `40 s`, `12 min`, `3 h`."""
    whole = max(0, int(seconds))
    if whole < 2 * _MINUTE:
        return f"{whole} s"
    if whole < 2 * _HOURS:
        return f"{whole // _MINUTE} min"
    return f"{whole // _HOURS} h"


def listed(names: list[str], most: int) -> str:
    """`a, b and 3 more`."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown


def type_name(agent_type: str) -> str:
    """An agent type as the client compares it: without case and separators."""
    return "".join(char for char in agent_type.casefold() if char.isalnum() or char == ":")


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
