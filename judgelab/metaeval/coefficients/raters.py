"""Agreement among raters: each pair on shared units, and each rater with all the others.

All pairs come from four sparse products, so raters without shared units cost nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from judgelab.metaeval.core.arrays import Bools, Floats, Ints, rounded
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, undefined
from judgelab.metaeval.core.units import Rated
from judgelab.wording import sentence

# Sums of centred products of n scores carry noise of about n * 1e-16 of their size.
NOISE = 1e-10


class RaterPairs(NamedTuple):
    """Every pair of raters who share units, with Pearson's r, or Cohen's kappa of labels without an order.

    Args:
        first: the number of one rater.
        second: the number of the other.
        shared: how many units they share.
        value: the coefficient; r is NaN where either is constant, kappa where both gave the same one label.
        first_constant: whether the first gave one score to all shared units.
        second_constant: whether the second did.
    """

    first: Ints
    second: Ints
    shared: Floats
    value: Floats
    first_constant: Bools
    second_constant: Bools

    def among(self, present: Bools, *, least: int) -> RaterPairs:
        """Return the pairs of present raters who share at least `least` units."""
        return self.where(present[self.first] & present[self.second] & (self.shared >= least))

    def where(self, keep: Bools) -> RaterPairs:
        """Return the pairs that `keep` marks."""
        return RaterPairs(*(column[keep] for column in self))  # type: ignore[arg-type]  # columns keep their types


class RaterScores(NamedTuple):
    """Agreement of each rater with the others: NaN where it cannot be assessed.

    Args:
        score: the agreement.
        partners: with how many others each was compared.
        shared: on how many units, summed over partners for pairs.
        constant: whether the rater gave one score to all shared units in some comparison, which counts as 0.
    """

    score: Floats
    partners: Ints
    shared: Ints
    constant: Bools


def rater_pairs(rated: Rated, *, units: int, raters: int) -> RaterPairs:
    """Return r of every pair with at least one shared unit. Example: (3,2,0) with (3,1,0) has r = 0.9286."""
    score = _centred(rated, raters)
    place, shape = (rated.unit, rated.rater), (units, raters)
    rated_cells = csr_matrix((np.ones(len(score)), place), shape=shape)
    value = csr_matrix((score, place), shape=shape)
    square = csr_matrix((score * score, place), shape=shape)
    first, second = raters_sharing_units(rated_cells)
    if not len(first):  # indexing a sparse product with nothing gives back a matrix
        no_values, no_flags = np.empty(0), np.empty(0, dtype=bool)
        return RaterPairs(first, second, no_values, no_values, no_flags, no_flags)
    shared, product, sum_first, sum_second, square_first, square_second = (
        np.asarray((left.T @ right)[first, second]).reshape(-1)
        for left, right in (
            (rated_cells, rated_cells), (value, value), (value, rated_cells), (rated_cells, value),
            (square, rated_cells), (rated_cells, square)
        )
    )  # fmt: skip
    spread_first = square_first - sum_first**2 / shared
    spread_second = square_second - sum_second**2 / shared
    flat_first, flat_second = spread_first <= NOISE * square_first, spread_second <= NOISE * square_second
    with np.errstate(divide="ignore", invalid="ignore"):
        r = (product - sum_first * sum_second / shared) / np.sqrt(spread_first * spread_second)
    r = np.where(flat_first | flat_second, np.nan, np.clip(r, -1.0, 1.0))
    return RaterPairs(first, second, shared, r, flat_first, flat_second)


class PairwiseScorer:
    """Scores raters by their pairs, for any subset of raters.

    Args:
        pairs: all pairs of raters who share units.
        raters: how many raters there are.
        least: pairs that share fewer units are ignored.
        by_overlap: whether a pair counts by the units it shares.
    """

    def __init__(self, pairs: RaterPairs, *, raters: int, least: int = 0, by_overlap: bool = False) -> None:
        # Precomputed, since there may be thousands of rounds.
        counts = np.tile(pairs.shared >= least, 2)
        counts &= ~np.concatenate([pairs.second_constant, pairs.first_constant])
        self._rater = np.concatenate([pairs.first, pairs.second])[counts]
        self._partner = np.concatenate([pairs.second, pairs.first])[counts]
        self._own_constant = np.concatenate([pairs.first_constant, pairs.second_constant])[counts]
        value = np.where(self._own_constant, 0.0, np.concatenate([pairs.value, pairs.value])[counts])
        self._shared = np.concatenate([pairs.shared, pairs.shared])[counts]
        self._weight = self._shared if by_overlap else np.ones(len(value))
        self._product = self._weight * value
        self._raters = raters

    def __call__(self, present: Bools) -> RaterScores:
        """Return each present rater's mean over the present partners; see `pairwise_scores`."""
        keep = present[self._rater] & present[self._partner]
        rater, raters = self._rater[keep], self._raters
        total = np.bincount(rater, self._weight[keep], minlength=raters)
        with np.errstate(invalid="ignore"):
            score = np.bincount(rater, self._product[keep], minlength=raters) / total
        return RaterScores(
            score,
            np.bincount(rater, minlength=raters),
            np.bincount(rater, self._shared[keep], minlength=raters).astype(np.int64),
            np.bincount(rater, self._own_constant[keep], minlength=raters) > 0,
        )


def pairwise_scores(pairs: RaterPairs, *, raters: int, by_overlap: bool = False) -> RaterScores:
    """Return each rater's mean coefficient over partners, weighted by shared units if asked.

    A rater who is constant where the partner varies gets 0 from that pair and the partner gets nothing. A
    pair of two constant raters counts for neither.
    """
    return PairwiseScorer(pairs, raters=raters, by_overlap=by_overlap)(np.ones(raters, dtype=bool))


def leave_one_out_scores(
    rated: Rated, present: Bools, *, units: int, raters: int, least: int = 2
) -> RaterScores:
    """Return each present rater's r with the mean of the others, on at least `least` units.

    A constant rater among varying others scores 0; undefined where the others' mean is constant.
    """
    rows = RatingsVsOthers.beside(rated.where(present[rated.rater]), present, units=units)
    return agreement_with_others(rows, np.full(raters, max(0, int(present.sum()) - 1)), least=least)


def panel_scores(rated: Rated, panel: Bools, *, units: int, least: int = 2) -> RaterScores:
    """Return each rater's r with the mean of the panel's other members, on at least `least` units.

    Equal to `leave_one_out_scores` of the panel and, for a rater outside it, of the panel plus that rater.
    """
    rows = RatingsVsOthers.beside(rated, panel, units=units)
    return agreement_with_others(rows, panel.sum() - panel.astype(np.int64), least=least)


def agreement_with_others(rows: RatingsVsOthers, partners: Ints, *, least: int) -> RaterScores:
    """Return each rater's r with the others' means; `partners` says how many others each rater has."""
    raters = len(partners)
    size = np.bincount(rows.rater, minlength=raters)
    own_centred, others_centred = _centred(Rated(rows.unit, rows.rater, rows.own), raters), rows.others
    others_centred = _centred(Rated(rows.unit, rows.rater, others_centred), raters)
    square_own = np.bincount(rows.rater, own_centred * own_centred, minlength=raters)
    square_others = np.bincount(rows.rater, others_centred * others_centred, minlength=raters)
    product = np.bincount(rows.rater, own_centred * others_centred, minlength=raters)
    flat = square_own <= NOISE * np.bincount(rows.rater, rows.own**2, minlength=raters)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.clip(product / np.sqrt(square_own * square_others), -1.0, 1.0)
    speaks = (size >= least) & (
        square_others > NOISE * np.bincount(rows.rater, rows.others**2, minlength=raters)
    )
    score = np.where(speaks, np.where(flat, 0.0, r), np.nan)
    return RaterScores(score, np.where(speaks, partners, 0), np.where(speaks, size, 0), flat & speaks)


class RatingsVsOthers(NamedTuple):
    """Each rating with the mean of the others' ratings of the same unit."""

    unit: Ints
    rater: Ints
    own: Floats
    others: Floats

    @classmethod
    def beside(cls, rated: Rated, panel: Bools, *, units: int) -> RatingsVsOthers:
        """Return every rating whose unit another panel member rated, with the mean of those members.

        If everyone is on the panel, this is each rating with the mean of the others. A rater outside the
        panel is measured by it without affecting its mean.
        """
        unit, rater, score = rated
        counts = panel[rater]
        size = np.bincount(unit[counts], minlength=units)[unit] - counts
        total = np.bincount(unit[counts], score[counts], minlength=units)[unit] - np.where(counts, score, 0.0)
        company = size > 0
        return cls(unit[company], rater[company], score[company], rounded(total[company] / size[company]))


def mean_pairwise_r(pairs: RaterPairs) -> Estimate:
    """Return the mean r over pairs of raters; pairs with a constant rater are left out and counted.

    Undefined when no pair has a coefficient. `params` holds the minimum and the median of the pairs.
    """
    return mean_over_pairs(
        pairs,
        nothing=sentence("no two raters share responses or pairs on which the scores of each vary"),
    )


def mean_over_pairs(pairs: RaterPairs, *, nothing: str) -> Estimate:
    """Return the mean coefficient over pairs of raters; `nothing` says why there is none."""
    value = pairs.value[np.isfinite(pairs.value)]
    params: dict[str, float] = {"pairs": len(value), "pairs_undefined": len(pairs.value) - len(value)}
    if not len(value):
        return undefined(nothing, params=params)
    params |= {"least": float(value.min()), "median": float(np.median(value))}
    return Estimate(float(value.mean()), ci_method=NOT_ASKED, n=len(value), params=params)


def _centred(rated: Rated, raters: int) -> Floats:
    """Return scores minus each rater's mean, since raw sums of squares would cancel."""
    size = np.bincount(rated.rater, minlength=raters)
    mean = np.bincount(rated.rater, rated.score, minlength=raters) / np.maximum(size, 1)
    return np.asarray(rated.score - mean[rated.rater])


class _RaterNumbers(NamedTuple):
    first: Ints
    second: Ints


def raters_sharing_units(given: csr_matrix) -> _RaterNumbers:
    """Return every two raters who share a unit, once."""
    shared = (given.T @ given).tocoo()
    upper = shared.row < shared.col
    return _RaterNumbers(shared.row[upper].astype(np.int64), shared.col[upper].astype(np.int64))
