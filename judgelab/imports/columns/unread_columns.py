"""Columns and keys that are not read although they have a known meaning or look like scores."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from judgelab.domain import Problem
from judgelab.imports.columns.mapping import (
    ColumnMapping,
    ColumnUse,
    Kind,
    has_responses,
    has_texts,
    may_compare,
)
from judgelab.imports.columns.tables import Table
from judgelab.imports.core import fields
from judgelab.imports.core.cells import is_missing
from judgelab.imports.core.problems import ProblemLog, listing
from judgelab.imports.files.sources import Unreadable
from judgelab.wording import sentence

SAMPLE_ROWS = 200  # rows in which values are looked at
# Columns by which flat exports of annotation tools are known: Label Studio, Prodigy.
OF_TOOLS = (frozenset({"annotation_id", "lead_time"}), frozenset({"annotator_id", "session_id"}))
_ALWAYS = frozenset({"item_id", "question", "input", "context", "purpose", "cohort", "gold", "response"})
_WITH_TEXTS = frozenset({"group", "reference", "meta", "responses"})
_OF_SCORES = frozenset({"score", "samples", "reply", "ratings", "rater[", "aggregate"})
_RATING_DETAILS = frozenset({"rater", "rater_kind", "comment", "rated_at"})
_NAMED = re.compile(
    r"score|rating|rated|grade|likert|quality|verdict|label|correct|relevan|coheren|fluen|consisten|helpful"
    r"|faithful|accura|prefer|winner|judg|annotat|vote|^value$"
)
_COUNTED = re.compile(
    r"(^|_)(id|ids|idx|index|no|nr|number|count|len|length|tokens?|words?|seed|fold|turn|row|line|position"
    r"|order|page|year|seconds?|time|duration|cost|price|split|version|type|name|at)$"
)
_LOWEST, _HIGHEST = -5, 10  # numbers in this range are probably points of a scale; others count something


def unused_columns(mapping: ColumnMapping, kind: Kind) -> tuple[ColumnUse, ...]:
    """Return the columns with a known meaning that are not used for files of this kind."""
    return tuple(
        use for use in mapping.uses if use.field != fields.IGNORED and not _is_used(use.field, mapping, kind)
    )


def _is_used(field: str, mapping: ColumnMapping, kind: Kind) -> bool:
    head, mapped = field.split("[")[0], mapping.fields
    scored, compared = kind in {"ratings", "judgments"}, may_compare(mapping, kind)
    if head in _ALWAYS:
        return True
    if head in _WITH_TEXTS or head.removeprefix("reference_").isdigit():
        return has_texts(mapping, kind)
    if head in {"system", "response_id"}:
        return scored or has_responses(mapping) or any(mapping.starting("gold["))
    if field.startswith("rater["):
        return scored or kind == "preferences"
    if head in _OF_SCORES:
        return scored
    if head in _RATING_DETAILS:
        return scored or compared
    if head == "criterion":
        return (scored and not any(mapping.starting("score["))) or compared
    if head == "reference_grade":
        return "reference" in mapped and has_texts(mapping, kind)
    if head == "tolerance":
        return any(mapping.starting("gold["))
    if head in {"best", "worst"}:
        return compared and {"best", "worst"} <= mapped
    if head == "ranking":
        return compared
    chosen = "choice" in mapped or any((*mapping.starting("choice["), *mapping.starting("rater[")))
    return compared and chosen


def unclear_score(table: Table, mapping: ColumnMapping) -> Problem | None:
    """Return the question which column has the annotators' scores, or None.

    Flat exports of annotation tools can have both a task's own `score` and the annotators' answers, in
    columns named after the questions.
    """
    column, names = mapping.column("score"), set(map(fields.snake_case, table.columns))
    labels = [name for name in mapping.ignored if fields.snake_case(name) in ("label", "labels")]
    of_tool = any(marks <= names for marks in OF_TOOLS)
    if not column or not (of_tool or labels):
        return None
    try:
        rows = [cells for _number, cells in islice(table.reader(ProblemLog()), SAMPLE_ROWS)]
    except (Unreadable, UnicodeDecodeError):
        return None  # reported when the file is read
    # Doccano lists its labels.
    if not of_tool and not any(isinstance(row.get(name), list) for row in rows for name in labels):
        return None
    if not (others := list(score_like_columns(mapping.ignored, rows))):
        return None
    message = sentence(
        "'{column}' may be a field of the task and not an annotator's answer, since {others} may be one as "
        "well; name the column with the answers: --map score=COLUMN",
        column=column,
        others=listing(others),
    )
    return Problem(message, row=table.notes.header_row, column=column)


def score_like_columns(columns: Iterable[str], rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the columns, and the keys of nested objects, that look like scores.

    >>> rows = [{"id": 1, "year": 2024, "fluency": "4", "marks": [{"by": "ann", "style": 2}], "url": "x"}]
    >>> list(score_like_columns(rows[0], rows))
    ['fluency', 'marks.style']
    """
    for column in columns:
        values = [value for row in rows if not is_missing(value := row.get(column))]
        nested = [value for value in values if isinstance(value, (list, tuple, Mapping))]
        if nested:
            yield from dict.fromkeys(
                f"{column}.{key}" if key else column for value in nested for key in _scored_keys(value)
            )
        elif _looks_scored(column, values):
            yield column


def _scored_keys(value: Any, within: str = "") -> Iterator[str]:
    """Yield the keys of an object, or of the objects in a list, whose numbers may be scores."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            name = f"{within}.{key}" if within else str(key)
            if isinstance(inner, (list, tuple, Mapping)):
                yield from _scored_keys(inner, name)
            elif _looks_scored(str(key), [inner]):
                yield name
    elif isinstance(value, (list, tuple)):
        for inner in value:
            if isinstance(inner, Mapping):
                yield from _scored_keys(inner, within)
            elif _looks_scored(within.rpartition(".")[2], [inner]):
                yield within


def _looks_scored(name: str, values: Sequence[Any]) -> bool:
    word = fields.snake_case(name)
    if not values or _COUNTED.search(word):
        return False
    numbers = [number for value in values if (number := _number(value)) is not None]
    if len(numbers) < len(values):
        return bool(_NAMED.search(word)) and all(len(str(value)) <= 40 for value in values)
    return bool(_NAMED.search(word)) or all(_LOWEST <= number <= _HIGHEST for number in numbers)


def _number(value: Any) -> float | None:
    """Return a cell as a number, or None; true and false are not numbers here."""
    try:
        return None if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        return None
