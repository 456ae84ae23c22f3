"""Calibration: does a judge's confidence match how often it is right?

Source: Guo and others 2017 (expected calibration error); Nixon and others 2019 (bins of equal mass); Brier
1950. The error is above 0 even for a perfectly calibrated judge, so its expected value by chance is given as
well.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from judgelab.metaeval.core.arrays import Floats, Ints
from judgelab.metaeval.core.bounded_means import bounded_mean
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, no_interval, undefined
from judgelab.metaeval.core.shares import share
from judgelab.wording import counted, sentence

LEAST = 200
BINS = 10
MASS, WIDTH = "mass", "width"


@dataclass(frozen=True)
class Bin:
    """One bin of the reliability diagram: its ends, mean confidence, and the share right with Wilson bars."""

    low: float
    high: float
    confidence: float
    right: Estimate


@dataclass(frozen=True)
class Calibration:
    """Distance between confidence and the share that is right.

    Args:
        ece: expected calibration error, 0 to 1.
        by_chance: mean error of a perfectly calibrated judge with the same confidences; the interval holds
            95 % of its values, so an error inside it is no evidence of bad calibration.
        brier: mean squared distance of confidence and verdict; 0 is perfect.
        bins: the non-empty bins of the diagram.
    """

    ece: Estimate
    by_chance: Estimate
    brier: Estimate
    bins: tuple[Bin, ...]


def calibration(
    confidence: Floats, right: Floats, *, bins: int = BINS, kind: str = MASS, least: int = LEAST,
    resamples: int = 1000, seed: int = 0,
) -> Calibration:  # fmt: skip
    """Return the calibration of confidences of 0 to 1 against verdicts that are right (1) or wrong (0).

    Args:
        confidence: of each verdict.
        right: whether people agree with it.
        bins: how many.
        kind: "mass" (equal numbers of units) or "width" (equal lengths); lower ends are included.
        least: fewer units have no expected calibration error, only bins and Brier score.
        resamples: simulated perfectly calibrated judges, and resamples of the units for intervals.
        seed: of both.

    Example: the ten golden confidences have, in five bins of equal width, the error 0.16 and Brier 0.2215.
    """
    defined = np.isfinite(confidence) & np.isfinite(right)
    confidence, right = confidence[defined], right[defined]
    n = len(confidence)
    params = {"bins": bins, "kind": kind}
    if not n:
        no_estimate = undefined(sentence("no verdict has a confidence"), params=params)
        return Calibration(no_estimate, no_estimate, no_estimate, ())
    if confidence.min() < 0 or confidence.max() > 1:
        no_estimate = undefined(sentence("confidences must be between 0 and 1"), n=n, params=params)
        return Calibration(no_estimate, no_estimate, no_estimate, ())
    bin_of, edges = _bins(confidence, bins, kind)
    brier = _brier(confidence, right)
    drawn_bins = tuple(
        Bin(
            float(edges[k]), float(edges[k + 1]), float(confidence[bin_of == k].mean()),
            share(int(right[bin_of == k].sum()), int((bin_of == k).sum()), nothing=""),
        )
        for k in np.unique(bin_of)
    )  # fmt: skip
    if n < least:
        no_estimate = undefined(
            counted("{n} judgment; {least} are needed", "{n} judgments; {least} are needed", n, least=least),
            n=n,
            params=params,
        )
        return Calibration(no_estimate, no_estimate, brier, drawn_bins)
    value = float(_error(confidence[None], right[None], bin_of)[0])
    rng = np.random.default_rng(seed)
    if not resamples:
        plain = Estimate(value, n=n, ci_method=NOT_ASKED, params=params)
        return Calibration(plain, undefined(sentence("not asked for"), n=n), brier, drawn_bins)
    perfect = (rng.random((resamples, n)) < confidence).astype(float)
    chance = _error(np.broadcast_to(confidence, perfect.shape), perfect, bin_of)
    low, high = np.percentile(chance, [0, 95])
    by_chance = Estimate(
        float(chance.mean()), ci=(float(low), float(high)), seed=seed, n=n, params=params,
        ci_method=sentence("lower 95 % of {resamples} simulated judges", resamples=resamples),
    )  # fmt: skip
    # A percentile interval of the error would be too high, since resampling adds noise to every bin.
    ece = Estimate(value, n=n, ci_method=no_interval(sentence("beside the value by chance")), params=params)
    return Calibration(ece, by_chance, brier, drawn_bins)


def _bins(confidence: Floats, bins: int, kind: str) -> tuple[Ints, Floats]:
    if kind == WIDTH:
        edges = np.linspace(0.0, 1.0, bins + 1)
    else:
        quantiles = np.quantile(confidence, np.linspace(0.0, 1.0, bins + 1))
        # Upper ends are not included: the highest confidence has a bin of its own if it would fill one.
        edges = np.append(np.unique(quantiles), quantiles[-1:] if quantiles[-2] == quantiles[-1] else [])
    # A confidence of 0.6 belongs to the bin that begins there, also where the edge is 0.6000000000000001.
    place = np.searchsorted(edges[1:-1], confidence + 1e-12, side="right")
    return place.astype(np.int64), edges


def _error(confidence: Floats, right: Floats, bin_of: Ints) -> Floats:
    """Return the error of each row of verdicts."""
    belongs = (bin_of[:, None] == np.unique(bin_of)).astype(float)
    return np.asarray(np.abs((confidence - right) @ belongs).sum(axis=1) / len(bin_of))


def _brier(confidence: Floats, right: Floats) -> Estimate:
    """Return the mean of the squared differences, each within 0 and 1."""
    return bounded_mean((confidence - right) ** 2, (0.0, 1.0))
