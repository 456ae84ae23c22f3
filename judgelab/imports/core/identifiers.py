"""Names by which rows are joined, as spreadsheets and programs leave them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

from judgelab.imports.core.cells import MAX_SCORE, cell_fault, name_of
from judgelab.wording import mark, sentence

# What pandas writes for nothing when it makes texts of everything; nobody is called so.
NAN = frozenset({"nan", "NaN", "<NA>", "NaT"})
NONE = frozenset({"None", "NULL", "null"})  # Python's and SQL's word for it, and now and then an answer
_SHORTENED = re.compile(r"\d(?:[.,]\d+)?[eE]\+\d{2,}")
_WHOLE = re.compile(r"-?\d+\.0+")
_QUOTED = re.compile(r'="([^"]*)"')  # ="007" in a CSV file keeps the noughts of an id in spreadsheets
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
_DATED = re.compile(
    rf"\d{{1,2}}-{_MONTH}(?:-\d{{2,4}})?|{_MONTH}-\d{{2,4}}|"
    r"\d{4}-\d\d-\d\d(?: 00:00:00)?|\d{1,2}/\d{1,2}/\d{2,4}",
    re.IGNORECASE,
)
_LIST = mark("the cell holds a list or an object where one name is wanted; write one row for each")


def name_fault(value: Any) -> str | None:
    """Return why a cell is no name to join rows by, or None when it is one."""
    if isinstance(value, str):
        shortened = value[:1].isdigit() and _SHORTENED.fullmatch(value.strip())
        return _too_long(value.strip()) if shortened else cell_fault(value)
    if isinstance(value, float) and MAX_SCORE <= abs(value) < float("inf"):
        return _too_long(f"{value:.14E}")
    if isinstance(value, (list, tuple, Mapping)):
        return cell_fault(value) or _LIST
    if isinstance(value, (date, time, timedelta)):
        return sentence(
            "the cell holds a date or a time ({value}) where a name is wanted, as spreadsheets make it of "
            "ids such as 1-2; format the column as text and write the ids again",
            value=text_of_date(value),
        )
    return cell_fault(value)


def _too_long(number: str) -> str:
    return sentence(
        "'{value}' is a long number that a spreadsheet has shortened; format the column as text and "
        "write the ids again",
        value=number,
    )


def name_in(value: Any, *, whole: bool = False) -> str:
    """Return a cell as a name; nothing where a program wrote its word for nothing.

    Args:
        value: the cell.
        whole: whether the column writes whole numbers as 1.0.

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
    """Whether a name looks like what a spreadsheet makes of ids such as 1-2 when it writes a CSV file.

    >>> [looks_like_date(name) for name in ("2-Jan", "Mar-04", "2024-01-02 00:00:00", "may-be", "gpt-4")]
    [True, True, True, False, False]
    """
    return ("-" in name or "/" in name) and bool(_DATED.fullmatch(name))


def is_whole_number(value: Any) -> bool:
    """Whether a cell is a whole number that is written with a point, "1.0"."""
    return isinstance(value, str) and bool(_WHOLE.fullmatch(value.strip()))


def text_of_date(value: Any) -> str:
    """Return a date, which has no time of day where that is midnight, or a time as a text."""
    if isinstance(value, datetime) and value.time() == time():
        return str(value.date())
    return str(value)
