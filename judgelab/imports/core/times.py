"""Read times as programs and people write them; ambiguous ones are refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.imports.core.cells import is_missing, text_of
from judgelab.wording import sentence

FIRST, LAST = (
    datetime(1990, 1, 1, tzinfo=UTC),
    datetime(2100, 1, 1, tzinfo=UTC),
)  # a rating must be from between
_DAY_ZERO = datetime(1899, 12, 30, tzinfo=UTC)  # of spreadsheets that count days
_DAYS = ((FIRST - _DAY_ZERO).days, (LAST - _DAY_ZERO).days)
_DIGITS = re.compile(r"\d{8}|\d{14}")
_CLOCK = re.compile(
    r"(?<![\d:])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6})\d*)?)?\s*([ap])?(?(5)\.?m\b\.?)", re.IGNORECASE
)
_ZONE = re.compile(r"(?:\b(?:utc|gmt|z)|(?<![\w/-]))?\s*([+-])(\d{1,2}):?(\d{2})?$", re.IGNORECASE)
# Names with one meaning everywhere; "CST", "IST" and "BST" have several.
_ZONES = {
    **dict.fromkeys(("utc", "gmt", "z"), 0.0),
    **{"est": -5.0, "edt": -4.0, "cdt": -5.0, "mst": -7.0, "mdt": -6.0, "pst": -8.0, "pdt": -7.0},
    **{"wet": 0.0, "west": 1.0, "cet": 1.0, "cest": 2.0, "eet": 2.0, "eest": 3.0, "msk": 3.0},
    **{"jst": 9.0, "kst": 9.0, "aest": 10.0, "aedt": 11.0, "nzst": 12.0, "nzdt": 13.0},
}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAY = re.compile(r"\b(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\b[.,]?", re.IGNORECASE)
_YEAR_FIRST = re.compile(r"(\d{4})([/.-])(\d{1,2})\2(\d{1,2})")
_YEAR_LAST = re.compile(r"(?<![\w-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4}|\d{2})(?!\w)")
_WORDED = re.compile(r"(?:(\d{1,2})[ -])?([a-z]{3})[a-z]*\.?[ -](?:(\d{1,2}) )?(\d{4})", re.IGNORECASE)


def time_of(value: Any, *, day_first: bool | None = None) -> datetime | None:
    """Return a cell's time, in UTC if it has no zone; raises `InvalidInput` with the reason.

    Numbers are seconds (or milliseconds etc.) since 1970, days in a spreadsheet, or the digits of a date,
    whichever gives a plausible time of a rating.

    Args:
        value: the cell.
        day_first: whether 1/2/2024 is in February, as inferred from other cells; if None, it is refused.

    >>> str(time_of("2024/01/15 3:45:12 PM GMT+1")), str(time_of(45306.5))
    ('2024-01-15 14:45:12+00:00', '2024-01-15 12:00:00+00:00')
    """
    if is_missing(value):
        return None
    if isinstance(value, date):
        return _in_utc(value if isinstance(value, datetime) else datetime(value.year, value.month, value.day))
    if isinstance(value, str) and value[4:5] == "-" and (time := _iso(value.strip())):
        return time
    text = " ".join(text_of(value).split())
    try:
        time = (
            _number(text)
            if re.fullmatch(r"-?\d+(\.\d+)?(e\+?\d+)?", text.lower())
            else _text(text, day_first)
        )
        if time is not None:
            return time.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    if day_first is None and _is_ambiguous(text):
        raise InvalidInput(
            sentence(
                "'{value}' is ambiguous: either number could be the month; write it as 2026-01-31T14:05:00Z",
                value=text,
            )
        )
    raise InvalidInput(sentence("'{value}' is not a time; write it as 2026-01-31T14:05:00Z", value=text))


def day_comes_first(values: Iterable[Any]) -> bool | None:
    """Return whether a column's dates have the day first, as in 13/2/2024; None if it cannot be inferred.

    >>> day_comes_first(["1/2/2024", "1/15/2024 15:45"]), day_comes_first(["1/2/2024"])
    (False, None)
    """
    orders: set[bool] = set()
    for value in values:
        date = _YEAR_LAST.search(value) if is_ordered(value) else None
        if date and date[1] != date[3] and (order := _tells_day_first(date)) is not None:
            orders.add(order)
    return orders.pop() if len(orders) == 1 else None


def is_ordered(value: Any) -> bool:
    """Return whether a cell is a date such as 1/2/2024, in which the order of day and month matters."""
    date = _YEAR_LAST.search(value) if isinstance(value, str) else None
    return date is not None and date[2] != "."


def _in_utc(time: datetime) -> datetime:
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def _iso(text: str) -> datetime | None:
    try:
        return _in_utc(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


def _number(text: str) -> datetime | None:
    if _DIGITS.fullmatch(text):
        try:
            time = datetime.strptime(text.ljust(14, "0"), "%Y%m%d%H%M%S").replace(tzinfo=UTC)
        except ValueError:
            time = LAST
        if FIRST <= time < LAST:
            return time
    number = float(text)
    if _DAYS[0] <= number < _DAYS[1]:
        seconds = round(number * 86_400)  # a fraction of a day is exact only to the second
        return _DAY_ZERO + timedelta(seconds=seconds)
    for unit in (1, 1e3, 1e6, 1e9):
        if FIRST.timestamp() <= number / unit < LAST.timestamp():
            return datetime.fromtimestamp(number / unit, tz=UTC)
    return None


def _text(text: str, day_first: bool | None) -> datetime | None:
    """Return the time of a text in one of the common formats, or None."""
    text = re.sub(r"\s*\([^)]*\)$", "", text).replace(" at ", " ")
    clock = _CLOCK.search(text)
    rest = f"{text[: clock.start()].strip()} \0 {text[clock.end() :].strip()}" if clock else text
    rest, zone = _without_zone(rest)
    day = _day(
        " ".join(_WEEKDAY.sub("", rest.replace("\0", " ").replace(",", " ")).split()).strip(" T"), day_first
    )
    if day is None or (zone is not None and clock is None):
        return None
    return (day + _since_midnight(clock)).replace(tzinfo=zone or UTC)


def _without_zone(text: str) -> tuple[str, timezone | None]:
    """Return the text without the time zone after the time of day, and the zone."""
    before, mark, after = text.partition("\0")
    for word in after.split():
        if word.lower() in _ZONES:
            left = " ".join(other for other in after.split() if other != word)
            return f"{before}{mark} {left}", timezone(timedelta(hours=_ZONES[word.lower()]))
    zone = _ZONE.search(after)
    if not zone:
        return text, None
    ahead = timedelta(hours=int(zone[2]), minutes=int(zone[3] or 0))
    return before + mark + after[: zone.start()], timezone(-ahead if zone[1] == "-" else ahead)


def _since_midnight(clock: re.Match[str] | None) -> timedelta:
    """Return the time of day; raises `ValueError` if it does not exist."""
    if clock is None:
        return timedelta()
    hour, minute, second = int(clock[1]), int(clock[2]), int(clock[3] or 0)
    if clock[5]:
        if not 1 <= hour <= 12:
            raise ValueError(clock[0])
        hour = hour % 12 + (12 if clock[5].lower() == "p" else 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(clock[0])
    return timedelta(
        hours=hour, minutes=minute, seconds=second, microseconds=int((clock[4] or "").ljust(6, "0"))
    )


def _day(text: str, day_first: bool | None) -> datetime | None:
    if match := _YEAR_FIRST.fullmatch(text):
        return datetime(int(match[1]), int(match[3]), int(match[4]))
    if match := _WORDED.fullmatch(text):
        day = match[1] or match[3]
        if match[2].lower() in _MONTHS and day and not (match[1] and match[3]):
            return datetime(int(match[4]), _MONTHS.index(match[2].lower()) + 1, int(day))
    if match := _YEAR_LAST.fullmatch(text):
        return _year_last(match, day_first)
    return None


def _year_last(match: re.Match[str], day_first: bool | None) -> datetime | None:
    order = _tells_day_first(match)
    day_first = day_first if order is None else order
    if day_first is None:
        return None
    first, second, year = int(match[1]), int(match[3]), int(match[4])
    day, month = (first, second) if day_first else (second, first)
    return datetime(year + 2000 if year < 100 else year, month, day)


def _tells_day_first(match: re.Match[str]) -> bool | None:
    """Return whether the date itself shows that the day comes first; None if it does not."""
    first, second, short = int(match[1]), int(match[3]), len(match[4]) == 2
    if second > 12:
        return False
    if match[2] == ".":
        return True  # dates with full stops never have the month first
    return True if not short and (first > 12 or first == second) else None  # 24/01/15 may begin with its year


def _is_ambiguous(text: str) -> bool:
    """Return whether a date could be read with the day first and also with the month first."""
    match = _YEAR_LAST.search(text)
    return bool(
        match and _tells_day_first(match) is None and int(match[1]) <= 31 and 1 <= int(match[3]) <= 12
    )
