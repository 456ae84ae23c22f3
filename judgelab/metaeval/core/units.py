"""From the long frame of scores to arrays: the human score of each unit, and the other raters' scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from judgelab.domain import DECISION
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.aggregation import MEAN, Aggregation, aggregate
from judgelab.metaeval.core.arrays import Bools, Floats, Ints, unique_codes
from judgelab.metaeval.core.ratings import Rated
from judgelab.wording import sentence

__all__ = [
    "ScoredRater",
    "Rated",
    "UnitTable",
    "compared_raters",
    "criteria_without_scores",
    "mean_per_rater_and_unit",
    "unit_tables",
]

NO_Z_SCORES = sentence(
    "adjudicated scores can't be combined with z-scores; choose another way to combine ratings, or "
    "exclude the decisions."
)
NEEDED = ("item", "response", "system", "group", "criterion", "rater", "rater_kind", "score")


class ScoredRater(NamedTuple):
    """A judge's or metric's score for each unit, NaN where it gave none."""

    name: str
    kind: str
    scores: Floats


@dataclass(frozen=True)
class UnitTable:
    """The units of one criterion that humans rated.

    Args:
        criterion: its key.
        item: item of each unit; the same number is the same item in the tables of all criteria.
        system: system of each unit, -1 where the response names none.
        group: group of each unit, -1 where the item has none.
        items: number of items that humans rated under any criterion.
        humans: the human ratings, one a unit and rater.
        human_names: names of the human raters by number.
        human_score: the human score of each unit, NaN where the ratings give none (a tied vote).
        compared: the judges and metrics.
        aggregation: how ratings become the human score.
        systems: names of the systems by number.
        decided: what an adjudicator decided about each unit, NaN where nothing; None where decisions do not
            enter. A decided unit has that human score, and may have no rating left.
        words: words in each unit's response; None where no trivial baselines are asked for.
    """

    criterion: str
    item: Ints
    system: Ints
    group: Ints
    items: int
    humans: Rated
    human_names: tuple[str, ...]
    human_score: Floats
    compared: tuple[ScoredRater, ...]
    aggregation: Aggregation = MEAN
    systems: tuple[str, ...] = ()
    decided: Floats | None = None
    words: Floats | None = None

    def kept(self, keep: Bools) -> UnitTable:
        """Return the table with these human ratings only; items and raters keep their numbers."""
        ratings = self.humans.where(keep)
        units, unit = np.unique(ratings.unit, return_inverse=True)
        humans = ratings._replace(unit=unit.reshape(-1))
        decided = None if self.decided is None else self.decided[units]
        return replace(
            self,
            item=self.item[units],
            system=self.system[units],
            group=self.group[units],
            humans=humans,
            human_score=human_score(
                humans, decided, units=len(units), raters=len(self.human_names), aggregation=self.aggregation
            ),
            decided=decided,
            compared=tuple(rater._replace(scores=rater.scores[units]) for rater in self.compared),
            words=None if self.words is None else self.words[units],
        )


@dataclass(frozen=True)
class _Columns:
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
    systems: tuple[str, ...]
    words: Floats | None


def unit_tables(
    scores: pd.DataFrame, aggregation: Aggregation = MEAN, *, words: pd.Series[Any] | None = None
) -> list[UnitTable]:
    """Return one table per criterion that humans rated, in the frame's order.

    `aggregation` says how the ratings of a unit become its human score. With `words`, by response, the
    trivial baselines are included; a response missing there has none. Rows of the kind "decision" belong to
    no rater: they replace the human score of their unit. Missing and infinite scores are left out. Several
    scores of a rater for a unit (runs of a judge, a planned repeat of a person) count as their mean.
    """
    columns = _columns(scores, words)
    all_tables = (_table(columns, criterion, aggregation) for criterion in range(len(columns.criteria)))
    tables = [table for table in all_tables if len(table.item)]
    rated = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(table.item for table in tables)]))
    return [replace(t, item=np.searchsorted(rated, t.item), items=len(rated)) for t in tables]


def compared_raters(scores: pd.DataFrame, tables: Sequence[UnitTable]) -> list[tuple[str, str]]:
    """Return (name, kind) of every judge and metric, by kind and name.

    With several criteria, raters that scored nothing people rated are included, for the row of the mean.
    """
    raters = {(rater.name, rater.kind) for table in tables for rater in table.compared}
    if len(tables) > 1:
        not_human = scores.loc[
            ~scores["rater_kind"].isin(("human", DECISION)), ["rater", "rater_kind"]
        ].drop_duplicates()
        raters |= {(str(name), str(kind)) for name, kind in not_human.itertuples(index=False)}
    return sorted(raters, key=lambda rater: rater[::-1])


def criteria_without_scores(tables: Sequence[UnitTable], rater: tuple[str, str]) -> list[str]:
    """Return the criteria under which the rater scored none of the responses that people rated."""
    return [
        table.criterion
        for table in tables
        if not any((r.name, r.kind) == rater and np.isfinite(r.scores).any() for r in table.compared)
    ]


def human_score(
    humans: Rated, decided: Floats | None, *, units: int, raters: int, aggregation: Aggregation
) -> Floats:
    """Return the human score of each unit: the decided one, else the aggregate of its ratings.

    Raises:
        InvalidInput: decided scores are on the criterion's scale and the aggregation's are not.
    """
    aggregated = aggregate(humans, units=units, raters=raters, aggregation=aggregation)
    if decided is None:
        return aggregated
    if not aggregation.on_scale:
        raise InvalidInput(NO_Z_SCORES)
    return np.where(np.isfinite(decided), decided, aggregated)


def mean_per_rater_and_unit(unit: Ints, rater: Ints, score: Floats) -> Rated:
    """Return the ratings, with several scores of one rater for one unit replaced by their mean."""
    key = unit * (int(rater.max()) + 1 if len(rater) else 1) + rater
    if (np.diff(np.sort(key)) > 0).all():
        return Rated(unit, rater, score)
    order = np.argsort(key, kind="stable")
    sorted_key = key[order]
    first = np.flatnonzero(np.diff(sorted_key, prepend=-1))
    size = np.diff(first, append=len(key))
    keep = order[first]
    return Rated(unit[keep], rater[keep], np.add.reduceat(score[order], first) / size)


def _columns(scores: pd.DataFrame, words: pd.Series[Any] | None) -> _Columns:
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
    return _Columns(
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
        tuple(map(str, pd.factorize(per_response["system"])[1])),
        None if words is None else words.reindex(responses).fillna(0).to_numpy(dtype=float),
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


def _table(columns: _Columns, criterion: int, aggregation: Aggregation) -> UnitTable:
    included = columns.criterion == criterion
    rows = np.flatnonzero(included & columns.human)
    decision_rows = np.flatnonzero(included & columns.decision)
    responses, place = unique_codes(columns.response[np.concatenate([rows, decision_rows])])
    unit = place[: len(rows)]
    present, rater = unique_codes(columns.rater[rows])
    humans = mean_per_rater_and_unit(unit, rater, columns.score[rows])
    decided = None
    if columns.decision.any():
        decided = np.full(len(responses), np.nan)
        decided[place[len(rows) :]] = columns.score[decision_rows]
    return UnitTable(
        columns.criteria[criterion],
        columns.item_of[responses],
        columns.system_of[responses],
        columns.group_of[responses],
        0,
        humans,
        tuple(columns.raters[r][0] for r in present),
        human_score(humans, decided, units=len(responses), raters=len(present), aggregation=aggregation),
        _compared(columns, np.flatnonzero(included & ~columns.human & ~columns.decision), responses),
        aggregation,
        columns.systems,
        decided,
        None if columns.words is None else columns.words[responses],
    )


def _compared(columns: _Columns, rows: Ints, responses: Ints) -> tuple[ScoredRater, ...]:
    place = np.full(len(columns.item_of), -1, dtype=np.int64)
    place[responses] = np.arange(len(responses))
    unit = place[columns.response[rows]]
    present, rater = unique_codes(columns.rater[rows])
    rated = unit >= 0
    key = unit[rated] + rater[rated] * len(responses)
    cells = len(responses) * len(present)
    size = np.bincount(key, minlength=cells)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(key, columns.score[rows][rated], minlength=cells) / size
    by_rater = mean.reshape(len(present), len(responses))
    return tuple(
        ScoredRater(name, kind, by_rater[i])
        for i, (name, kind) in enumerate(columns.raters[r] for r in present)
    )
