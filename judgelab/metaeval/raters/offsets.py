"""Rater offsets: how much higher or lower a rater scores than the others on the same units."""

from __future__ import annotations

import numpy as np

from judgelab.metaeval.coefficients.raters import RatingsVsOthers
from judgelab.metaeval.core.arrays import Bools, Ints
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.units import Rated
from judgelab.wording import sentence

NO_COMPANY = sentence("no other rater rated the same responses")


def rater_offsets(
    rated: Rated, item: Ints, draws: ItemDraws, *, raters: int, panel: Bools | None = None
) -> list[Estimate]:
    """Return each rater's mean difference from the others on the same units, in points of the scale.

    0 means as high as the others. The interval is a percentile bootstrap over items. Undefined if nobody else
    rated the same units. Example: 3, 3, 1 where the only other rater gave 2, 3, 2 is 0 (+1, 0, -1).

    Args:
        rated: the ratings of one criterion.
        item: the item of each unit; items are resampled.
        draws: how often each resample drew each item.
        raters: how many raters there are.
        panel: the raters who count as "the others"; all by default.
    """
    units = int(rated.unit.max(initial=-1)) + 1
    rows = RatingsVsOthers.beside(rated, np.ones(raters, dtype=bool) if panel is None else panel, units=units)
    offset = rows.own - rows.others
    size = np.bincount(rows.rater, minlength=raters)
    total = np.bincount(rows.rater, offset, minlength=raters)
    drawn_total, drawn_size = draws.sums(
        [offset, np.ones(len(offset))], rows.rater, item[rows.unit], groups=raters
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        drawn = drawn_total / drawn_size
    estimates = []
    for rater in range(raters):
        n = int(size[rater])
        if not n:
            estimates.append(undefined(NO_COMPANY))
            continue
        own_items = len(np.unique(item[rows.unit[rows.rater == rater]]))
        interval = percentile_interval(drawn[:, rater], items=own_items)
        estimates.append(
            Estimate(
                float(total[rater] / n), ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed
            )
        )
    return estimates
