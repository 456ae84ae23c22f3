"""How well one human agrees with the others: the mark a judge is to be measured by."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from judgelab.metaeval.aggregation import MEAN, Aggregation
from judgelab.metaeval.arrays import distinct
from judgelab.metaeval.estimates import CORRELATIONS, Recipe, Wanted, compare, recipe_for, rows_of
from judgelab.metaeval.pairing import Measured
from judgelab.metaeval.result import AgreementRow
from judgelab.metaeval.targets import leave_one_out
from judgelab.metaeval.units import UnitTable, unit_tables
from judgelab.scales import Scale
from judgelab.wording import sentence

CEILING = "raters (leave one out)"


def human_ceiling(
    scores: pd.DataFrame,
    *,
    scales: Mapping[str, Scale],
    levels: Sequence[str] = ("none",),
    coefficients: Sequence[str] = CORRELATIONS,
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
    aggregation: Aggregation = MEAN,
) -> list[AgreementRow]:
    """Agreement of each human with the mean of the others, averaged over humans; one row as for a judge.

    A judge beside it must meet the same targets (`agreement(..., targets="leave_one_out")`): the mean of all
    humans is less noisy than what any single human was measured against. Undefined, with the reason, when no
    unit has two human ratings. Arguments as in `agreement`.
    """
    tables = unit_tables(scores, aggregation)
    recipe = recipe_for(
        tables, scales, levels=levels, coefficients=coefficients, constant_groups=constant_groups,
        resamples=resamples, seed=seed, targets="leave_one_out",
    )  # fmt: skip
    measured = partial(_ceiling, recipe=recipe)
    return list(rows_of(tables, measured, rater=CEILING, kind="human", recipe=recipe))


def _ceiling(table: UnitTable, wanted: Wanted, *, recipe: Recipe) -> Measured:
    targets = leave_one_out(table)
    if not targets:
        return Measured(math.nan, sentence("no unit has two human ratings"))
    found = compare(table, targets, wanted=wanted, kind="human", recipe=recipe)
    return replace(found, n=distinct(np.concatenate([target.unit for target in targets])))
