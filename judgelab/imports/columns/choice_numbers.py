"""What the numbers in a file's choices can mean: usual ones, codes of the file, or shares such as 0.27."""

from __future__ import annotations

from collections.abc import Collection

from judgelab.imports.columns.cell_meanings import (
    CHOICE_FIELDS,
    NO_VALUE,
    Meanings,
    meaning_of,
    meanings_by_column,
    number_in,
)
from judgelab.imports.columns.column_habits import readable_cells
from judgelab.imports.columns.mapping import ColumnMapping, names_sides
from judgelab.imports.columns.tables import Table
from judgelab.imports.core.choice_words import USUAL_NUMBERS, ChoiceNumbers
from judgelab.imports.core.codes import MissingScoreCodes

MOST_NUMBERS = 400  # different numbers; codes are fewer


def choice_numbers(
    table: Table, mapping: ColumnMapping, meanings: Meanings, *, missing: Collection[str]
) -> ChoiceNumbers:
    """Return what the numbers in the file's choices can mean.

    1 and 2 are the first and the second response, unless some numbers are negative or 0 is the only other
    one. Numbers that a person said to be no choice are not counted: by a meaning, or among the `missing`.
    """
    columns = [use.column for use in mapping.uses if _has_choices(use.field)]
    if not columns or not names_sides(mapping):
        return USUAL_NUMBERS
    given, found = meanings_by_column(mapping, meanings), set[float]()
    is_missing = MissingScoreCodes(missing)
    for row in readable_cells(table):
        for column in columns:
            cell = row.get(column)
            number = None if is_missing(cell) else number_in(cell)
            if number is not None and meaning_of(cell, given.get(column, {})) != NO_VALUE:
                found.add(number)
        if len(found) > MOST_NUMBERS:
            break
    return _numbers(found)


def _has_choices(field: str) -> bool:
    return field.split("[")[0] in CHOICE_FIELDS or field.startswith("rater[")


def _numbers(found: set[float]) -> ChoiceNumbers:
    """Return what these numbers can mean.

    >>> [_numbers(found).usual for found in ({1.0, 1.5, 2.0}, {0.0, 1.0, 2.0}, {1.0})]
    [True, True, True]
    >>> [_numbers(found).usual for found in ({0.0, 1.0}, {-1.0, 0.0, 1.0})]
    [False, False]
    >>> [_numbers(found).middle for found in ({-1.0, 0.0, 1.0}, {0.0, 0.27, 1.0}, {-0.2, 0.9})]
    [None, 0.5, 0.0]
    """
    if not found:
        return USUAL_NUMBERS
    low, high = min(found), max(found)
    usual = low >= 0 and (high > 1 or low == 1)
    if usual or all(number.is_integer() for number in found):
        return ChoiceNumbers(tuple(sorted(found)), usual=usual)
    return ChoiceNumbers(tuple(sorted(found)), usual=False, middle=0.5 if low >= 0 else 0.0)
