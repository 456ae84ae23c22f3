"""The difference of two judges under any resampling of the items, for planning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from judgelab.errors import InvalidInput
from judgelab.metaeval.coefficients.levels import measure
from judgelab.metaeval.coefficients.registry import coefficient as coefficient_of
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.arrays import Floats, codes
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.units import unit_tables
from judgelab.metaeval.inference.contrast_tests import ComparedJudge, paired_scores
from judgelab.scales import Scale
from judgelab.wording import sentence


class DifferenceDraws(NamedTuple):
    """A function that resamples the difference of two judges, and the number of items."""

    draw: Callable[[ItemDraws], Floats]
    items: int


def difference_draws(
    scores: pd.DataFrame,
    first: str,
    second: str,
    *,
    scales: Mapping[str, Scale],
    level: str,
    coefficient: str,
    constant_groups: str = "zero",
    aggregation: Aggregation = MEAN,
) -> DifferenceDraws:
    """Return a function that resamples the difference of two judges; arguments as in `contrasts`.

    Raises:
        InvalidInput: the two have no unit in common with the humans.
    """
    table = unit_tables(scores, aggregation, scales=scales)[0]
    by_name = {rater.name: rater for rater in table.compared}
    scale = scales.get(table.criterion)
    definition = coefficient_of(coefficient, scale=scale)
    common = np.isfinite(table.human_score)
    for name in (first, second):
        if name not in by_name:
            raise InvalidInput(sentence("{judge} has no score under this criterion", judge=name))
        common &= np.isfinite(by_name[name].scores)
    rows = [
        paired_scores(
            table, ComparedJudge(name, by_name[name].kind, by_name[name].scores), common, definition, scale
        )
        for name in (first, second)
    ]
    items = codes(table.item[common])
    rows = [row._replace(item=items) for row in rows]

    def draw(draws: ItemDraws) -> Floats:
        rater, second_value = (
            measure(row, definition, level=level, constant_groups=constant_groups, draws=draws)
            for row in rows
        )
        return rater.draws - second_value.draws

    return DifferenceDraws(draw, int(items.max(initial=-1)) + 1)
