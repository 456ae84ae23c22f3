"""What a rater is compared with: the mean of all humans, or of all humans but one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from judgelab.metaeval.arrays import Floats, Ints
from judgelab.metaeval.units import UnitTable


class Target(NamedTuple):
    """Human means to compare with: the units, the mean of each, and the scores beside it.

    As made here, the scores beside are the human's own; `estimates.scores_beside` puts a judge's there.
    """

    rater: str
    unit: Ints
    score: Floats
    beside: Floats


def everyone(table: UnitTable) -> Target:
    """Return the mean of all humans for every unit."""
    return Target("", np.arange(len(table.item)), table.human_mean, table.human_mean)


def leave_one_out(table: UnitTable) -> list[Target]:
    """Return, for each human, the mean of the others on shared units; nothing for one who shares none."""
    unit, rater, score = table.humans
    size = np.bincount(unit, minlength=len(table.item))[unit]
    total = np.bincount(unit, score, minlength=len(table.item))[unit]
    shared = size >= 2
    order = np.flatnonzero(shared)[np.argsort(rater[shared], kind="stable")]
    mean = (total[order] - score[order]) / (size[order] - 1)
    bounds = np.searchsorted(rater[order], np.arange(len(table.human_names) + 1))
    return [
        Target(name, unit[order[a:b]], mean[a:b], score[order[a:b]])
        for name, a, b in zip(table.human_names, bounds[:-1], bounds[1:], strict=True)
        if b > a
    ]
