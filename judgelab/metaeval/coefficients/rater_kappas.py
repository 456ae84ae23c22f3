"""Agreement among raters who give labels without an order: Cohen's kappa in place of Pearson's r.

A rater is compared with every other rater on shared units, or with the label that most others chose. The
rules are those of `raters`: a rater who gives one label where the others vary scores 0, and a pair of two
such raters counts for neither.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from judgelab.metaeval.coefficients.raters import (
    RaterPairs,
    RaterScores,
    RatingsVsOthers,
    mean_over_pairs,
    raters_sharing_units,
)
from judgelab.metaeval.core.arrays import Bools, Floats, Ints
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.units import Rated
from judgelab.wording import sentence


def kappa_pairs(rated: Rated, *, units: int, raters: int) -> RaterPairs:
    """Return Cohen's kappa of every pair of raters with at least one shared unit.

    Undefined where both gave one and the same label to all shared units. Example: (1, 1, 2, 2) with
    (1, 2, 2, 2) has kappa 0.5.
    """
    place, shape = (rated.unit, rated.rater), (units, raters)
    rated_cells = csr_matrix((np.ones(len(rated.score)), place), shape=shape)
    first, second = raters_sharing_units(rated_cells)
    if not len(first):
        no_values, no_flags = np.empty(0), np.empty(0, dtype=bool)
        return RaterPairs(first, second, no_values, no_values, no_flags, no_flags)

    def counted(left: csr_matrix, right: csr_matrix) -> Floats:
        return np.asarray((left.T @ right)[first, second], dtype=float).reshape(-1)

    shared = counted(rated_cells, rated_cells)
    equal, chance, most_first, most_second = (np.zeros(len(first)) for _ in range(4))
    for label in np.unique(rated.score):
        given = csr_matrix(((rated.score == label).astype(float), place), shape=shape)
        by_first, by_second = counted(given, rated_cells), counted(rated_cells, given)
        equal += counted(given, given)
        chance += by_first * by_second
        most_first, most_second = np.maximum(most_first, by_first), np.maximum(most_second, by_second)
    kappa = kappa_of_counts(shared, equal, chance)
    return RaterPairs(first, second, shared, kappa, most_first == shared, most_second == shared)


def kappa_of_counts(units: Floats, equal: Floats, chance: Floats) -> Floats:
    """Return kappa from numbers of units: all, with equal labels, and the sum of products of label counts."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(units**2 > chance, (units * equal - chance) / (units**2 - chance), np.nan)


def mean_pairwise_kappa(pairs: RaterPairs) -> Estimate:
    """Return the mean kappa over pairs of raters (Light's kappa); undefined pairs are left out and counted.

    Undefined when no pair has a coefficient. `params` holds the minimum and the median of the pairs.
    """
    return mean_over_pairs(
        pairs,
        nothing=sentence("no two raters share responses or pairs on which the labels of each vary"),
    )


def leave_one_out_kappas(
    rated: Rated, present: Bools, *, units: int, raters: int, least: int = 2
) -> RaterScores:
    """Return each present rater's kappa with the majority of the others, on at least `least` units.

    Units in which the others tie are left out. A rater who gives one label while the majority varies scores
    0; undefined where the majority is always the same.
    """
    rows = beside_majority(rated.where(present[rated.rater]), present, units=units)
    return kappa_with_others(rows, np.full(raters, max(0, int(present.sum()) - 1)), least=least)


def beside_majority(rated: Rated, panel: Bools, *, units: int) -> RatingsVsOthers:
    """Return every rating with the label that most other panel members gave its unit; ties are left out."""
    unit, rater, score = rated
    labels, label = np.unique(score, return_inverse=True)
    label, k = label.reshape(-1), len(labels)
    counts = panel[rater]
    cells = np.bincount(unit[counts] * k + label[counts], minlength=units * k)
    votes = cells.reshape(units, k)[unit] if k else np.zeros((0, 1), dtype=np.int64)
    votes[np.arange(len(unit)), label] -= counts
    most = votes.max(axis=1, initial=0)
    clear = (most > 0) & ((votes == most[:, None]).sum(axis=1) == 1)
    return RatingsVsOthers(unit[clear], rater[clear], score[clear], labels[votes[clear].argmax(axis=1)])


def kappa_with_others(rows: RatingsVsOthers, partners: Ints, *, least: int) -> RaterScores:
    """Return each rater's kappa with the others' label; `partners` says how many others each rater has."""
    raters = len(partners)
    size = np.bincount(rows.rater, minlength=raters)
    equal = np.bincount(rows.rater, (rows.own == rows.others).astype(float), minlength=raters)
    chance, most_own, most_others = (np.zeros(raters) for _ in range(3))
    for label in np.union1d(rows.own, rows.others):
        own = np.bincount(rows.rater, rows.own == label, minlength=raters)
        others = np.bincount(rows.rater, rows.others == label, minlength=raters)
        chance += own * others
        most_own, most_others = np.maximum(most_own, own), np.maximum(most_others, others)
    flat, speaks = most_own == size, (size >= least) & (most_others < size)
    kappa = np.where(flat, 0.0, kappa_of_counts(size.astype(float), equal.astype(float), chance))
    score = np.where(speaks, kappa, np.nan)
    return RaterScores(score, np.where(speaks, partners, 0), np.where(speaks, size, 0), flat & speaks)
