"""Chance-corrected agreement among raters, with gaps: Fleiss, Conger, Gwet, Brennan-Prediger.

All have the form 1 - (1 - pa) / (1 - pe), with the same observed agreement pa and different estimates pe of
chance agreement. Both are sums over units, so all resamples of the items are one matrix product. Source of
the forms with gaps and weights: Gwet 2014, Handbook of Inter-Rater Reliability, chapters 2 to 5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix

from judgelab.errors import InvalidInput
from judgelab.metaeval.core.arrays import Floats, Ints, count_distinct, rounded
from judgelab.metaeval.core.ratings import Rated
from judgelab.metaeval.core.resampling import ItemDraws, percentile_interval
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, undefined
from judgelab.metaeval.core.shares import share_interval
from judgelab.wording import sentence

WEIGHTS = ("identity", "linear", "quadratic")
KINDS = ("percent", "fleiss", "conger", "gwet", "brennan_prediger")
MOST_CELLS = 20_000_000
NOISE = 1e-12


def agreement_weights(points: Floats, kind: str) -> Floats:
    """Return the agreement weight of every two scale points, shape (points, points).

    1 for equal points, 0 for the two ends; with "identity", 0 for all unequal points. Raises `InvalidInput`
    for any other name.
    """
    distance = np.abs(points[:, None] - points)
    width = float(distance.max()) or 1.0
    if kind == "identity":
        return np.eye(len(points))
    if kind not in WEIGHTS:
        raise InvalidInput(
            sentence(
                "{option} is '{found}', but must be one of {known}",
                option="weights", found=kind, known=", ".join(WEIGHTS),
            )
        )  # fmt: skip
    share = distance / width
    return np.asarray(1 - (share if kind == "linear" else share**2))


def beyond_chance(
    rated: Rated,
    points: Floats,
    *,
    kind: str,
    weights: str = "identity",
    item: Ints | None = None,
    draws: ItemDraws | None = None,
) -> Estimate:
    """Return agreement among all raters, corrected for chance; 1 is perfect, 0 is chance.

    Units with one rating count towards how often each point is used, not towards agreement (Gwet). Undefined,
    with the reason, when no unit has two ratings, when a score is not a point of the scale, or when chance
    agreement is 1. Example: Gwet's four raters of twelve units, `kind="gwet"`, give AC1 = 0.7754.

    Args:
        rated: the ratings of one criterion, numbered from 0.
        points: all points of the scale, used or not.
        kind: one of `KINDS`; "percent" is the observed agreement itself.
        weights: one of `WEIGHTS`; Gwet's AC1 is "identity", AC2 any other.
        item: the item of each unit; items are resampled. Each unit is its own item if not given.
        draws: how often each resample drew each item; no interval if not given.
    """
    params = {"kind": kind, "weights": weights, "points": len(points), "ratings": len(rated.score)}
    score = rounded(rated.score)
    if not len(points):
        return undefined(sentence("the scale has no separate points"), params=params)
    point_number = np.minimum(np.searchsorted(points, score), len(points) - 1)
    outside = int((points[point_number] != score).sum()) if len(score) else 0
    if outside:
        reason = sentence(
            "{outside} of {scores} ratings are not points of the scale", outside=outside, scores=len(score)
        )
        return undefined(reason, params=params)
    units = int(rated.unit.max(initial=-1)) + 1
    size = np.bincount(rated.unit, minlength=units)
    n = int((size >= 2).sum())
    if not n:
        return undefined(sentence("no response or pair has two ratings"), params=params)
    of_unit = np.arange(units) if item is None else item
    sums = _Sums.of(
        rated._replace(score=point_number.astype(float)),
        size,
        of_unit,
        agreement_weights(points, weights),
        kind,
    )
    value = float(sums.value(np.ones((1, sums.items)))[0])
    if not np.isfinite(value):
        return undefined(sentence("all ratings are the same"), n=n, params=params)
    estimate = Estimate(value, n=n, ci_method=NOT_ASKED, params=params)
    if draws is None or not draws.resamples:
        return estimate
    drawn, items = sums.value(draws.counts.astype(float)), count_distinct(of_unit[size >= 2])
    interval = (
        share_interval(value, drawn, items=items)
        if kind == "percent"
        else percentile_interval(drawn, items=items)
    )
    return Estimate(value, ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed, params=params)


@dataclass(frozen=True)
class _Sums:
    """Each item's contribution to observed agreement and to the use of points; `by_rater` for Conger only."""

    agreeing: Floats
    pairable: Floats
    use: Floats
    rated: Floats
    by_rater: csr_matrix | None
    weights: Floats
    chance: Callable[[Floats, Floats], Floats]

    @property
    def items(self) -> int:
        return len(self.agreeing)

    @classmethod
    def of(cls, rated: Rated, size: Ints, item: Ints, weights: Floats, kind: str) -> _Sums:
        points, units = len(weights), len(size)
        cells = np.bincount(rated.unit * points + rated.score.astype(np.int64), minlength=units * points)
        counts = cells.reshape(units, points).astype(float)
        at_least = np.maximum(size, 2).astype(float)
        agreeing = (counts * (counts @ weights - 1)).sum(axis=1) / (at_least * (at_least - 1))
        agreeing[size < 2] = 0.0
        use = counts / np.maximum(size, 1)[:, None]
        items = int(item.max()) + 1
        by_rater = None
        if kind == "conger":
            raters = int(rated.rater.max()) + 1
            cell = rated.rater * points + rated.score.astype(np.int64)
            shape = (raters * points, items)
            by_rater = csr_matrix((np.ones(len(cell)), (cell, item[rated.unit])), shape=shape)
        columns = np.zeros((items, points))
        np.add.at(columns, item, use)
        return cls(
            np.bincount(item, agreeing, minlength=items).astype(float),
            np.bincount(item, size >= 2, minlength=items).astype(float),
            columns,
            np.bincount(item, size >= 1, minlength=items).astype(float),
            by_rater,
            weights,
            _CHANCE.get(kind, _none),
        )

    def value(self, w: Floats) -> Floats:
        """Return the coefficient for each row of weights of the items."""
        w = w[:, : self.items]
        with np.errstate(divide="ignore", invalid="ignore"):
            observed = w @ self.agreeing / (w @ self.pairable)
            if self.by_rater is not None:
                expected = self._conger(w, self.by_rater)
            else:
                expected = self.chance(w @ self.use / (w @ self.rated)[:, None], self.weights)
            return np.where(1 - expected > NOISE, 1 - (1 - observed) / (1 - expected), np.nan)

    def _conger(self, w: Floats, by_rater: csr_matrix) -> Floats:
        """Return chance agreement from each rater's own use of the points, averaged over pairs of raters."""
        points = len(self.weights)
        raters = by_rater.shape[0] // points
        step = max(1, MOST_CELLS // (raters * points))
        expected = []
        for start in range(0, len(w), step):
            table = np.asarray((by_rater @ w[start : start + step].T).T).reshape(-1, raters, points)
            size = table.sum(axis=2, keepdims=True)
            shares = table / np.where(size > 0, size, 1.0)
            present = (size[:, :, 0] > 0).sum(axis=1)
            total = shares.sum(axis=1)
            all_pairs = np.einsum("bi,ij,bj->b", total, self.weights, total)
            same_rater = np.einsum("bri,ij,brj->b", shares, self.weights, shares, optimize=True)
            with np.errstate(divide="ignore", invalid="ignore"):
                expected.append((all_pairs - same_rater) / (present * (present - 1.0)))
        return np.concatenate(expected)


def _none(use: Floats, weights: Floats) -> Floats:
    return np.zeros(len(use))


def _fleiss(use: Floats, weights: Floats) -> Floats:
    return np.asarray(np.einsum("bi,ij,bj->b", use, weights, use))


def _gwet(use: Floats, weights: Floats) -> Floats:
    points = len(weights)
    return np.asarray(weights.sum() / (points * (points - 1)) * (use * (1 - use)).sum(axis=1))


def _brennan_prediger(use: Floats, weights: Floats) -> Floats:
    return np.full(len(use), weights.mean())


_CHANCE = {"fleiss": _fleiss, "gwet": _gwet, "brennan_prediger": _brennan_prediger}
