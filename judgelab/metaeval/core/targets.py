"""What a rater is compared with: the score of all humans together, or of all humans but one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from judgelab.metaeval.core.arrays import Floats, Ints, stable_order
from judgelab.metaeval.core.units import UnitTable, human_score

LEAST_SHARED = 5  # responses shared with others, as the quality rule asks of raters, to be left out in turn


class Target(NamedTuple):
    """Human scores to compare with: the units, the score of each (NaN where none), and the scores beside it.

    As made here, the scores beside are the human's own; `with_scores` puts a judge's there.
    """

    rater: str
    unit: Ints
    score: Floats
    beside: Floats

    def with_scores(self, scores: Floats) -> Target:
        """Return the target with one rater's scores beside it; `scores` has one a unit, NaN where none."""
        return self._replace(beside=scores[self.unit])


def all_raters_target(table: UnitTable) -> Target:
    """Return the score of all humans together for every unit."""
    return Target("", np.arange(len(table.item)), table.human_score, table.human_score)


def leave_one_out_targets(table: UnitTable) -> list[Target]:
    """Return, for each human, the score of the others on shared units; nothing for one who shares few.

    All humans count the same in what is averaged over them: the three ratings of a passer-by would move it as
    much as the hundred of another. They stay among the others. Where everybody shares fewer than five, those
    who share the most are taken.

    Where decisions enter, a decided score stands in the others' place: judge and human both meet it.
    """
    if table.aggregation.how != "mean" or table.decided is not None:
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
    """Yield the targets by putting the others' ratings together anew without each human."""
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
