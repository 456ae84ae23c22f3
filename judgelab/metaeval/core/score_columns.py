"""The columns of the long frame of scores as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from judgelab.domain import DECISION
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.arrays import Bools, Floats, Ints, unique_codes

NEEDED = ("item", "response", "system", "group", "criterion", "rater", "rater_kind", "score")


@dataclass(frozen=True)
class ScoreColumns:
    """The frame's columns as numbers; per rating first, then per response."""

    response: Ints
    criterion: Ints
    rater: Ints
    score: Floats
    human: Bools
    decision: Bools
    item_of: Ints
    system_of: Ints
    group_of: Ints
    criteria: tuple[str, ...]
    raters: tuple[tuple[str, str], ...]
    items: pd.Index[Any]
    systems: tuple[str, ...]
    words: Floats | None
    longer: Floats | None


def score_columns(
    scores: pd.DataFrame, words: pd.Series[Any] | None, longer: pd.Series[Any] | None = None
) -> ScoreColumns:
    """Return the columns of the scores that count: finite ones, no samples beside their aggregate."""
    lacking = [name for name in NEEDED if name not in scores.columns]
    if lacking:
        raise InvalidInput(f"the frame of scores lacks the columns {', '.join(lacking)}")
    value = scores["score"].to_numpy(dtype=float, na_value=np.nan)
    usable = np.isfinite(value) & ~_single_samples(scores)
    if not usable.all():
        scores, value = scores[usable], value[usable]
    response, responses = pd.factorize(scores["response"])
    first = _first_places(response)
    per_response = scores.iloc[first]
    criterion, criteria = pd.factorize(scores["criterion"])
    kind, kinds = pd.factorize(scores["rater_kind"])
    name, names = pd.factorize(scores["rater"])
    pairs, rater = unique_codes(name * max(1, len(kinds)) + kind)
    raters = [(str(names[p // len(kinds)]), str(kinds[p % len(kinds)])) for p in pairs]
    return ScoreColumns(
        response.astype(np.int64),
        criterion.astype(np.int64),
        rater,
        value,
        np.array([k == "human" for _, k in raters], dtype=bool)[rater],
        np.array([k == DECISION for _, k in raters], dtype=bool)[rater],
        _named(per_response["item"]),
        _named(per_response["system"]),
        _named(per_response["group"]),
        tuple(map(str, criteria)),
        tuple(raters),
        pd.Index(pd.factorize(per_response["item"])[1]),
        tuple(map(str, pd.factorize(per_response["system"])[1])),
        None if words is None else words.reindex(responses).fillna(0).to_numpy(dtype=float),
        None if longer is None else longer.reindex(responses).to_numpy(dtype=float),
    )


def _single_samples(scores: pd.DataFrame) -> Bools:
    """Return which rows are single samples of a judge whose aggregate is in the frame too."""
    marked = np.zeros(len(scores), dtype=bool)
    if "sample" not in scores.columns:
        return marked
    single = scores["sample"].notna().to_numpy()
    if single.all() or not single.any():
        return marked
    aggregates = scores.loc[~single, ["response", "criterion", "rater", "run"]].drop_duplicates()
    keys = ["response", "criterion", "rater", "run"]
    matched = (
        scores.loc[single, keys].merge(aggregates, on=keys, how="left", indicator=True)["_merge"] == "both"
    )
    marked[np.flatnonzero(single)] = matched.to_numpy()
    return marked


def _first_places(codes: Ints) -> Ints:
    """Return the first position of each code; codes are numbered in order of appearance."""
    first = np.zeros(int(codes.max()) + 1 if len(codes) else 0, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


def _named(column: pd.Series[str]) -> Ints:
    """Return codes of names, -1 for a missing or empty one."""
    code, names = pd.factorize(column)
    code = code.astype(np.int64)
    empty = np.flatnonzero(np.asarray(names.astype(str)) == "") if len(names) else np.zeros(0, dtype=np.int64)
    return np.where(np.isin(code, empty), -1, code)
