"""Quality control of raters by degraded copies and repeats, independent of agreement with others.

After Graham and others 2017 (direct assessment): a rater also gets degraded copies of some texts and some
texts a second time. Raters who read give the copies significantly lower scores and the repeats the same
scores; raters who click at random do not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import scipy

from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.metaeval.core.arrays import Bools, Floats, rounded
from judgelab.metaeval.core.distributions import student_cdf, student_quantile_975, student_two_sided
from judgelab.wording import counted, joined, mark, sentence

CONTROL_COLUMNS = ("rater", "criterion", "kind", "score", "again")
DEGRADED, REPEAT = "degraded", "repeat"
FEWEST_REPEATS = 2  # fewer cannot differ significantly
# Passing means being significant, so a correction for the number of raters would remove those who read.
UNCORRECTED = mark(
    "Each rater is tested separately, as in Graham and others 2017, without correction for the number of "
    "raters and criteria: of 100 raters who click at random, {n} pass the copies."
)


@dataclass(frozen=True)
class ControlResult:
    """The result of the control for one rater under one criterion.

    Args:
        rater: the name.
        criterion: the criterion's key.
        pairs: degraded copies rated besides their originals.
        drop: mean of original minus copy, in points of the scale; positive if copies get worse scores.
        drop_ci: 95 % interval of that mean by Student's t; None with fewer than two copies.
        p: one-sided p of the hypothesis that copies do not get worse scores; None with too few pairs.
        repeats: texts rated twice.
        shift: mean of second minus first score.
        repeat_p: two-sided p of the hypothesis that repeats get the same scores; None with fewer than two.
        passed: None if there are too few pairs to decide.
        reason: why the rater fails or cannot be assessed; empty for raters who passed.
    """

    rater: str
    criterion: str
    pairs: int
    drop: float | None
    drop_ci: tuple[float, float] | None
    p: float | None
    repeats: int
    shift: float | None
    repeat_p: float | None
    passed: bool | None
    reason: str

    def to_json(self) -> dict[str, Any]:
        """Return all fields by name."""
        return dict(vars(self))


ControlResults = Mapping[str, Mapping[str, ControlResult]]  # by criterion, then by rater


def hit_control(
    scores: pd.DataFrame, policy: FilterPolicy, *, lower_is_better: Collection[str] = ()
) -> dict[str, dict[str, ControlResult]]:
    """Return the result of every rater, by criterion and name.

    Args:
        scores: columns `CONTROL_COLUMNS`: `score` the original's or first, `again` the copy's or second.
        policy: its `hit_alpha`, `hit_pairs` and `hit_test`.
        lower_is_better: criteria under which a degraded copy should get a higher score.
    """
    results: dict[str, dict[str, ControlResult]] = {}
    for (criterion, rater), rows in scores.groupby(["criterion", "rater"], sort=True, observed=True):
        differences = rounded(rows["score"].to_numpy(dtype=float) - rows["again"].to_numpy(dtype=float))
        degraded = differences[(rows["kind"] == DEGRADED).to_numpy()]
        sign = -1.0 if criterion in lower_is_better else 1.0
        repeats = -differences[(rows["kind"] == REPEAT).to_numpy()]
        result = _control_result(str(rater), str(criterion), sign * degraded, repeats, policy)
        results.setdefault(str(criterion), {})[str(rater)] = result
    return results


def failing_raters(names: Sequence[str], results: Mapping[str, ControlResult], policy: FilterPolicy) -> Bools:
    """Return which raters fail the control; those who cannot be assessed fail only if the filter says so.

    Args:
        names: of raters by number.
        results: of the control, by rater's name.
        policy: the filter.
    """
    passed = [results[name].passed if name in results else None for name in names]
    drop_unassessed = policy.unassessed == "drop"
    return np.array(
        [rater_passed is False or (rater_passed is None and drop_unassessed) for rater_passed in passed],
        dtype=bool,
    )


def paired_p(differences: Floats, *, test: str, alternative: str) -> float:
    """Return the p of paired differences, tested against 0 by Student's t or Wilcoxon's signed ranks.

    If all differences are equal, t would divide by 0; then p is that of the sign test, one-sided 0.5 to the
    power of n. Example: five times +2, one-sided: 0.03125.
    """
    if not np.any(differences):
        return 1.0
    if np.ptp(differences) <= 1e-12 * np.abs(differences).max():
        one_side = 0.5 ** len(differences) if differences[0] > 0 else 1.0
        return one_side if alternative == "greater" else min(1.0, 2 * 0.5 ** len(differences))
    if test == "t":
        t = float(differences.mean() / np.sqrt(differences.var(ddof=1) / len(differences)))
        if alternative == "greater":
            return float(student_cdf(-t, len(differences) - 1))
        return student_two_sided(t, len(differences) - 1)
    return float(scipy.stats.wilcoxon(differences, alternative=alternative).pvalue)


def _control_result(
    rater: str, criterion: str, drop: Floats, shift: Floats, policy: FilterPolicy
) -> ControlResult:
    p = repeat_p = None
    if len(drop) >= policy.hit_pairs:
        p = paired_p(drop, test=policy.hit_test, alternative="greater")
    if len(shift) >= FEWEST_REPEATS:
        repeat_p = paired_p(shift, test=policy.hit_test, alternative="two-sided")
    drifts = repeat_p is not None and repeat_p < policy.hit_alpha
    passed = None if p is None and not drifts else bool(p is not None and p < policy.hit_alpha and not drifts)
    mean_drop = float(drop.mean()) if len(drop) else None
    mean_shift = float(shift.mean()) if len(shift) else None
    reasons = []
    if p is not None and p >= policy.hit_alpha:
        reasons.append(
            counted(
                "{n} degraded copy scored {drop} below its original, p = {p}",
                "{n} degraded copies scored {drop} below their originals, p = {p}",
                len(drop),
                drop=f"{mean_drop:+z.2f}",
                p=_p_text(p),
            )
        )
    if drifts:
        reasons.append(
            sentence(
                "{n} repeats scored {shift} from the first time, p = {p}",
                n=len(shift),
                shift=f"{mean_shift:+z.2f}",
                p=_p_text(repeat_p),
            )
        )
    if passed is None:
        reasons.append(
            counted(
                "{n} degraded copy rated beside its original, {needed} are needed",
                "{n} degraded copies rated beside their originals, {needed} are needed",
                len(drop),
                needed=policy.hit_pairs,
            )
        )
    return ControlResult(
        rater,
        criterion,
        len(drop),
        mean_drop,
        _interval(drop),
        p,
        len(shift),
        mean_shift,
        repeat_p,
        passed,
        joined(reasons, "; "),
    )


def _interval(differences: Floats) -> tuple[float, float] | None:
    if len(differences) < 2:
        return None
    half = float(
        student_quantile_975(len(differences) - 1) * differences.std(ddof=1) / np.sqrt(len(differences))
    )
    return float(differences.mean()) - half, float(differences.mean()) + half


def _p_text(value: float | None) -> str:
    if value is None:
        return "–"
    return sentence("below 0.001") if value < 0.001 else f"{value:z.3f}"
