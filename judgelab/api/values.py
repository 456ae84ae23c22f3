"""Scores as people have them in frames: numbers, texts, words, missing; and the scales that they imply."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from judgelab.api.import_words import in_python
from judgelab.api.inferred_scales import inferred_scale, outside
from judgelab.errors import InvalidInput, UserError
from judgelab.imports.core.cells import is_missing
from judgelab.imports.core.word_scales import leading_number, word_scales_of
from judgelab.metaeval.core.arrays import Bools, Floats, Ints
from judgelab.scales import Scale, parse_scale, scale_from_json
from judgelab.scales.binary import WORDS
from judgelab.wording import sentence

_ENDS = re.compile(r"\s*(-?\d+)\s*(?:-|–|to)\s*(-?\d+)\s*")  # 1-5, 1 to 5
MOST_WORDS = 500  # different texts in a column of scores


class ReadScores(NamedTuple):
    """Scores as numbers, NaN where missing, each criterion's scale, notes, and which are outside."""

    numbers: Floats
    scales: dict[str, Scale]
    notes: list[str]
    outside: Bools


class _Cells(NamedTuple):
    """Each cell's number, NaN for a missing cell or a word, and the word's place in `words`, -1 for none."""

    numbers: Floats
    word: Ints
    words: tuple[str, ...]


def read_scores(
    column: pd.Series[Any],
    *,
    criterion: Ints,
    criteria: Sequence[str],
    judged: Bools,
    by_metric: Bools,
    scale: Any = None,
    raters: pd.Series[str],
    wide: bool = False,
) -> ReadScores:
    """Return the scores of a column.

    Args:
        column: the cells.
        criterion: the criterion of each cell, a place in `criteria`.
        criteria: names of the criteria.
        judged: which cells are judges' scores; a scale's points are taken from people's if there are any.
        by_metric: which cells are metrics' values, which are on no scale.
        scale: the scale as `scale_of` takes it, or one by criterion; inferred where not given.
        raters: the rater of each cell.
        wide: whether the column was put together from one column a rater, which messages name.

    Raises:
        InvalidInput: a cell is no score, or words and numbers are mixed.
    """
    cells = _cells(column)
    given = _given_scales(scale, criteria)
    numbers, scales, notes = cells.numbers.copy(), dict[str, Scale](), list[str]()
    beyond = np.zeros(len(numbers), dtype=bool)
    for place, name in enumerate(criteria):
        here = criterion == place if len(criteria) > 1 else np.ones(len(numbers), dtype=bool)
        if cells.words:
            _put_words(
                numbers,
                cells,
                here & ~by_metric,
                name=name,
                column=_column_of_words(column, cells, here & ~by_metric, raters if wide else None),
                given=given,
                notes=notes,
            )
        on_scale = here & ~by_metric & np.isfinite(numbers)
        if name not in given:
            given[name] = inferred_scale(name, numbers, on_scale, judged, notes)
        scales[name] = given[name]
        beyond |= on_scale & outside(scales[name], numbers)
        if (wrong := np.flatnonzero(beyond & here & ~judged)).size:
            notes.append(_people_outside(name, scales[name], numbers, wrong, raters))
    return ReadScores(numbers, scales, notes, beyond)


def _column_of_words(
    column: pd.Series[Any], cells: _Cells, here: Bools, raters: pd.Series[str] | None
) -> str:
    """Return the name of the column with words, that of the first rater who wrote one in a wide frame."""
    places = np.flatnonzero(here & (cells.word >= 0))
    return str(column.name) if raters is None or not len(places) else str(raters.iloc[places[0]])


def _people_outside(name: str, scale: Scale, numbers: Floats, places: Ints, raters: pd.Series[str]) -> str:
    example, n = f"{numbers[places[0]]:g} by {raters.iloc[places[0]]}", len(places)
    return (
        f"{n:,} human score{'s' if n > 1 else ''} under '{name}' ({example}) {'are' if n > 1 else 'is'} "
        f"outside the scale {scale.low:g} to {scale.high:g} and still count{'' if n > 1 else 's'}; give the "
        f"right scale, or missing=[{numbers[places[0]]:g}] if it means no score"
    )


def scale_of(scale: Any) -> Scale:
    """Return the scale that is given as a `Scale`, JSON, text ("1:5", "yes/no"), ends (1, 5) or labels.

    Raises:
        InvalidInput: it is none of these.
    """
    if isinstance(scale, Scale):
        return scale
    try:
        if (read := _json_of(scale)) is not None:
            return scale_from_json(read)
    except UserError as error:
        if not isinstance(scale, str):
            raise InvalidInput(f"scale={scale!r}: {str(error).rstrip('.')}.") from None
    raise InvalidInput(
        sentence(
            '{scale} is not a scale; write scale=(1, 5), scale="yes/no", scale=(0.0, 1.0) for numbers, or '
            'scale=["label", …] for labels without an order.',
            scale=repr(scale),
        )
    )


def _json_of(scale: Any) -> Mapping[str, Any] | None:
    if isinstance(scale, Mapping):
        return scale
    if isinstance(scale, str):
        if ends_written := _ENDS.fullmatch(scale):
            return {"kind": "ordinal", "low": int(ends_written[1]), "high": int(ends_written[2])}
        return parse_scale({"binary": "yes/no", "numeric": "number:0:1"}.get(scale, scale))
    ends = list(scale) if isinstance(scale, (tuple, list, np.ndarray)) else []
    if len(ends) == 2 and all(isinstance(end, (int, float, np.number)) for end in ends):
        whole = all(isinstance(end, (int, np.integer)) for end in ends)
        low, high = (int(end) if whole else float(end) for end in ends)
        return {"kind": "ordinal" if whole else "numeric", "low": low, "high": high}
    if ends and all(isinstance(end, str) for end in ends):
        return {"kind": "categorical", "labels": ends}
    return None


def _given_scales(scale: Any, criteria: Sequence[str]) -> dict[str, Scale]:
    if scale is None:
        return {}
    if isinstance(scale, Mapping) and "kind" not in scale:
        unknown = [str(name) for name in scale if str(name) not in criteria]
        if unknown:
            raise InvalidInput(
                sentence(
                    "scale names the criterion '{unknown}', but the criteria are {known}.",
                    unknown=unknown[0],
                    known=", ".join(criteria),
                )
            )
        return {str(name): scale_of(one) for name, one in scale.items()}
    return dict.fromkeys(criteria, scale_of(scale))


def _cells(column: pd.Series[Any]) -> _Cells:
    nothing = np.full(len(column), -1, dtype=np.int64)
    if pd.api.types.is_complex_dtype(column.dtype):
        raise InvalidInput(f"the column '{column.name}' has complex numbers; scores are real numbers.")
    if column.dtype.kind in "mM":
        raise InvalidInput(f"the column '{column.name}' has dates or times, which are no scores.")
    if pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype):
        numbers = column.to_numpy(dtype=float, na_value=np.nan)
        _refuse_infinite(numbers, column)
        return _Cells(numbers, nothing, ())
    code, values = pd.factorize(column, use_na_sentinel=True)
    uniques = list(values)
    as_number = np.array([_number(value) for value in uniques] + [np.nan])
    is_word = np.array([_is_word(value, n) for value, n in zip(uniques, as_number, strict=False)] + [False])
    numbers = as_number[code]
    _refuse_infinite(numbers, column)
    if not is_word.any():
        return _Cells(numbers, nothing, ())
    words = tuple(str(value).strip() for value, word in zip(uniques, is_word, strict=False) if word)
    if len(words) > MOST_WORDS:
        raise InvalidInput(
            sentence(
                "the column '{column}' has {n} different texts, such as '{example}', so it holds no scores; "
                'name the column of scores: jl.scores(df, columns={{"score": "…"}}).',
                column=str(column.name),
                n=len(words),
                example=words[0][:40],
            )
        )
    place = np.where(is_word, np.cumsum(is_word) - 1, -1)
    return _Cells(numbers, place[code].astype(np.int64), words)


def _number(value: Any) -> float:
    """Return a cell's number, NaN for a missing cell and for words."""
    if value is None or value is pd.NA or is_missing(value):
        return math.nan
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            leading = leading_number(value.strip())
            return leading if isinstance(leading, float) else math.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def _is_word(value: Any, number: float) -> bool:
    if not math.isnan(number) or value is None or value is pd.NA or is_missing(value):
        return False
    return not (isinstance(value, float) and math.isnan(value))


def _refuse_infinite(numbers: Floats, column: pd.Series[Any]) -> None:
    infinite = np.flatnonzero(np.isinf(numbers))
    if len(infinite):
        raise InvalidInput(
            sentence(
                "the column '{column}' is infinite in row {row}; leave such a score empty.",
                column=str(column.name),
                row=int(infinite[0]) + 1,
            )
        )


def _put_words(
    numbers: Floats,
    cells: _Cells,
    here: Bools,
    *,
    name: str,
    column: str,
    given: dict[str, Scale],
    notes: list[str],
) -> None:
    """Write the numbers that the words of one criterion stand for, and note its scale."""
    word = cells.word[here]
    used = np.unique(word[word >= 0])
    if not len(used):
        return
    words = [cells.words[place] for place in used]
    if name in given:
        meaning = _words_on(given[name], words, column)
    elif all(word.lower() in WORDS for word in words):
        meaning = {word: WORDS[word.lower()] for word in words}
    else:
        if np.isfinite(numbers[here & (cells.word < 0)]).any():
            raise InvalidInput(
                sentence(
                    "the column '{column}' has numbers and words, such as '{word}', for '{criterion}'; write "
                    "one of them, or leave the cell empty.",
                    column=column,
                    word=words[0][:40],
                    criterion=name,
                )
            )
        found = word_scales_of([{name: words}])
        if not found.criteria:
            raise InvalidInput(
                sentence(
                    "the column '{column}' holds '{word}', which is no score; give the scale: jl.scores(df, "
                    'scale=["label", …]) for labels, or name the column of scores.',
                    column=column,
                    word=words[0][:40],
                )
            )
        given[name] = scale_from_json(found.criteria[0].scale)
        notes.extend(map(in_python, found.notices()))
        meaning = _words_on(given[name], words, column)
    value = np.full(len(cells.words) + 1, np.nan)
    value[used] = [meaning[word] for word in words]
    is_word = here & (cells.word >= 0)
    numbers[is_word] = value[cells.word[is_word]]


def _words_on(scale: Scale, words: Sequence[str], column: str) -> dict[str, float]:
    labels = {point.label.casefold(): point.value for point in scale.points() if point.label}
    meaning = {}
    for word in words:
        value = labels.get(word.casefold(), WORDS.get(word.lower()) if scale.mean_is_share else None)
        if value is None:
            try:
                value = scale.read(word)
            except InvalidInput as error:
                raise InvalidInput(
                    sentence("the column '{column}': {error}", column=column, error=str(error))
                ) from None
        meaning[word] = value
    return meaning
