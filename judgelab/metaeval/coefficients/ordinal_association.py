"""Further coefficients between humans and a judge.

Somers' D, Stuart's tau-c, top-weighted tau, Lin's concordance, kappa with linear weights. Each has a form as
in `rowwise` (many groups of one size at once) and one as in `weighted` (many resamples of one group). The
human scores are `x`, the judge's `y`.
"""

from __future__ import annotations

import numpy as np

from judgelab.metaeval.coefficients import rowwise, weighted
from judgelab.metaeval.coefficients.concordance import Statistic, TieGroups, concordance, net_concordance
from judgelab.metaeval.coefficients.weighted import NOISE
from judgelab.metaeval.core.arrays import Floats

CELLS_AT_ONCE = 4_000_000


def somers(x: Floats, y: Floats) -> Floats:
    """Somers' D of each row: (C - D) / pairs that the humans order; a judge's tie costs half a pair.

    Between -1 and 1; undefined where the human scores are constant. Source: Somers 1962. Example: (1,2,2,3,4)
    with (2,1,1.5,5,3) gives 3/9.
    """
    return _by_pairs(x, y, _somers, resampled_somers)


def tau_c(x: Floats, y: Floats) -> Floats:
    """Stuart's tau-c of each row: 2 (C - D) / (n^2 (m - 1) / m), m the smaller number of levels.

    Undefined where a side is constant. Example: (1,2,2,3,4) with (2,1,1.5,5,3) gives 0.32.
    """
    return (
        rowwise.long_rows(resampled_tau_c, x, y) if x.shape[1] > rowwise.LONGEST_PAIRED_ROW else _tau_c(x, y)
    )


def ccc(x: Floats, y: Floats) -> Floats:
    """Lin's concordance of each row: 1 - E(x-y)^2 / the same for independent raters; 1 is equality.

    The quadratic-weighted kappa of scores that need not be points. Undefined when both sides are one
    constant. Source: Lin 1989.
    """
    return rowwise.qwk(x, y)


def kappa_linear(x: Floats, y: Floats) -> Floats:
    """Cohen's kappa of each row with linear weights: 1 - E|x-y| / the same for independent raters."""
    points = np.union1d(x, y)
    expected = np.zeros(len(x))
    for low, gap in zip(points[:-1], np.diff(points), strict=True):
        under_x, under_y = (x <= low).mean(axis=1), (y <= low).mean(axis=1)
        expected += gap * (under_x * (1 - under_y) + under_y * (1 - under_x))
    return rowwise.one_minus(np.abs(x - y).mean(axis=1), expected)


def weighted_tau(x: Floats, y: Floats) -> Floats:
    """Top-weighted tau of each row: pairs weigh 1/rank + 1/rank, rank 1 being the best unit.

    The mean of ranking by the humans and by the judge, so it is symmetric. Undefined where a side is
    constant. Source: Vigna 2015; equal to `scipy.stats.weightedtau`.
    """
    if x.shape[1] > rowwise.LONGEST_PAIRED_ROW:
        return rowwise.long_rows(resampled_weighted_tau, x, y)
    step = max(1, CELLS_AT_ONCE // x.shape[1] ** 2)
    parts = [_weighted_tau(x[i : i + step], y[i : i + step]) for i in range(0, len(x), step)]
    return np.concatenate(parts)


def _weighted_tau(x: Floats, y: Floats) -> Floats:
    sx, sy = np.sign(x[:, :, None] - x[:, None, :]), np.sign(y[:, :, None] - y[:, None, :])
    total = np.zeros(len(x))
    for first, second in ((x, y), (y, x)):
        best_first = np.lexsort((second, first), axis=-1)[:, ::-1]
        h = 1.0 / (np.argsort(best_first, axis=1) + 1)
        weight = h[:, :, None] + h[:, None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            untied_x, untied_y = (weight * sx * sx).sum(axis=(1, 2)), (weight * sy * sy).sum(axis=(1, 2))
            total += (weight * sx * sy).sum(axis=(1, 2)) / np.sqrt(untied_x * untied_y)
    return np.clip(total / 2, -1.0, 1.0)


def resampled_weighted_tau(x: Floats, y: Floats) -> Statistic:
    """Top-weighted tau for each set of weights: copies of a unit take neighbouring ranks."""
    coarse, fine = (x, y) if len(np.unique(x)) <= len(np.unique(y)) else (y, x)
    first = np.lexsort((fine, coarse))
    second = np.lexsort((coarse[first], fine[first]))
    gx, gy = TieGroups(x[first]), TieGroups(y[first])
    net = net_concordance(gx, gy)
    of_second = TieGroups(x[first][second]), TieGroups(y[first][second])

    def statistic(w: Floats) -> Floats:
        w = np.take(w, first, axis=1)
        n, alone = w.sum(axis=1), net(w)
        harmonic = np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, int(n.max(initial=0)) + 1))])
        taus = np.zeros(len(w))
        rankings = (
            (w, alone, (gx, gy)),
            (np.take(w, second, axis=1), np.take(alone, second, axis=1), of_second),
        )
        for counts, beside, groups in rankings:
            h = _harmonic_weights(counts, harmonic)
            h_sum = h.sum(axis=1)
            total = (n - 1) * h_sum
            untied = [total - _tied(group, counts, h, h_sum) for group in groups]
            with np.errstate(divide="ignore", invalid="ignore"):
                tau = np.einsum("ij,ij->i", h, beside) / np.sqrt(untied[0] * untied[1])
            # h and total are sums of floats: a constant side leaves rounding noise.
            varies = (untied[0] > NOISE * total) & (untied[1] > NOISE * total)
            taus += np.where(varies, np.clip(tau, -1.0, 1.0), np.nan)
        return taus / 2

    return statistic


def _tied(group: TieGroups, w: Floats, h: Floats, h_sum: Floats) -> Floats:
    """Return the weight of the pairs of copies that tie on one side."""
    if group.alone:
        return np.asarray(np.einsum("ij,ij->i", w, h) - h_sum)
    return np.asarray(((group.weights(w) - 1) * group.weights(h)).sum(axis=1))


def _harmonic_weights(w: Floats, harmonic: Floats) -> Floats:
    """Return, for each unit, the sum of 1/rank over its copies; units are sorted with the best one last."""
    under = np.zeros((len(w), w.shape[1] + 1), dtype=np.int64)
    np.cumsum(w, axis=1, out=under[:, 1:], dtype=np.int64)
    sums = np.take(harmonic, under[:, -1:] - under)
    return np.asarray(sums[:, :-1] - sums[:, 1:])


def resampled_somers(x: Floats, y: Floats) -> Statistic:
    """Somers' D for each set of weights; see `somers`."""
    gx, gy = TieGroups(x), TieGroups(y)
    surplus = concordance(gx, gy)

    def statistic(w: Floats) -> Floats:
        untied = (w.sum(axis=1) ** 2 - gx.squares(w)) / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(untied > 0, surplus(w) / untied, np.nan)

    return statistic


def resampled_tau_c(x: Floats, y: Floats) -> Statistic:
    """Stuart's tau-c for each set of weights; levels are those of the resample."""
    gx, gy = TieGroups(x), TieGroups(y)
    surplus = concordance(gx, gy)

    def statistic(w: Floats) -> Floats:
        levels = np.minimum((gx.weights(w) > 0).sum(axis=1), (gy.weights(w) > 0).sum(axis=1))
        with np.errstate(divide="ignore", invalid="ignore"):
            tau = 2 * surplus(w) * levels / (w.sum(axis=1) ** 2 * (levels - 1))
            return np.where(levels > 1, tau, np.nan)

    return statistic


def resampled_kappa_linear(x: Floats, y: Floats) -> Statistic:
    """Linear-weighted kappa for each set of weights."""
    points = np.union1d(x, y)
    under = [(side[:, None] <= points[:-1]).astype(float) for side in (x, y)]
    gaps, distance = np.diff(points), np.abs(x - y)

    def statistic(w: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            n = w.sum(axis=1)
            p, q = (w @ side_under / n[:, None] for side_under in under)
            expected = (p * (1 - q) + q * (1 - p)) @ gaps
            return weighted.one_minus(w @ distance / n, expected, np.full(len(w), NOISE))

    return statistic


def _by_pairs(x: Floats, y: Floats, formula: weighted.Formula, prepare: weighted.Prepare) -> Floats:
    if x.shape[1] > rowwise.LONGEST_PAIRED_ROW:
        return rowwise.long_rows(prepare, x, y)
    return rowwise.over_pairs(x, y, formula)


def _somers(sx: Floats, sy: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        ordered = (sx * sx).sum(axis=1)
        return np.where(ordered > 0, (sx * sy).sum(axis=1) / ordered, np.nan)


def _tau_c(x: Floats, y: Floats) -> Floats:
    n = x.shape[1]
    levels = np.minimum(*((np.diff(np.sort(side, axis=1), axis=1) > 0).sum(axis=1) + 1 for side in (x, y)))
    surplus = rowwise.over_pairs(x, y, lambda sx, sy: np.asarray((sx * sy).sum(axis=1)))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(levels > 1, 2 * surplus * levels / (n**2 * (levels - 1.0)), np.nan)
