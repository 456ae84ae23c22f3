"""What the values of a column mean, as a person gave it: a choice of 1 is `a`, a score of "good" is 3."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.imports.columns.mapping import ColumnMapping
from judgelab.imports.core.cells import passes, text_of
from judgelab.imports.core.problems import ProblemLog
from judgelab.wording import sentence

FIELDS = ("choice", "swapped_choice", "first", "score")
NO_VALUE = "none"
CHOICE_FIELDS = ("choice", "swapped_choice")
CHOICES = ("a", "b", "tie", NO_VALUE)
GENERAL = {"swapped_choice": "choice"}  # whose meanings hold where a field has none of its own
_ABOVE_OR_BELOW = re.compile(r"([<>]=?)\s*([-+]?\d+(?:\.\d+)?)")  # in place of a cell: >0.5
# By field: the cell in small letters, or ">0.5" for all numbers above 0.5, and its meaning.
Meanings = Mapping[str, Mapping[str, str]]
Rows = Callable[[ProblemLog], Iterator[tuple[int, Mapping[str, Any]]]]


def parse_meaning(text: str) -> tuple[str, str, str]:
    """Return (field, cell, meaning) of `choice:1=a`; raises `InvalidInput`.

    >>> parse_meaning("choice:model a=a"), parse_meaning("score[style]:good=3")
    (('choice', 'model a', 'a'), ('score[style]', 'good', '3'))
    >>> parse_meaning("choice:>=0.5=b")
    ('choice', '>=0.5', 'b')
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
        (number_in(cell) is not None or _ABOVE_OR_BELOW.fullmatch(cell)) and meaning in ("a", "b")
        for field, of_field in meanings.items()
        if field.split("[")[0] in CHOICE_FIELDS
        for cell, meaning in of_field.items()
    )


def with_meanings(reader: Rows, mapping: ColumnMapping, meanings: Meanings) -> Rows:
    """Return a reader of the same rows, in whose cells of these fields each value is its meaning.

    Meanings of `choice` hold for `choice[CRITERION]`, `swapped_choice` and the columns of single raters,
    those of `score` likewise, unless there are others for the criterion.
    """
    by_column = meanings_by_column(mapping, meanings)
    if not by_column:
        return reader

    def rows(problems: ProblemLog) -> Iterator[tuple[int, Mapping[str, Any]]]:
        for number, cells in reader(problems):
            changed = {
                column: meaning
                for column, given in by_column.items()
                if (meaning := meaning_of(cells.get(column), given)) is not None
            }
            yield number, {**cells, **changed} if changed else cells

    return rows


def meanings_by_column(mapping: ColumnMapping, meanings: Meanings) -> dict[str, Mapping[str, str]]:
    """Return the meanings given for the cells of each column."""
    compared = "choice" in meanings or "choice" in mapping.fields
    by_column = {}
    for use in mapping.uses:
        kind = use.field.split("[")[0]
        kind = kind if kind != "rater" else "choice" if compared else "score"
        if given := meanings.get(use.field) or meanings.get(kind) or meanings.get(GENERAL.get(kind, kind)):
            by_column[use.column] = given
    return by_column


def words_with_meanings(
    words: Mapping[str, Sequence[str]], meanings: Meanings
) -> Mapping[str, Sequence[str]]:
    """Return the words by question, with "cannot judge" in place of those that mean it.

    >>> words_with_meanings({"tone": ("Red", "?!")}, {"score": {"?!": "cannot_judge"}})
    {'tone': ['Red', 'cannot_judge']}
    """
    return {
        question: [
            meaning if (meaning := meaning_of(word, given)) and passes(meaning) else word for word in chosen
        ]
        for question, chosen in words.items()
        for given in [meanings.get(f"score[{question}]") or meanings.get("score") or {}]
    }


def meaning_of(cell: Any, given: Mapping[str, str]) -> str | None:
    """Return the meaning given to a cell, or to the numbers above or below one, or None.

    >>> given = {">0.5": "a", "0.5": "tie", "<0.5": "b"}
    >>> [meaning_of(cell, given) for cell in (0.93, "0.5", "0", "0,5")]
    ['a', 'tie', 'b', None]
    """
    if not given or isinstance(cell, (list, dict)):
        return None
    if (key := _key(cell)) in given:
        return given[key]
    if (number := number_in(cell)) is None:
        return None
    return next((meaning for word, meaning in given.items() if _is_in(number, word)), None)


def _is_in(number: float, word: str) -> bool:
    """Return whether a number is in the range that `word` names, such as ">=0.5"."""
    found = _ABOVE_OR_BELOW.fullmatch(word)
    if found is None:
        return False
    end = float(found[2])
    return (number == end and "=" in found[1]) or (number > end if found[1][0] == ">" else number < end)


def _key(value: Any) -> str:
    """Return a cell in small letters; 1.0 and "1.0" are "1"."""
    number = number_in(value)
    return f"{number:g}" if number is not None else text_of(value).strip().casefold()


def number_in(cell: Any) -> float | None:
    """Return the number in a cell, or None; true, false and nan are none."""
    if isinstance(cell, (bool, list, dict)):
        return None
    try:
        number = float(text_of(cell))
    except ValueError:
        return None
    return number if math.isfinite(number) else None
