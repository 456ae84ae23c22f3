"""Sets of labels as scores: each label is a yes or no, and two sets can be more or less alike.

A set is the number whose binary digits say which labels it has: 1 for the first label, 2 for the second, 4
for the third; 0 is the empty set.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from judgelab.metaeval.core.arrays import Bools, Floats, Ints
from judgelab.scales.categorical import MOST_LABELS

# Passonneau (2006): how much two sets that overlap still agree, by how they overlap.
EQUAL, PART_OF, OVERLAPPING, DISJOINT = 1.0, 2 / 3, 1 / 3, 0.0


def has_label(scores: npt.ArrayLike, labels: int) -> Bools:
    """Return one row per set and one column per label: whether the set has it.

    >>> has_label([0, 5], 3).astype(int).tolist()
    [[0, 0, 0], [1, 0, 1]]
    """
    numbers = np.asarray(scores).astype(np.int64)
    return np.asarray((numbers[:, None] >> np.arange(labels)) & 1, dtype=bool)


def as_scores(has: Bools) -> Floats:
    """Return the sets' scores, the opposite of `has_label`."""
    return np.asarray(has @ (2.0 ** np.arange(has.shape[1])), dtype=float)


def jaccard(one: npt.ArrayLike, other: npt.ArrayLike) -> Floats:
    """Return the Jaccard index of each pair of sets: labels in both, of those in either; 1 if both are empty.

    >>> jaccard([3, 0, 1], [1, 0, 2]).tolist()
    [0.5, 1.0, 0.0]
    """
    first, second = (np.asarray(each).astype(np.int64) for each in (one, other))
    both, either = _sizes(first & second), _sizes(first | second)
    return np.asarray(np.where(either == 0, 1.0, both / np.maximum(either, 1)), dtype=float)


def masi_distance(one: npt.ArrayLike, other: npt.ArrayLike) -> Floats:
    """Return MASI's distance of each pair of sets: 1 minus the Jaccard index times how they overlap.

    >>> [round(float(d), 4) for d in masi_distance([3, 3, 3, 3], [3, 1, 6, 4])]
    [0.0, 0.6667, 0.8889, 1.0]
    """
    first, second = (np.asarray(each).astype(np.int64) for each in (one, other))
    shared = first & second
    kind = np.select(
        [first == second, (shared == first) | (shared == second), shared != 0],
        [EQUAL, PART_OF, OVERLAPPING],
        DISJOINT,
    )
    return np.asarray(1.0 - jaccard(first, second) * kind, dtype=float)


def majority_sets(unit: Ints, scores: npt.ArrayLike, *, units: int, labels: int) -> tuple[Floats, Ints]:
    """Return each unit's labels by majority, and how many labels are tied.

    A label belongs to the majority's set if more than half of the unit's raters gave it. A unit with a tied
    label has no set (NaN), like a unit without ratings.
    """
    has = has_label(scores, labels)
    raters = np.bincount(unit, minlength=units)
    votes = np.stack([np.bincount(unit, has[:, place], minlength=units) for place in range(labels)], axis=1)
    tied = ((2 * votes == raters[:, None]) & (raters[:, None] > 0)).sum(axis=1)
    sets = as_scores(2 * votes > raters[:, None])
    sets[(tied > 0) | (raters == 0)] = np.nan
    return sets, tied.astype(np.int64)


def masi_alpha(unit: Ints, scores: npt.ArrayLike) -> float:
    """Return Krippendorff's alpha with MASI's distance; NaN if no two ratings of a unit can be compared.

    1 minus the mean distance of two ratings of a unit over that of two ratings drawn from all; units with a
    single rating are left out.
    """
    values = np.asarray(scores).astype(np.int64)
    sizes = np.bincount(unit)
    paired = sizes[unit] > 1
    kept, place = np.unique(values[paired], return_inverse=True)
    place = place.reshape(-1)
    if not len(kept):
        return float("nan")
    _, group = np.unique(unit[paired], return_inverse=True)
    counts = np.zeros((int(group.max()) + 1, len(kept)))
    np.add.at(counts, (group.reshape(-1), place), 1.0)
    distance = masi_distance(np.repeat(kept, len(kept)), np.tile(kept, len(kept))).reshape(len(kept), -1)
    raters, totals = counts.sum(axis=1), counts.sum(axis=0)
    observed = float((((counts @ distance) * counts).sum(axis=1) / (raters - 1)).sum())
    expected = float(totals @ distance @ totals) / (totals.sum() - 1)
    return 1.0 - observed / expected if expected > 0 else float("nan")


def _sizes(sets: Ints) -> Ints:
    return np.asarray(has_label(sets, MOST_LABELS).sum(axis=1), dtype=np.int64)
