"""Raters who may be one person: nearly identical scores, or identical comments."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy
from scipy.sparse import csr_matrix

from judgelab.metaeval.core.arrays import Ints
from judgelab.metaeval.core.units import Rated

LEAST_SHARED = 20  # ratings two raters must share to be compared
NEARLY_ALL = 0.95  # share of equal scores
APART = 0.15  # by how much their share of equal scores must exceed that of other pairs
SELDOM = 0.1  # or, if all pairs are alike: their rate of differences, relative to that of other pairs
BY_CHANCE = 0.001  # probability, over all pairs, that one differs so seldom
LONG_COMMENT = 20  # characters; "ok" is written by many
LEAST_COMMENTS = 2
MOST_WRITERS = 5  # a comment that more people wrote is a stock phrase


class DuplicateCandidate(NamedTuple):
    """Two raters who may be one person.

    Args:
        first: number of the first rater.
        second: number of the second rater.
        shared: ratings both gave.
        equal: share of these with the same score; None when they share too few.
        usual: median of that share over the other pairs that share enough; None without any.
        comments: how many long comments both wrote word for word.
    """

    first: int
    second: int
    shared: int
    equal: float | None
    usual: float | None
    comments: int


def duplicate_raters(
    rated: Rated, *, units: int, raters: int, comments: Iterable[tuple[int, str]] = ()
) -> list[DuplicateCandidate]:
    """Return the pairs of raters with nearly the same scores or the same comments, the most alike first.

    Scores: at least twenty shared ratings, 95 % of them equal, not all one score, and 15 points more equal
    scores than the median of the other pairs, since on an easy task everybody is alike. If that median leaves
    no room for 15 points, the pair must differ at most a tenth as often as the other pairs, and so seldom
    that one of all pairs does so by chance (binomial) once in a thousand. With two raters there are no other
    pairs, and nothing is reported. Comments: at least two of twenty characters or more, equal except for case
    and spaces. Similarity is a reason to look, not proof.

    Args:
        rated: unit (a response under a criterion), rater and score.
        units: number of units.
        raters: number of raters.
        comments: rater number and text of each comment.
    """
    same_comments = _same_comments(comments)
    candidates = {
        pair: DuplicateCandidate(*pair, 0, None, None, count) for pair, count in same_comments.items()
    }
    first, second, shared, equal, varied = _pairs(rated, units=units, raters=raters)
    enough = shared >= LEAST_SHARED
    for number_of_pair in np.flatnonzero(enough & (equal >= NEARLY_ALL) & varied):
        others = equal[enough & (np.arange(len(equal)) != number_of_pair)]
        usual = float(np.median(others)) if len(others) else None
        number, equal_share = int(shared[number_of_pair]), float(equal[number_of_pair])
        if usual is None or not _more_alike(number, equal_share, usual, pairs=int(enough.sum())):
            continue
        pair = (int(first[number_of_pair]), int(second[number_of_pair]))
        candidates[pair] = DuplicateCandidate(*pair, number, equal_share, usual, same_comments.get(pair, 0))
    return sorted(candidates.values(), key=lambda a: (-(a.equal or 0.0), -a.comments, a.first, a.second))


def _more_alike(shared: int, equal: float, usual: float, *, pairs: int) -> bool:
    """Return whether a pair is significantly more alike than the others.

    Example: if other pairs give 90 % equal scores, 100 of 100 are (by chance 0.9^100 = 0.00003), 40 of 40 are
    not (0.015).
    """
    if equal >= usual + APART:
        return True
    differ = round((1 - equal) * shared)
    if differ > SELDOM * (1 - usual) * shared + 1e-9:
        return False
    by_chance = scipy.special.bdtr(differ, shared, 1 - usual)  # binomial; scipy.stats takes 0.5 s to import
    return bool(by_chance <= BY_CHANCE / pairs)


class _Pairs(NamedTuple):
    first: Ints
    second: Ints
    shared: Ints
    equal: np.ndarray[tuple[int], np.dtype[np.float64]]
    varied: np.ndarray[tuple[int], np.dtype[np.bool_]]


def _pairs(rated: Rated, *, units: int, raters: int) -> _Pairs:
    """Return every two raters who share a unit: shared units, share of equal scores, whether scores vary."""
    shape = (units, raters)

    def together(chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> csr_matrix:
        rated_cells = csr_matrix(
            (np.ones(int(chosen.sum())), (rated.unit[chosen], rated.rater[chosen])), shape=shape
        )
        return csr_matrix(rated_cells.T @ rated_cells)

    all_shared = together(np.ones(len(rated.score), dtype=bool)).tocoo()
    upper = all_shared.row < all_shared.col
    first, second = all_shared.row[upper].astype(np.int64), all_shared.col[upper].astype(np.int64)
    shared = all_shared.data[upper].astype(np.int64)
    if not len(first):
        no_values = np.empty(0)
        return _Pairs(first, second, shared, no_values, no_values.astype(bool))
    same, most = np.zeros(len(first)), np.zeros(len(first))
    for score in np.unique(rated.score):
        count = np.asarray(together(rated.score == score)[first, second]).reshape(-1)
        same += count
        most = np.maximum(most, count)
    return _Pairs(first, second, shared, same / shared, most < same)


def _same_comments(comments: Iterable[tuple[int, str]]) -> dict[tuple[int, int], int]:
    writers: dict[str, set[int]] = defaultdict(set)
    for rater, text in comments:
        words = " ".join(text.casefold().split())
        if len(words) >= LONG_COMMENT:
            writers[words].add(rater)
    counts: dict[tuple[int, int], int] = defaultdict(int)
    for people in writers.values():
        if len(people) <= MOST_WRITERS:
            for pair in combinations(sorted(people), 2):
                counts[pair] += 1
    return {pair: count for pair, count in counts.items() if count >= LEAST_COMMENTS}
