"""Judges beside the human ceiling: both on the same targets, and the difference with its interval."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from judgelab.metaeval.aggregation import MEAN, Aggregation
from judgelab.metaeval.arrays import Floats, apart, distinct
from judgelab.metaeval.ceiling import CEILING, LeftOut
from judgelab.metaeval.coefficients import scale_kind
from judgelab.metaeval.estimates import Recipe, compare_each, mean_of, recipe_for, rows_of, scores_beside
from judgelab.metaeval.pairing import Measured
from judgelab.metaeval.result import AgreementRow, Estimate
from judgelab.metaeval.units import UnitTable, compared_raters, lacking_criteria, unit_tables
from judgelab.scales import Scale
from judgelab.wording import sentence


@dataclass(frozen=True)
class BesideRow:
    """One judge or metric beside the humans, under one criterion or on the average of all.

    Args:
        estimate: its agreement with the mean of all humans but one, averaged over the humans left out.
        difference: `estimate` minus the agreement of the human left out, on the units the judge scored.
            Negative is below the ceiling; for an error, positive is worse.
    """

    rater: str
    rater_kind: str
    criterion: str
    level: str
    coefficient: str
    estimate: Estimate
    difference: Estimate

    def raters_elsewhere(self, ceiling: Estimate | None, *, digits: int) -> float | None:
        """Return the raters' agreement on what this one scored, where the ceiling is printed otherwise.

        The ceiling stands on all that two raters rated. Of those, a judge may have left some unscored; the
        difference is taken on the others, and is not that of the two numbers printed. None where it is.
        """
        if ceiling is None or ceiling.value is None:
            return None
        if self.estimate.value is None or self.difference.value is None:
            return None
        there = self.estimate.value - self.difference.value
        return there if round(there, digits) != round(ceiling.value, digits) else None

    def to_json(self) -> dict[str, Any]:
        """Return the row of `judgelab agreement --beside --json`: one of agreement, the difference added."""
        whole = AgreementRow(
            self.rater, self.rater_kind, self.criterion, self.level, self.coefficient, self.estimate
        )
        apart = self.difference
        return {
            **whole.to_json(),
            "difference": apart.value,
            "difference_ci": list(apart.ci) if apart.ci else None,
            "difference_reason": apart.reason,
        }


AnyRow = AgreementRow | BesideRow


class _Both(NamedTuple):
    own: Measured
    apart: Measured


@dataclass(frozen=True)
class BesideAndCeiling:
    """Judges and metrics beside the humans and, from the same measurements, the human ceiling.

    Args:
        rows: one per judge or metric and criterion, with the difference to the human left out.
    """

    rows: list[BesideRow]
    tables: Sequence[UnitTable]
    left_out: Mapping[str, LeftOut]
    recipe: Recipe

    def ceiling(self) -> list[AgreementRow]:
        """Return the human ceiling of the same statistic."""
        found = rows_of(
            self.tables,
            lambda table, _: self.left_out[table.criterion].ceiling(),
            rater=CEILING,
            kind="human",
            recipe=self.recipe,
        )
        return list(found)


def beside_and_ceiling(
    scores: pd.DataFrame,
    *,
    scales: Mapping[str, Scale],
    level: str,
    coefficient: str,
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
    aggregation: Aggregation = MEAN,
    own_scale: Collection[str] = (),
    tables: Sequence[UnitTable] | None = None,
) -> BesideAndCeiling:
    """Return judges and metrics beside the humans, and the human ceiling, each human left out only once.

    For each human, judge and human meet the same target, the mean of the other humans, on the same units
    and in the same resamples; a difference whose interval holds 0 could be chance. A human for whom either
    is undefined is left out of both. Undefined, with the reason, when no unit has two human ratings.
    Arguments as in `agreement`: what needs the scale is undefined for judges named in `own_scale`.
    """
    tables = unit_tables(scores, aggregation) if tables is None else tables
    recipe = recipe_for(
        tables, scales, levels=[level], coefficients=[coefficient], constant_groups=constant_groups,
        resamples=resamples, seed=seed, targets="leave_one_out",
    )  # fmt: skip
    left_out = {table.criterion: LeftOut(table, recipe.wanted[0], recipe) for table in tables}
    rows = []
    for name, kind in compared_raters(scores, tables):
        lacking = lacking_criteria(tables, (name, kind))
        meant = scale_kind(name, kind, own_scale)
        rows += _rows(
            _of_rater(tables, name, kind),
            name,
            kind,
            meant,
            left_out=left_out,
            recipe=recipe,
            lacking=lacking,
        )
    return BesideAndCeiling(rows, tables, left_out, recipe)


def _of_rater(tables: Sequence[UnitTable], name: str, kind: str) -> list[tuple[UnitTable, Floats]]:
    """Return the tables in which the rater has scores, each with them."""
    return [
        (table, rater.scores)
        for table in tables
        for rater in table.compared
        if (rater.name, rater.kind) == (name, kind)
    ]


def _rows(
    beside: Sequence[tuple[UnitTable, Floats]],
    name: str,
    kind: str,
    meant: str,
    *,
    left_out: Mapping[str, LeftOut],
    recipe: Recipe,
    lacking: Sequence[str],
) -> list[BesideRow]:
    tables = [table for table, _ in beside]
    both = {table.criterion: _both(left_out[table.criterion], scores, kind=meant) for table, scores in beside}
    of_rater = partial(rows_of, tables, rater=name, kind=kind, recipe=recipe, lacking=lacking)
    own = of_rater(lambda table, _: both[table.criterion].own)
    apart = of_rater(lambda table, _: both[table.criterion].apart)
    return [
        BesideRow(name, kind, row.criterion, row.level, row.coefficient, row.estimate, difference.estimate)
        for row, difference in zip(own, apart, strict=True)
    ]


def _both(left_out: LeftOut, scores: Floats, *, kind: str) -> _Both:
    """Measure the rater, and its distance from the human left out, over all humans that allow both."""
    table, recipe, targets = left_out.table, left_out.recipe, left_out.targets
    if not targets:
        none = Measured(math.nan, sentence("no unit has two human ratings"), n=int(np.isfinite(scores).sum()))
        return _Both(none, none)
    beside = [scores_beside(target, scores) for target in targets]
    judged = compare_each(table, beside, wanted=recipe.wanted[0], kind=kind, recipe=recipe)
    humans = left_out.measured([np.isfinite(target.beside) for target in beside])
    found = [_Both(own, _minus(own, theirs)) for own, theirs in zip(judged, humans, strict=True)]
    usable = [both for both in found if both.apart.reason is None] or found
    met = distinct(np.concatenate([t.unit[np.isfinite(scores[t.unit])] for t in targets]))
    own, apart = (mean_of([both[part] for both in usable], what="raters") for part in (0, 1))
    return _Both(replace(own, n=met), replace(apart, n=met))


def _minus(one: Measured, other: Measured) -> Measured:
    """Return the difference, resample by resample; the draws of both hold the same items."""
    reason = one.reason or other.reason
    if reason is not None:
        return Measured(math.nan, reason, n=one.n)
    return replace(one, value=float(apart(one.value, other.value)), draws=apart(one.draws, other.draws))
