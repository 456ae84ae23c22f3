"""Vectors of numbers as people have them: lists, tuples, arrays, Series of pandas or polars."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from judgelab.errors import InvalidInput
from judgelab.imports.core.cells import is_missing
from judgelab.metaeval.core.arrays import Floats
from judgelab.scales.binary import WORDS


def vector(values: Any, name: str) -> Floats:
    """Return values as numbers, NaN where one is missing; yes and no, also in words, are 1 and 0.

    Raises:
        InvalidInput: it is no vector, or a value is no finite number.
    """
    if not _flat(values):
        raise InvalidInput(f"{name} must be one score after another, such as [3, 1, 2].")
    column: pd.Series[Any] = (
        values
        if isinstance(values, pd.Series)
        else pd.Series(list(values), dtype=object).infer_objects()
        if isinstance(values, (list, tuple))
        else pd.Series(np.asarray(values))
    )
    if pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype):
        numbers = _of_numbers(column, name)
    else:
        place, kinds = pd.factorize(column, use_na_sentinel=True)
        numbers = np.array([*(_number(value, name) for value in kinds), math.nan])[place]
    if np.isinf(numbers).any():
        at = int(np.flatnonzero(np.isinf(numbers))[0])
        raise InvalidInput(f"{name} is infinite in place {at + 1}; leave such a score out.")
    return numbers


def labels_and_pool(
    labelled: Any, judged: Any, pool: Any, call: str
) -> tuple[Floats, Floats, Floats, tuple[str, ...]]:
    """Return people's and the judge's scores of labelled units, the judge's of others, and what was left out.

    Raises:
        InvalidInput: the first two differ in length, or something is no vector of numbers.
    """
    human, judge = vector(labelled, "labelled"), vector(judged, "judged")
    others = vector(pool, "pool")
    if len(human) != len(judge):
        raise InvalidInput(
            f"labelled has {len(human)} values and judged has {len(judge)}; both need one for each labelled "
            f"response: {call}."
        )
    both, known = np.isfinite(human) & np.isfinite(judge), np.isfinite(others)
    notes = tuple(
        f"{lost:,} of {total:,} {what} left out, as a score is missing."
        for lost, total, what in (
            (int((~both).sum()), len(both), "labelled responses"),
            (int((~known).sum()), len(known), "other responses"),
        )
        if lost
    )
    return human[both], judge[both], others[known], notes


def _flat(values: Any) -> bool:
    try:
        return np.ndim(values) == 1 and not isinstance(values, str)
    except ValueError:  # lists of different lengths
        return False


def _of_numbers(column: pd.Series[Any], name: str) -> Floats:
    if pd.api.types.is_complex_dtype(column.dtype):
        raise InvalidInput(f"{name} has complex numbers; scores are real numbers.")
    numbers: Floats = column.to_numpy(dtype=float, na_value=np.nan)
    return numbers


def _number(value: Any, name: str) -> float:
    if value is None or value is pd.NA or is_missing(value):
        return math.nan
    word = value.strip().lower() if isinstance(value, str) else None
    if word in WORDS:
        return float(WORDS[word])
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} holds '{str(value)[:40]}', which is no number.") from None
