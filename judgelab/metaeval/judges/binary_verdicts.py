"""Right and wrong verdicts of a judge where there are two answers: rates, F1, Matthews' correlation.

With the raters' verdicts as the truth, TP and TN count the units on which the judge gives the same verdict,
yes or no, FP those on which it says yes and the raters no, and FN the reverse.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgelab.metaeval.core.arrays import Bools, Floats, Ints, count_distinct
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, undefined
from judgelab.metaeval.core.shares import share_interval
from judgelab.wording import mark, sentence

Count = Any  # one number, or one for each resample
NO_YES = mark("the raters never say yes")
NO_NO = mark("the raters never say no")
NEVER_YES = mark("the judge never says yes")
NEVER_NO = mark("the judge never says no")
NEITHER_YES = mark("neither the raters nor the judge ever say yes")
ONE_EACH = mark("the raters or the judge always give the same answer")
SAME = mark("the raters and the judge always give one and the same answer")


@dataclass(frozen=True)
class Rate:
    """One statistic of the four counts.

    Attributes:
        value: of the counts TP, FP, FN and TN.
        part: of which units n is the number, by human and judge.
        missing: why there is none where its divisor is 0.
        signed: whether it is from -1 to 1; otherwise it is a share.
    """

    value: Callable[[Count, Count, Count, Count], Count]
    part: Callable[[Bools, Bools], Bools]
    missing: str
    signed: bool = False


def _mcc(tp: Count, fp: Count, fn: Count, tn: Count) -> Count:
    divisor = np.sqrt(tp + fp) * np.sqrt(tp + fn) * np.sqrt(tn + fp) * np.sqrt(tn + fn)
    return (tp * tn - fp * fn) / divisor


def _kappa(tp: Count, fp: Count, fn: Count, tn: Count) -> Count:
    return 2 * (tp * tn - fp * fn) / ((tp + fp) * (fp + tn) + (tp + fn) * (fn + tn))


def _every(human: Bools, judge: Bools) -> Bools:
    return np.ones(len(human), dtype=bool)


RATES: Mapping[str, Rate] = {
    "TPR": Rate(lambda tp, fp, fn, tn: tp / (tp + fn), lambda human, judge: human, NO_YES),
    "TNR": Rate(lambda tp, fp, fn, tn: tn / (tn + fp), lambda human, judge: ~human, NO_NO),
    "precision": Rate(lambda tp, fp, fn, tn: tp / (tp + fp), lambda human, judge: judge, NEVER_YES),
    "NPV": Rate(lambda tp, fp, fn, tn: tn / (tn + fn), lambda human, judge: ~judge, NEVER_NO),
    "F1": Rate(lambda tp, fp, fn, tn: 2 * tp / (2 * tp + fp + fn), _every, NEITHER_YES),
    "MCC": Rate(_mcc, _every, ONE_EACH, signed=True),
    "balanced_accuracy": Rate(
        lambda tp, fp, fn, tn: (tp / (tp + fn) + tn / (tn + fp)) / 2,
        _every,
        mark("the raters always give the same answer"),
    ),
    "accuracy": Rate(lambda tp, fp, fn, tn: (tp + tn) / (tp + fp + fn + tn), _every, ""),
    "kappa": Rate(_kappa, _every, SAME, signed=True),
    "prevalence": Rate(lambda tp, fp, fn, tn: (tp + fn) / (tp + fp + fn + tn), _every, ""),
}
BASELINE = "baseline"


def binary_verdicts(human: Bools, judge: Bools, *, item: Ints, draws: ItemDraws) -> dict[str, Estimate]:
    """Return the statistics of two verdicts on the same units, by name (`RATES`, then "baseline").

    The baseline is the accuracy of always giving the answer that is the commoner one among the raters. Shares
    have Wilson's interval with the spread of the resampled items, MCC and kappa a percentile interval.

    Args:
        human: the raters' verdict on each unit.
        judge: the judge's.
        item: the item of each unit.
        draws: how often each resample drew each item.

    Example: humans (1, 1, 1, 0, 0) and a judge (1, 1, 0, 1, 0) have TPR 2/3, TNR 1/2, F1 2/3 and MCC 1/6.
    """
    if not len(human):
        nothing = undefined(sentence("no response has a verdict of both"))
        return {name: nothing for name in (*RATES, BASELINE)}
    cells = [cell.astype(float) for cell in (human & judge, ~human & judge, human & ~judge, ~human & ~judge)]
    counts = [float(cell.sum()) for cell in cells]
    one_place = np.zeros(len(human), dtype=np.int64)
    sums = draws.sums(cells, one_place, item, groups=1) if draws.resamples else []
    drawn = [of_cell[:, 0] for of_cell in sums]
    found = {
        name: _estimate(rate, counts, drawn, item[rate.part(human, judge)], draws)
        for name, rate in RATES.items()
    }
    yes = counts[0] + counts[2] >= counts[1] + counts[3]
    commoner = Rate(RATES["prevalence"].value if yes else _share_of_no, _every, "")
    found[BASELINE] = _estimate(commoner, counts, drawn, item, draws)
    return found


def _share_of_no(tp: Count, fp: Count, fn: Count, tn: Count) -> Count:
    return (fp + tn) / (tp + fp + fn + tn)


def _estimate(rate: Rate, counts: list[float], drawn: list[Floats], item: Ints, draws: ItemDraws) -> Estimate:
    """Return one statistic; `item` is the item of each unit that n counts."""
    n = len(item)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = float(rate.value(*map(np.float64, counts)))
        resampled = rate.value(*drawn) if drawn else None
    if not math.isfinite(value):
        return undefined(sentence(rate.missing), n=n)
    if resampled is None:
        return Estimate(value, n=n, ci_method=NOT_ASKED)
    items = count_distinct(item)
    interval = (
        percentile_interval(resampled, items=items)
        if rate.signed
        else share_interval(value, resampled, items=items)
    )
    return Estimate(value, ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed)
