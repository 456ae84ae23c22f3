"""A judge's values beside those of the raters and of the best trivial baseline, one per statistic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from judgelab.metaeval.agreement.ceiling import LeaveOneOut
from judgelab.metaeval.coefficients.estimates import (
    BY_DEFINITION,
    compare_each_target,
    mean_of_values,
    units_compared,
)
from judgelab.metaeval.core.arrays import Bools, Floats, stable_difference
from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.metaeval.core.targets import all_raters_target
from judgelab.wording import sentence


class JudgeValues(NamedTuple):
    """A judge, the raters, the best baseline, and their differences.

    `name` is that of the best baseline, "" where there is none.
    """

    judge: ResampledValue
    raters: ResampledValue
    judge_minus_raters: ResampledValue
    best: ResampledValue
    judge_minus_best: ResampledValue
    best_minus_raters: ResampledValue
    name: str


def judge_values(left_out: LeaveOneOut, scores: Floats, *, kind: str) -> list[JudgeValues]:
    """Return the judge's values, one per statistic, over all humans that allow both measurements."""
    table, recipe, targets = left_out.table, left_out.recipe, left_out.targets
    if not targets:
        return _against_all(left_out, scores, kind=kind)
    judge_targets = [target.with_scores(scores) for target in targets]
    judged = compare_each_target(table, judge_targets, statistics=recipe.statistics, kind=kind, recipe=recipe)
    units_by_human = [np.isfinite(target.compared) for target in judge_targets]
    missing = units_compared(table, targets, "none") - units_compared(table, judge_targets, "none")
    averaged = [
        averaged_over_humans(left_out, statistic, values, units_by_human)
        for statistic, values in enumerate(judged)
    ]
    return [
        values._replace(judge=replace(values.judge, notes={**values.judge.notes, "n_missing": missing}))
        for values in averaged
    ]


def no_values(n: int) -> JudgeValues:
    """Return the values of a judge with `n` scores where no unit has two ratings: none."""
    no_value = ResampledValue(math.nan, sentence("no response or pair has two human ratings"), n=n)
    return JudgeValues(no_value, no_value, no_value, no_value, no_value, no_value, "")


def _against_all(left_out: LeaveOneOut, scores: Floats, *, kind: str) -> list[JudgeValues]:
    """Return the judge's lead over the best baseline against all humans, where none can be left out."""
    table, recipe = left_out.table, left_out.recipe
    target = all_raters_target(table).with_scores(scores)
    judged = compare_each_target(table, [target], statistics=recipe.statistics, kind=kind, recipe=recipe)
    none = no_values(int(np.isfinite(scores).sum()))
    values = []
    for (judge,), baselines in zip(judged, left_out.baselines, strict=True):
        trivial = {key: parts[0] for key, parts in baselines.each([target]).items()}
        if not trivial:
            values.append(none)
            continue
        best = baselines.best(trivial)
        lead = _minus(judge, best.measured)
        values.append(none._replace(best=best.measured, judge_minus_best=lead, name=best.name))
    return values


def averaged_over_humans(
    left_out: LeaveOneOut, statistic: int, judged: Sequence[ResampledValue], units_by_human: Sequence[Bools]
) -> JudgeValues:
    """Average the measurements over the humans left out, each on the units given for that human."""
    humans = left_out.measured(units_by_human)[statistic]
    usable = [
        number
        for number, (judge, human) in enumerate(zip(judged, humans, strict=True))
        if judge.reason is None and human.reason is None
    ]
    taken = usable or range(len(judged))
    level = left_out.statistics[statistic].level
    n = units_compared(left_out.table, left_out.on_units(units_by_human), level)
    without_value = len(judged) - len(taken)

    def mean(parts: Sequence[ResampledValue]) -> ResampledValue:
        value = mean_of_values([parts[number] for number in taken], what="raters")
        undefined = value.notes["raters_undefined"] + without_value
        return replace(value, n=n, notes={**value.notes, "raters_undefined": undefined})

    judge, raters = mean(judged), mean(humans)
    gap = _minus(judge, raters) if usable else mean(list(map(_minus, judged, humans)))
    trivial = left_out.trivial(units_by_human)[statistic]
    if not trivial:
        return JudgeValues(judge, raters, gap, gap, gap, gap, "")
    best = left_out.baselines[statistic].best({key: mean(parts) for key, parts in trivial.items()})
    return JudgeValues(
        judge,
        raters,
        gap,
        best.measured,
        _minus(judge, best.measured),
        _minus(best.measured, raters),
        best.name,
    )


def _minus(minuend: ResampledValue, subtrahend: ResampledValue) -> ResampledValue:
    """Return the difference in each resample; both sets of draws are of the same items."""
    reason = minuend.reason or subtrahend.reason
    if reason is not None:
        return ResampledValue(math.nan, reason, n=minuend.n)
    value, draws = (
        float(stable_difference(minuend.value, subtrahend.value)),
        stable_difference(minuend.draws, subtrahend.draws),
    )
    notes = {name: note for name, note in minuend.notes.items() if name != BY_DEFINITION}
    return replace(minuend, value=value, draws=draws, notes=notes, share=False)
