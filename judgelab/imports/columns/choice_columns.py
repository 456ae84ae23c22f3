"""Columns of single annotators in files of comparisons, recognised by their cells."""

from __future__ import annotations

from itertools import islice

from judgelab.imports.columns.column_habits import SAMPLE_ROWS, readable_cells
from judgelab.imports.columns.tables import Table
from judgelab.imports.core import fields
from judgelab.imports.core.cells import is_missing
from judgelab.imports.core.choice_words import choice_of

SIDES = frozenset({"response_a", "system_a"})


def choice_columns(table: Table) -> frozenset[str]:
    """Return the columns of unknown names whose first cells are all choices, beside two responses.

    Numbers are not taken for choices: they may count or grade something.
    """
    known = {column: fields.recognise(column) for column in table.columns}
    unknown = [column for column, field in known.items() if column and field is None]
    if not unknown or not SIDES & set(known.values()):
        return frozenset()
    rows = list(islice(readable_cells(table), SAMPLE_ROWS))
    return frozenset(column for column in unknown if _are_choices([row.get(column) for row in rows]))


def _are_choices(cells: list[object]) -> bool:
    """Return whether the cells, missing ones aside, are words for choices, for either response once."""
    present = [cell for cell in cells if not is_missing(cell)]
    choices = [
        choice_of(cell) for cell in present if isinstance(cell, str) and not cell.strip()[:1].isdigit()
    ]
    chosen = {choice[0] for choice in choices if choice is not None}
    return len(choices) == len(present) and None not in choices and {"a", "b"} <= chosen
