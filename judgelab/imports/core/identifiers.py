"""Names by which rows are joined, as spreadsheets and programs write them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

from judgelab.imports.core.cells import MAX_SCORE, cell_fault, name_of
from judgelab.wording import mark, sentence

# What pandas writes for missing values when it converts everything to text; never a name.
NAN = frozenset({"nan", "NaN", "<NA>", "NaT"})
NONE = frozenset({"None", "NULL", "null"})  # Python's and SQL's word for it, but sometimes an answer
_SHORTENED = re.compile(r"\d(?:[.,]\d+)?[eE]\+\d{2,}")
_WHOLE = re.compile(r"-?\d+\.0+")
_QUOTED = re.compile(r'="([^"]*)"')  # ="007" in a CSV file keeps the zeros of an id in spreadsheets
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_DATED = re.compile(
    rf"\d{{1,2}}-{_MONTH}(?:-\d{{2,4}})?|{_MONTH}-\d{{2,4}}|"
    r"\d{4}-\d\d-\d\d(?: 00:00:00)?|\d{1,2}/\d{1,2}/\d{2,4}",
    re.IGNORECASE,
)
_LIST = mark("the cell contains a list or an object instead of one name; write a separate row for each name")


def name_fault(value: Any) -> str | None:
    """Return why a cell cannot be used as a name to join rows, or None if it can."""
    if isinstance(value, str):
        shortened = value[:1].isdigit() and _SHORTENED.fullmatch(value.strip())
        return _too_long(value.strip()) if shortened else cell_fault(value)
    if isinstance(value, float) and MAX_SCORE <= abs(value) < float("inf"):
        return _too_long(f"{value:.14E}")
    if isinstance(value, (list, tuple, Mapping)):
        return cell_fault(value) or _LIST
    if isinstance(value, (date, time, timedelta)):
        return sentence(
            "the cell contains a date or time ({value}) instead of a name; spreadsheets convert ids such "
            "as 1-2 to dates; format the column as text and enter the ids again",
            value=text_of_date(value),
        )
    return cell_fault(value)


def _too_long(number: str) -> str:
    return sentence(
        "'{value}' is a long number shortened by a spreadsheet; format the column as text and enter the "
        "ids again",
        value=number,
    )


def name_in(value: Any, *, whole: bool = False) -> str:
    """Return a cell as a name; empty if a program wrote its word for a missing value.

    Args:
        value: the cell.
        whole: whether whole numbers in the column are written as 1.0.

    >>> name_in("1.0"), name_in("1.0", whole=True), name_in("nan"), name_in('="007"')
    ('1.0', '1', '', '007')
    """
    name = name_of(value)
    if not isinstance(value, str) or not name:
        return name
    if name in NAN:
        return ""
    if name[0] == "=" and (quoted := _QUOTED.fullmatch(name)):
        return quoted[1].strip()
    return name.partition(".")[0] if whole and _WHOLE.fullmatch(name) else name


def looks_like_date(name: str) -> bool:
    """Return whether a name looks like a date that a spreadsheet has made from an id such as 1-2.

    >>> [looks_like_date(name) for name in ("2-Jan", "Mar-04", "2024-01-02 00:00:00", "may-be", "gpt-4")]
    [True, True, True, False, False]
    """
    return ("-" in name or "/" in name) and bool(_DATED.fullmatch(name))


def is_whole_number(value: Any) -> bool:
    """Return whether a cell is a whole number written with a decimal point, "1.0"."""
    return isinstance(value, str) and bool(_WHOLE.fullmatch(value.strip()))


def text_of_date(value: Any) -> str:
    """Return a date or time as text, without the time of day if it is midnight."""
    if isinstance(value, datetime) and value.time() == time():
        return str(value.date())
    return str(value)
