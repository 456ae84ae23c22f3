"""Which units a filter removes after raters are removed: too few ratings left, or a conflict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.metaeval.core.arrays import Bools, Floats, Ints
from judgelab.metaeval.core.units import Rated
from judgelab.scales import Scale
from judgelab.wording import counted, sentence

KEPT, BY_RATERS, TOO_FEW, CONFLICT = "kept", "by_raters", "too_few", "conflict"
STEPS = (BY_RATERS, TOO_FEW, CONFLICT, KEPT)


@dataclass(frozen=True)
class UnitFate:
    """What happens to each unit of one criterion.

    Args:
        step: position in `STEPS` of each unit.
        ratings_before: ratings of each unit at the start.
        ratings_kept: ratings of each unit by raters who stay.
        low: lowest of these, infinity if there are none.
        high: highest of these, minus infinity if there are none.
    """

    step: Ints
    ratings_before: Ints
    ratings_kept: Ints
    low: Floats
    high: Floats

    def reasons(self, policy: FilterPolicy) -> list[str | None]:
        """Return for each unit why it was removed, None for a kept one."""
        reasons: list[str | None] = [None] * len(self.step)
        removed = np.flatnonzero(self.step != STEPS.index(KEPT))
        columns = (self.step, self.ratings_before, self.ratings_kept, self.low, self.high)
        facts_of_units = zip(*(column[removed].tolist() for column in columns), strict=True)
        reason_of: dict[tuple[float, ...], str] = {}  # many units are removed for the same reason
        for unit, facts in zip(removed.tolist(), facts_of_units, strict=True):
            if facts not in reason_of:
                reason_of[facts] = self._reason(unit, policy)
            reasons[unit] = reason_of[facts]
        return reasons

    def _reason(self, unit: int, policy: FilterPolicy) -> str:
        step = STEPS[self.step[unit]]
        before, left = int(self.ratings_before[unit]), int(self.ratings_kept[unit])
        if step == BY_RATERS:
            return counted(
                "its only rating is by a removed rater", "all {n} ratings are by removed raters", before
            )
        if step == TOO_FEW and before > left:
            return sentence(
                "{left} of {before} ratings left, {needed} are needed",
                left=left,
                before=before,
                needed=policy.min_annotations,
            )
        if step == TOO_FEW:
            return counted(
                "{n} rating left, {needed} are needed",
                "{n} ratings left, {needed} are needed",
                left,
                needed=policy.min_annotations,
            )
        low, high = f"{self.low[unit]:g}", f"{self.high[unit]:g}"
        return sentence("conflicting ratings: {low} and {high}", low=low, high=high)


def unit_fate(
    rated: Rated, present: Bools, policy: FilterPolicy, *, units: int, scale: Scale | None
) -> UnitFate:
    """Return what happens to each unit if only the present raters count."""
    by_present = present[rated.rater]
    unit, score = rated.unit[by_present], rated.score[by_present]
    before = np.bincount(rated.unit, minlength=units)
    left = np.bincount(unit, minlength=units)
    low, high = np.full(units, np.inf), np.full(units, -np.inf)
    np.minimum.at(low, unit, score)
    np.maximum.at(high, unit, score)
    step = np.full(units, STEPS.index(KEPT))
    step[_conflicts(low, high, left, policy, scale=scale)] = STEPS.index(CONFLICT)
    step[left < policy.min_annotations] = STEPS.index(TOO_FEW)
    step[left == 0] = STEPS.index(BY_RATERS)
    return UnitFate(step, before, left, low, high)


def _conflicts(low: Floats, high: Floats, left: Ints, policy: FilterPolicy, *, scale: Scale | None) -> Bools:
    distance = policy.conflict_distance(scale) if scale is not None else None
    if distance is None:
        return np.zeros(len(left), dtype=bool)
    # Nine tenths of 0 to 100 may come out as 90.00000000000001.
    far_apart: Bools = (left > 0) & (high - low >= distance - 1e-9)
    return far_apart & (left == 2) if policy.conflict_scope == "exactly_two" else far_apart
