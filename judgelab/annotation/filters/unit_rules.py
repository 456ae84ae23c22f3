"""Which units go under a quality rule once the raters are decided: too few ratings left, or a conflict."""

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
    """What becomes of each unit of one criterion.

    Args:
        step: place in `STEPS` of each unit.
        before: ratings of each unit at the start.
        left: ratings of each unit by raters who stay.
        low: lowest of these, NaN where none.
        high: highest of these.
    """

    step: Ints
    before: Ints
    left: Ints
    low: Floats
    high: Floats

    def reasons(self, policy: FilterPolicy) -> list[str | None]:
        """Return for each unit why it went, None for a kept one."""
        found: list[str | None] = [None] * len(self.step)
        gone = np.flatnonzero(self.step != STEPS.index(KEPT))
        columns = (self.step, self.before, self.left, self.low, self.high)
        alike = zip(*(column[gone].tolist() for column in columns), strict=True)
        said: dict[tuple[float, ...], str] = {}  # thousands of units go for the same few reasons
        for place, facts in zip(gone.tolist(), alike, strict=True):
            if facts not in said:
                said[facts] = self._reason(place, policy)
            found[place] = said[facts]
        return found

    def _reason(self, place: int, policy: FilterPolicy) -> str:
        step = STEPS[self.step[place]]
        before, left = int(self.before[place]), int(self.left[place])
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
        low, high = f"{self.low[place]:g}", f"{self.high[place]:g}"
        return sentence("ratings in conflict: {low} and {high}", low=low, high=high)


def unit_fate(
    rated: Rated, present: Bools, policy: FilterPolicy, *, units: int, scale: Scale | None
) -> UnitFate:
    """Return what becomes of each unit when only the present raters count."""
    stays = present[rated.rater]
    unit, score = rated.unit[stays], rated.score[stays]
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
    apart: Bools = (left > 0) & (high - low >= distance - 1e-9)
    return apart & (left == 2) if policy.conflict_scope == "exactly_two" else apart
