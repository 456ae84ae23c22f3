"""From the long frame of scores to arrays: the human score of each unit, and the other raters' scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from judgelab.domain import DECISION
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.aggregation import (
    MAJORITY,
    MEAN,
    Aggregation,
    aggregate,
    aggregation_of_labels,
    model_converged,
    score_per_rater_and_unit,
)
from judgelab.metaeval.core.arrays import Bools, Floats, Ints, unique_codes
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.score_columns import ScoreColumns, score_columns
from judgelab.scales import Scale
from judgelab.wording import sentence

__all__ = [
    "ScoredRater",
    "Rated",
    "UnitTable",
    "compared_raters",
    "criteria_without_scores",
    "unit_tables",
]

NO_Z_SCORES = sentence(
    "adjudicated scores can't be combined with z-scores; choose another way to combine ratings, or "
    "exclude the decisions."
)


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
        items: number of items that resamples draw from.
        humans: the human ratings, one a unit and rater.
        human_names: names of the human raters by number.
        human_score: the human score of each unit, NaN where the ratings give none (a tied vote).
        compared: the judges and metrics.
        aggregation: how ratings become the human score.
        systems: names of the systems by number.
        decided: what an adjudicator decided about each unit, NaN where nothing; None where decisions do not
            enter. A decided unit has that human score, and may have no rating left.
        words: words in each unit's response; None for pairs, and where no trivial baselines are asked for.
        longer: the label of each unit, a pair of responses, that names the longer one, NaN where a text is
            missing; None where units are not pairs, and where no trivial baselines are asked for.
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
    longer: Floats | None = None

    @property
    def tied(self) -> int:
        """Return the number of rated units without a score: several are equally frequent or probable."""
        rated = np.zeros(len(self.item), dtype=bool)
        rated[self.humans.unit] = True
        missing = rated & ~np.isfinite(self.human_score)
        return int(missing.sum()) if self.aggregation.leaves_ties_out else 0

    @cached_property
    def converged(self) -> bool:
        """Return whether the model of raters that gives the human scores has converged, if one does."""
        raters = len(self.human_names)
        return model_converged(self.humans, units=len(self.item), raters=raters, aggregation=self.aggregation)

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
            longer=None if self.longer is None else self.longer[units],
        )


def unit_tables(
    scores: pd.DataFrame,
    aggregation: Aggregation = MEAN,
    *,
    scales: Mapping[str, Scale] | None = None,
    words: pd.Series[Any] | None = None,
    longer: pd.Series[Any] | None = None,
    drawn_items: Sequence[Any] | pd.Index[Any] | None = None,
) -> list[UnitTable]:
    """Return one table per criterion that humans rated, in the frame's order.

    `aggregation` says how the ratings of a unit become its human score. With `words`, by response, the
    trivial baselines are included; a response missing there has none. With `longer`, the baselines of pairs
    are: by pair, the label that names the longer response; a pair missing there has none. Rows of the kind
    "decision" belong to no rater: they replace the human score of their unit. Missing and infinite scores are
    left out. Several scores of a rater for a unit (runs of a judge, a planned repeat of a person) count as
    their mean. Under criteria of which `scales` has a scale without an order, both are the most frequent
    label; ties are left out.

    Resamples draw from the items that humans rated under any criterion in the frame. `drawn_items` names all
    that they draw from instead, so that a part of the scores (one criterion, ratings that a filter keeps)
    gets the draws of the whole.
    """
    columns = score_columns(scores, words, longer)
    unordered = [name for name, scale in (scales or {}).items() if not scale.ordered]
    sets = [name for name, scale in (scales or {}).items() if scale.several]
    all_tables = (
        _table(columns, criterion, aggregation, ordered=name not in unordered, several=name in sets)
        for criterion, name in enumerate(columns.criteria)
    )
    tables = [table for table in all_tables if len(table.item)]
    rated = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(table.item for table in tables)]))
    number, items = _numbers_in_draws(rated, columns.items, drawn_items)
    return [replace(t, item=number[np.searchsorted(rated, t.item)], items=items) for t in tables]


def _numbers_in_draws(
    rated: Ints, names: pd.Index[Any], drawn_items: Sequence[Any] | pd.Index[Any] | None
) -> tuple[Ints, int]:
    """Return the number of each rated item among those drawn from, and how many there are."""
    number = np.arange(len(rated))
    if drawn_items is None:
        return number, len(rated)
    named = rated >= 0
    number[~named] = -1
    number[named] = pd.Index(drawn_items).get_indexer(names.take(rated[named]))
    others = number < 0
    number[others] = len(drawn_items) + np.arange(others.sum())
    return number, len(drawn_items) + int(others.sum())


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


def _table(
    columns: ScoreColumns, criterion: int, aggregation: Aggregation, *, ordered: bool, several: bool
) -> UnitTable:
    aggregation = aggregation if ordered else aggregation_of_labels(aggregation, several=several)
    included = columns.criterion == criterion
    rows = np.flatnonzero(included & columns.human)
    decision_rows = np.flatnonzero(included & columns.decision)
    responses, place = unique_codes(columns.response[np.concatenate([rows, decision_rows])])
    unit = place[: len(rows)]
    present, rater = unique_codes(columns.rater[rows])
    humans = score_per_rater_and_unit(unit, rater, columns.score[rows], ordered=ordered, several=several)
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
        _compared(
            columns,
            np.flatnonzero(included & ~columns.human & ~columns.decision),
            responses,
            MEAN if ordered else aggregation_of_labels(MAJORITY, several=several),
        ),
        aggregation,
        columns.systems,
        decided,
        None if columns.words is None else columns.words[responses],
        None if columns.longer is None else columns.longer[responses],
    )


def _compared(
    columns: ScoreColumns, rows: Ints, responses: Ints, how: Aggregation
) -> tuple[ScoredRater, ...]:
    place = np.full(len(columns.item_of), -1, dtype=np.int64)
    place[responses] = np.arange(len(responses))
    unit = place[columns.response[rows]]
    present, rater = unique_codes(columns.rater[rows])
    rated = unit >= 0
    key = unit[rated] + rater[rated] * len(responses)
    cells = len(responses) * len(present)
    score = aggregate(
        Rated(key, rater[rated], columns.score[rows][rated]), units=cells, raters=0, aggregation=how
    )
    by_rater = score.reshape(len(present), len(responses))
    return tuple(
        ScoredRater(name, kind, by_rater[i])
        for i, (name, kind) in enumerate(columns.raters[r] for r in present)
    )
