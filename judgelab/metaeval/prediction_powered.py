"""A cheap judge on everything and people on a part: means with honest intervals.

Source: Angelopoulos and others 2023 (prediction-powered inference) and 2024 (PPI++, the weight lambda); Rogan
and Gladen 1978 for shares. All of it holds only where the labelled units are a random sample of the pool.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from judgelab.metaeval.arrays import Bools, Floats
from judgelab.metaeval.bounded_means import Ends, inside, mean_of
from judgelab.metaeval.resampling import Z95
from judgelab.metaeval.result import Estimate, undefined
from judgelab.wording import sentence

LEAST = 2
POWERED_INSIDE = sentence("prediction-powered, Wilson’s interval with its spread")


@dataclass(frozen=True)
class PoweredMean:
    """A mean by people, by the judge, and by both together.

    Args:
        human: mean of the labelled units by people alone, with its interval.
        judge: mean of the judge over all units; its interval knows nothing of the judge's errors.
        powered: prediction-powered mean; `params["lambda"]` is the weight the judge got.
        shift: the judge's mean on labelled minus on unlabelled units: far from 0, the labelled units are no
            random sample.
        gain: how many labelled units by people alone would give the powered interval, over those there are.
    """

    human: Estimate
    judge: Estimate
    powered: Estimate
    shift: Estimate
    gain: float | None


def powered_mean(
    human: Floats,
    labelled: Floats,
    unlabelled: Floats,
    *,
    weight: float | None = None,
    ends: Ends | None = None,
    judge_ends: Ends | None = None,
) -> PoweredMean:
    """Return the mean over a pool of which people labelled a random part and a judge scored all.

    theta = lambda mean(J_unlabelled) + mean(H - lambda J_labelled), with the normal interval of the variance
    lambda^2 var(J)/N + var(H - lambda J)/n. Undefined with fewer than two labelled units; without unlabelled
    ones it is the people's mean.

    Args:
        human: people's scores of the n labelled units.
        labelled: the judge's scores of the same units.
        unlabelled: the judge's scores of the N others.
        weight: lambda; the best one within 0 and 1 (PPI++) if not given. 0 is the people's mean.
        ends: the lowest and highest score people can give; intervals then stay within (`bounded_means`).
        judge_ends: the same of the judge.

    Example: the golden pool (60 labelled, 2,000 others) with weight 1 gives 0.576, 0.481 to 0.671.
    """
    n, pool = len(human), len(unlabelled)
    if n < LEAST:
        why = sentence("{n} units have both scores; {least} are needed", n=n, least=LEAST)
        none = undefined(why, n=n)
        return PoweredMean(
            none, mean_of(np.concatenate([labelled, unlabelled]), judge_ends), none, none, None
        )
    alone = mean_of(human, ends)
    judge = mean_of(np.concatenate([labelled, unlabelled]), judge_ends)
    if pool < LEAST:
        same = Estimate(
            alone.value, ci=alone.ci, ci_method=alone.ci_method, n=n,
            params={"lambda": 0.0, "labelled": n, "unlabelled": pool},
        )  # fmt: skip
        return PoweredMean(alone, judge, same, undefined(sentence("every unit is labelled"), n=n), 1.0)
    lam = best_weight(human, labelled, unlabelled) if weight is None else weight
    value = lam * float(unlabelled.mean()) + float((human - lam * labelled).mean())
    # The reference implementation divides by n and N here, not by n - 1 and N - 1.
    variance = lam**2 * float(unlabelled.var()) / pool + float((human - lam * labelled).var()) / n
    half = Z95 * math.sqrt(variance)
    params = {"lambda": lam, "labelled": n, "unlabelled": pool}
    held = None if ends is None else inside(value, variance * n, n, ends)
    method = sentence("prediction-powered, normal") if held is None else POWERED_INSIDE
    powered = Estimate(
        value, ci=held or (value - half, value + half), ci_method=method, n=n + pool, params=params
    )
    gain = float(human.var()) / n / variance if variance > 0 else None
    return PoweredMean(alone, judge, powered, _shift(labelled, unlabelled), gain)


def best_weight(human: Floats, labelled: Floats, unlabelled: Floats) -> float:
    """Return lambda = cov(H, J) / ((1 + n/N) var(J)), held within 0 and 1; 0 for a constant judge."""
    n, pool = len(human), len(unlabelled)
    both = np.concatenate([labelled, unlabelled])
    variance = float(both.var(ddof=1))
    if variance <= 0:
        return 0.0
    covariance = float(((human - human.mean()) * (labelled - labelled.mean())).mean())
    return min(1.0, max(0.0, covariance / ((1 + n / pool) * variance)))


def rogan_gladen(
    human: Bools, labelled: Bools, unlabelled: Bools, *, resamples: int = 1000, seed: int = 0
) -> Estimate:
    """Share of right answers in the pool, the judge's error rates taken out: (p + TNR - 1) / (TPR + TNR - 1).

    Held within 0 and 1; the bootstrap draws the labelled and the unlabelled units anew. Undefined where
    people said one thing only, or where the judge is no better than chance (TPR + TNR of 1 and below).

    Args:
        human: people's verdicts on the labelled units.
        labelled: the judge's on the same.
        unlabelled: the judge's on the others.
        resamples: of both.
        seed: of the resampling.
    """
    n = len(human)
    yes, no = int(human.sum()), int((~human).sum())
    if not len(unlabelled):
        return undefined(sentence("every unit is labelled"), n=n)
    if not yes or not no:
        return undefined(sentence("people must have said both right and wrong"), n=n)
    tpr, tnr = float(labelled[human].mean()), float((~labelled[~human]).mean())
    share = float(unlabelled.mean())
    params = {"tpr": tpr, "tnr": tnr, "judge_share": share, "labelled": n, "unlabelled": len(unlabelled)}
    if tpr + tnr <= 1:
        return undefined(sentence("the judge is no better than chance"), n=n, params=params)
    value = min(1.0, max(0.0, (share + tnr - 1) / (tpr + tnr - 1)))
    if not resamples:
        return Estimate(value, n=n + len(unlabelled), ci_method="none: not asked for", params=params)
    rng = np.random.default_rng(seed)
    cells = np.array(
        [
            (human & labelled).sum(),
            (human & ~labelled).sum(),
            (~human & labelled).sum(),
            (~human & ~labelled).sum(),
        ]
    )
    drawn = rng.multinomial(n, cells / n, size=resamples).astype(float)
    p = rng.binomial(len(unlabelled), share, size=resamples) / len(unlabelled)
    with np.errstate(divide="ignore", invalid="ignore"):
        sensitivity, specificity = (
            drawn[:, 0] / drawn[:, :2].sum(axis=1),
            drawn[:, 3] / drawn[:, 2:].sum(axis=1),
        )
        found = (p + specificity - 1) / (sensitivity + specificity - 1)
    usable = np.isfinite(found) & (sensitivity + specificity > 1)
    params["resamples_undefined"] = int((~usable).sum())
    if usable.sum() < LEAST:
        return Estimate(
            value, n=n + len(unlabelled), ci_method="none: no resample has a value", params=params
        )
    low, high = np.percentile(np.clip(found[usable], 0.0, 1.0), [2.5, 97.5])
    method = sentence(
        "bootstrap of labelled and unlabelled units, {resamples} resamples", resamples=str(resamples)
    )
    return Estimate(
        value, ci=(float(low), float(high)), ci_method=method, n=n + len(unlabelled), seed=seed, params=params
    )


def _shift(labelled: Floats, unlabelled: Floats) -> Estimate:
    value = float(labelled.mean() - unlabelled.mean())
    half = Z95 * math.sqrt(
        float(labelled.var(ddof=1)) / len(labelled) + float(unlabelled.var(ddof=1)) / len(unlabelled)
    )
    n = len(labelled) + len(unlabelled)
    return Estimate(value, ci=(value - half, value + half), ci_method=sentence("normal"), n=n)
