"""Control of raters by degraded copies and repeats, which needs no agreement with anybody.

After Graham and others 2017 (direct assessment): among the texts of a rater lie spoilt copies of
some of them and the same text again. Who reads gives the copies significantly lower scores and scores a
repeat as before; who clicks does not.
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
FEWEST_REPEATS = 2  # fewer cannot differ by more than chance
# To pass is to be significant, so a correction over the raters would send away those who read.
UNCORRECTED = mark(
    "Each rater is tested alone, as in Graham and others 2017, not corrected for the number of raters and "
    "criteria: of 100 who click at random {n} pass the copies."
)


@dataclass(frozen=True)
class ControlResult:
    """What the control says about one rater under one criterion.

    Args:
        pairs: degraded copies rated beside their originals.
        drop: mean of original minus copy, in points of the scale; positive when copies get worse scores.
        drop_ci: 95 % interval of that mean by Student's t; None with fewer than two copies.
        p: one-sided p that copies get worse scores only by chance; None with too few pairs.
        repeats: texts rated twice.
        shift: mean of second minus first score.
        repeat_p: two-sided p that repeats differ only by chance; None with fewer than two.
        passed: None when there are too few pairs to say.
        reason: why the rater fails or cannot be assessed; empty for who passed.
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
        """Return the control by name."""
        return dict(vars(self))


ControlResults = Mapping[str, Mapping[str, ControlResult]]  # by criterion, then by rater


def hit_control(
    scores: pd.DataFrame, policy: FilterPolicy, *, lower_is_better: Collection[str] = ()
) -> dict[str, dict[str, ControlResult]]:
    """Return the control of every rater by criterion and name.

    Args:
        scores: columns `CONTROL_COLUMNS`: `score` the original's or first, `again` the copy's or second.
        policy: its `hit_alpha`, `hit_pairs` and `hit_test`.
        lower_is_better: criteria under which a spoilt copy should get a higher score.
    """
    found: dict[str, dict[str, ControlResult]] = {}
    for (criterion, rater), own in scores.groupby(["criterion", "rater"], sort=True, observed=True):
        apart = rounded(own["score"].to_numpy(dtype=float) - own["again"].to_numpy(dtype=float))
        degraded = apart[(own["kind"] == DEGRADED).to_numpy()]
        sign = -1.0 if criterion in lower_is_better else 1.0
        repeats = -apart[(own["kind"] == REPEAT).to_numpy()]
        one = _control_result(str(rater), str(criterion), sign * degraded, repeats, policy)
        found.setdefault(str(criterion), {})[str(rater)] = one
    return found


def failing_raters(names: Sequence[str], said: Mapping[str, ControlResult], policy: FilterPolicy) -> Bools:
    """Return who fails the control; who cannot be assessed goes only if the rule says so.

    Args:
        names: of raters by number.
        said: the control by name.
        policy: the rule.
    """
    passed = [said[name].passed if name in said else None for name in names]
    dropped = policy.unassessed == "drop"
    return np.array([found is False or (found is None and dropped) for found in passed], dtype=bool)


def paired_p(apart: Floats, *, test: str, alternative: str) -> float:
    """Return the p of paired differences against none: Student's t, or Wilcoxon's signed ranks.

    Equal differences leave a t test nothing to divide by; their p is that of the sign test, 0.5 to the power
    of n for one side. Example: five times +2, one-sided: 0.03125.
    """
    if not np.any(apart):
        return 1.0
    if np.ptp(apart) <= 1e-12 * np.abs(apart).max():
        one_side = 0.5 ** len(apart) if apart[0] > 0 else 1.0
        return one_side if alternative == "greater" else min(1.0, 2 * 0.5 ** len(apart))
    if test == "t":
        t = float(apart.mean() / np.sqrt(apart.var(ddof=1) / len(apart)))
        if alternative == "greater":
            return float(student_cdf(-t, len(apart) - 1))
        return student_two_sided(t, len(apart) - 1)
    return float(scipy.stats.wilcoxon(apart, alternative=alternative).pvalue)


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
    said = []
    if p is not None and p >= policy.hit_alpha:
        said.append(
            counted(
                "{n} degraded copy scored {drop} below its original, p = {p}",
                "{n} degraded copies scored {drop} below their originals, p = {p}",
                len(drop),
                drop=f"{mean_drop:+z.2f}",
                p=_p_text(p),
            )
        )
    if drifts:
        said.append(
            sentence(
                "{n} repeats scored {shift} from the first time, p = {p}",
                n=len(shift),
                shift=f"{mean_shift:+z.2f}",
                p=_p_text(repeat_p),
            )
        )
    if passed is None:
        said.append(
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
        joined(said, "; "),
    )


def _interval(apart: Floats) -> tuple[float, float] | None:
    if len(apart) < 2:
        return None
    half = float(student_quantile_975(len(apart) - 1) * apart.std(ddof=1) / np.sqrt(len(apart)))
    return float(apart.mean()) - half, float(apart.mean()) + half


def _p_text(value: float | None) -> str:
    if value is None:
        return "–"
    return sentence("below 0.001") if value < 0.001 else f"{value:z.3f}"
