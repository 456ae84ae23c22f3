"""Targets to compare a rater with: the score of all humans, or of all humans but one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from judgelab.metaeval.core.arrays import Floats, Ints, stable_order
from judgelab.metaeval.core.units import UnitTable, human_score

LEAST_SHARED = 5  # shared responses a human needs to be left out in turn, as in the quality rule


class Target(NamedTuple):
    """Human scores to compare with: units, scores (NaN where none), and the scores beside them.

    At first, the scores beside are the human's own; `with_scores` replaces them with a judge's.
    """

    rater: str
    unit: Ints
    score: Floats
    compared: Floats

    def with_scores(self, scores: Floats) -> Target:
        """Return the target with one rater's scores beside it; `scores` has one per unit, NaN where none."""
        return self._replace(compared=scores[self.unit])


def all_raters_target(table: UnitTable) -> Target:
    """Return the score of all humans together for every unit."""
    return Target("", np.arange(len(table.item)), table.human_score, table.human_score)


def leave_one_out_targets(table: UnitTable) -> list[Target]:
    """Return, for each human, the others' score on shared units; none for a human who shares few.

    All humans have equal weight in averages over them, so three ratings by one person would count as much as
    a hundred by another; such a person remains among the others. If everyone shares fewer than five, those
    who share the most are used. If decisions are included, a decided score replaces that of the others for
    both judge and human.
    """
    if table.aggregation.method != "mean" or table.decided is not None:
        return _of_enough(_each_left_out(table))
    unit, rater, score = table.humans
    size = np.bincount(unit, minlength=len(table.item))[unit]
    total = np.bincount(unit, score, minlength=len(table.item))[unit]
    shared = size >= 2
    order = np.flatnonzero(shared)[stable_order(rater[shared])]
    mean = (total[order] - score[order]) / (size[order] - 1)
    bounds = np.searchsorted(rater[order], np.arange(len(table.human_names) + 1))
    return _of_enough(
        Target(name, unit[order[a:b]], mean[a:b], score[order[a:b]])
        for name, a, b in zip(table.human_names, bounds[:-1], bounds[1:], strict=True)
        if b > a
    )


def _of_enough(targets: Iterable[Target]) -> list[Target]:
    with_any = list(targets)
    least = min(LEAST_SHARED, max((len(target.unit) for target in with_any), default=0))
    return [target for target in with_any if len(target.unit) >= least]


def _each_left_out(table: UnitTable) -> Iterator[Target]:
    """Yield the targets by aggregating the others' ratings again without each human."""
    humans, units = table.humans, len(table.item)
    shared = np.bincount(humans.unit, minlength=units) >= 2
    if table.decided is not None:
        shared |= np.isfinite(table.decided)
    for number, name in enumerate(table.human_names):
        own_ratings = humans.where((humans.rater == number) & shared[humans.unit])
        if not len(own_ratings.unit):
            continue
        others = humans.where(humans.rater != number)
        score = human_score(
            others, table.decided, units=units, raters=len(table.human_names), aggregation=table.aggregation
        )
        yield Target(name, own_ratings.unit, score[own_ratings.unit], own_ratings.score)
