"""Properties of whole columns: how ids and dates are written, and which words stand for scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.imports.columns.mapping import ColumnMapping, names_sides
from judgelab.imports.columns.tables import Table
from judgelab.imports.core import fields
from judgelab.imports.core.cells import is_missing, name_of, score_of, single_value
from judgelab.imports.core.choice_words import USUAL_NUMBERS, ChoiceNumbers
from judgelab.imports.core.identifiers import is_whole_number
from judgelab.imports.core.problems import ProblemLog
from judgelab.imports.core.scale_inference import key_of
from judgelab.imports.core.times import day_comes_first, is_ordered
from judgelab.imports.files.sources import Unreadable
from judgelab.scales.binary import WORDS

SAMPLE_ROWS = 200  # first rows; the whole file is read only if one of them has such a value
MAX_WORDS, MAX_WORD_LENGTH = 30, 60  # a scale of words has no more; others are texts


@dataclass(frozen=True)
class Habits:
    """How a file writes values that can be written in several ways.

    Attributes:
        day_first: whether 1/2/2024 is in February; None if it cannot be inferred.
        integer_columns: the name columns in which all values are whole numbers written as 1.0.
        words: the words that stand for scores, by criterion.
        both_orders: whether somebody compared the same two responses in both orders of the columns, so that
            the response named first was probably shown first.
        numbers: what the numbers in choices can mean.
    """

    day_first: bool | None = None
    integer_columns: frozenset[str] = frozenset()
    words: Mapping[str, Sequence[str]] = field(default_factory=dict)
    both_orders: bool = False
    numbers: ChoiceNumbers = USUAL_NUMBERS


def habits_of(table: Table, mapping: ColumnMapping, *, criteria: Sequence[str]) -> Habits:
    """Return the habits of a file.

    Args:
        table: the file.
        mapping: the meaning of its columns.
        criteria: the project's criteria, whose scales already define their words.
    """
    names = [use.column for use in mapping.uses if use.field in fields.NAMES]
    time = mapping.column("rated_at") or ""
    scored = _score_columns(mapping)
    first = list(islice(readable_cells(table), SAMPLE_ROWS))
    doubtful = [name for name in names if any(is_whole_number(row.get(name)) for row in first)]
    dated = any(is_ordered(row.get(time)) for row in first)
    worded = any(_word(row.get(column)) for row in first for column in scored)
    whole = frozenset(
        name for name in doubtful if all(_may_be_whole(row.get(name)) for row in readable_cells(table))
    )
    return Habits(
        day_comes_first(row.get(time) for row in readable_cells(table)) if dated else None,
        whole,
        _words(table, mapping, scored, criteria) if worded and not table.words else {},
        _has_both_orders(table, mapping),
    )


def readable_cells(table: Table) -> Iterator[Mapping[str, Any]]:
    """Yield the cells of the readable rows; problems with others are reported when the file is imported."""
    try:
        for _, cells in table.reader(ProblemLog()):
            yield cells
    except (Unreadable, UnicodeDecodeError):
        return


def _has_both_orders(table: Table, mapping: ColumnMapping) -> bool:
    sides = [mapping.column(f"system_{side}") or mapping.column(f"response_{side}") for side in "ab"]
    if None in sides or "choice" not in mapping.fields or "first" in mapping.fields:
        return False
    named = [mapping.column(name) for name in ("item_id", "rater", "criterion")]
    if named[0] is None:
        named += [mapping.column("question"), mapping.column("input")]
    seen: set[int] = set()
    for row in readable_cells(table):
        first, second = (name_of(row.get(side or "")) for side in sides)
        unit = tuple(name_of(row.get(column or "")) for column in named)
        if first != second and hash((unit, second, first)) in seen:
            return True
        seen.add(hash((unit, first, second)))
    return False


def _may_be_whole(value: Any) -> bool:
    return is_whole_number(value) or is_missing(value)


def _score_columns(mapping: ColumnMapping) -> dict[str, str]:
    """Return the score columns with their criteria; "" if another column has the criterion."""
    if names_sides(mapping) and "score" not in mapping.fields:
        return {}  # raters' columns have choices
    columns = {use.column: fields.parameter(use.field) or "" for use in mapping.starting("score[")}
    columns |= dict.fromkeys((use.column for use in mapping.starting("rater[")), "")
    return columns | ({mapping.column("score") or "": ""} if "score" in mapping.fields else {})


def _words(
    table: Table, mapping: ColumnMapping, scored: Mapping[str, str], criteria: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    existing, named = {key_of(key) for key in criteria}, mapping.column("criterion") or ""
    seen: dict[str, dict[str, None]] = {}
    others: set[str] = set()  # criteria that also have numbers, or too many words for a scale
    for row in readable_cells(table):
        for column, criterion in scored.items():
            question = criterion or name_of(row.get(named)) or ("" if criteria else "Score")
            value = single_value(row.get(column))
            if not question or is_missing(value) or question in others or key_of(question) in existing:
                continue
            word = _word(value)
            chosen = seen.setdefault(question, {})
            chosen[word] = None
            if not word or len(chosen) > MAX_WORDS:
                others.add(question)
    return {question: tuple(words) for question, words in seen.items() if question not in others}


def _word(value: Any) -> str:
    """Return the word that a cell has as a score, or "" if it has a number, a long text or nothing."""
    value = single_value(value)
    if not isinstance(value, str) or is_missing(value) or len(value) > MAX_WORD_LENGTH:
        return ""
    word = value.strip()
    if word.lower() in WORDS and not word[:1].isdigit():
        return word
    try:
        score_of(word)
    except InvalidInput:
        return word
    return ""
