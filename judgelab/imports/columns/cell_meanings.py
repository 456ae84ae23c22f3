"""What the values of a column mean, as a person gave it: a choice of 1 is `a`, a score of "good" is 3."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.imports.columns.mapping import ColumnMapping
from judgelab.imports.core.cells import text_of
from judgelab.imports.core.problems import ProblemLog
from judgelab.wording import sentence

FIELDS = ("choice", "swapped_choice", "first", "score")
NO_VALUE = "none"
CHOICE_FIELDS = ("choice", "swapped_choice")
CHOICES = ("a", "b", "tie", NO_VALUE)
GENERAL = {"swapped_choice": "choice"}  # whose meanings hold where a field has none of its own
Meanings = Mapping[str, Mapping[str, str]]  # by field: the cell, in small letters, and its meaning
Rows = Callable[[ProblemLog], Iterator[tuple[int, Mapping[str, Any]]]]


def parse_meaning(text: str) -> tuple[str, str, str]:
    """Return (field, cell, meaning) of `choice:1=a`; raises `InvalidInput`.

    >>> parse_meaning("choice:model a=a"), parse_meaning("score[style]:good=3")
    (('choice', 'model a', 'a'), ('score[style]', 'good', '3'))
    """
    field, colon, rest = text.partition(":")
    cell, equals, meaning = rest.rpartition("=")
    name, (cell, meaning) = field.strip(), (cell.strip(), meaning.strip())
    if not (colon and equals and cell and meaning) or name.split("[")[0] not in FIELDS:
        raise InvalidInput(
            f"--value {text} is not valid; write FIELD:CELL=MEANING with one of the fields "
            f"{', '.join(FIELDS)}, for example choice:1=a."
        )
    if name.split("[")[0] in CHOICE_FIELDS and meaning not in CHOICES:
        raise InvalidInput(f"--value {text}: a choice can mean {', '.join(CHOICES)}.")
    return name, cell, meaning


def meanings_of(texts: Iterable[str]) -> Meanings:
    """Return the meanings that a person gave; raises `InvalidInput`, also for two meanings of one cell."""
    meanings: dict[str, dict[str, str]] = {}
    for field, cell, meaning in map(parse_meaning, texts):
        of_field = meanings.setdefault(field, {})
        if of_field.setdefault(_key(cell), meaning) != meaning:
            raise InvalidInput(
                sentence(
                    "--value gives two meanings to {field} '{cell}'; choose one.", field=field, cell=cell
                )
            )
    return meanings


def explains_numbers(meanings: Meanings) -> bool:
    """Return whether a number is said to mean one of two responses.

    The file then has codes of its own, so its other numbers have no usual meaning. A number that means a tie
    leaves 1 and 2 as they are.
    """
    return any(
        _is_number(cell) and meaning in ("a", "b")
        for field, of_field in meanings.items()
        if field.split("[")[0] in CHOICE_FIELDS
        for cell, meaning in of_field.items()
    )


def with_meanings(reader: Rows, mapping: ColumnMapping, meanings: Meanings) -> Rows:
    """Return a reader of the same rows, in whose cells of these fields each value is its meaning.

    Meanings of `choice` hold for `choice[CRITERION]`, `swapped_choice` and the columns of single raters,
    those of `score` likewise, unless there are others for the criterion.
    """
    compared = "choice" in meanings or "choice" in mapping.fields
    by_column = {}
    for use in mapping.uses:
        kind = use.field.split("[")[0]
        kind = kind if kind != "rater" else "choice" if compared else "score"
        if found := meanings.get(use.field) or meanings.get(kind) or meanings.get(GENERAL.get(kind, kind)):
            by_column[use.column] = found
    if not by_column:
        return reader

    def rows(problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, cells in reader(problems):
            changed = {
                column: found[key]
                for column, found in by_column.items()
                if not isinstance(cells.get(column), (list, dict))
                and (key := _key(cells.get(column))) in found
            }
            yield number, {**cells, **changed} if changed else cells

    return rows


def _key(value: Any) -> str:
    """Return a cell in small letters; 1.0 and "1.0" are "1"."""
    word = text_of(value).strip().casefold()
    return f"{float(word):g}" if _is_number(word) else word


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
