"""Which items are worth rating next: where a committee or judges differ, no two alike in a row.

B. Settles, "Active learning literature survey", 2009, sections 3.2 (query by committee) and 3.6 (density).
"""

from __future__ import annotations

import numpy as np

from judgelab.learned.feature_inputs import Floats, Ints
from judgelab.learned.linear import Standard

APART = 0.5  # how much being unlike what was proposed before counts beside what is to be learned
MOST_ORDERED = 200  # items put in order one by one; the rest follow by what is to be learned alone


def uncertainty(said: Floats, *, low: float, high: float, binary: bool) -> Floats:
    """Return how unsure a committee is of each response, as a part of the scale's width.

    Args:
        said: scores, shape (members, responses).
        low: the lowest score.
        high: the highest score.
        binary: a score is a probability: the spread of a verdict drawn with their mean one.
    """
    if binary:
        chance = (said.mean(axis=0) - low) / (high - low)
        return np.asarray(np.sqrt(np.clip(chance * (1 - chance), 0.0, None)))
    return np.asarray(said.std(axis=0) / (high - low))


def disagreement(scores: Floats, *, low: float, high: float) -> Floats:
    """Return the spread of judges' scores of each response as a part of the scale; NaN with fewer than two.

    Args:
        scores: shape (responses, judges), NaN where a judge gave none.
        low: the lowest score.
        high: the highest score.
    """
    known = np.isfinite(scores)
    count = known.sum(axis=1)
    mean = np.where(known, scores, 0.0).sum(axis=1) / np.maximum(count, 1)
    square = np.where(known, (scores - mean[:, None]) ** 2, 0.0).sum(axis=1)
    return np.where(count >= 2, np.sqrt(square / np.maximum(count, 1)) / (high - low), np.nan)


def in_order(item: Ints, rows: Ints, unsure: Floats, apart: Floats, *, values: Floats) -> list[int]:
    """Return the items of `rows`, most worth rating first.

    An item's worth is the mean over its rows of the ranks of uncertainty and, where it is known, of
    disagreement; what lies near an item proposed before is put off.

    Args:
        item: of all responses.
        rows: the responses that lack ratings.
        unsure: of `uncertainty`, by response.
        apart: of `disagreement`, by response.
        values: the features, shape (responses, features).
    """
    known = np.unique(item[rows])
    worth = _ranked(_by_item(unsure, item, rows, known))
    differ = _by_item(apart, item, rows, known)
    if np.isfinite(differ).any():
        worth = (worth + np.where(np.isfinite(differ), _ranked(np.nan_to_num(differ)), 0.5)) / 2
    standard = Standard.of(values)
    z = standard.apply(values)
    centre = np.array([z[rows[item[rows] == one]].mean(axis=0) for one in known])
    length = np.linalg.norm(centre, axis=1, keepdims=True)
    centre = centre / np.where(length > 0, length, 1.0)
    left = np.ones(len(known), dtype=bool)
    order: list[int] = []
    nearest = np.full(len(known), -1.0)
    while left.any() and len(order) < MOST_ORDERED:
        score = np.where(left, worth - APART * np.maximum(nearest, 0.0), -np.inf)
        place = int(np.argmax(score))
        order.append(int(known[place]))
        left[place] = False
        nearest = np.maximum(nearest, centre @ centre[place])
    rest = np.flatnonzero(left)
    return order + [int(known[place]) for place in rest[np.argsort(-worth[rest], kind="stable")]]


def _by_item(values: Floats, item: Ints, rows: Ints, known: Ints) -> Floats:
    found = []
    for one in known:
        own = values[rows[item[rows] == one]]
        own = own[np.isfinite(own)]
        found.append(float(own.mean()) if len(own) else np.nan)
    return np.array(found)


def _ranked(values: Floats) -> Floats:
    """Return ranks between 0 and 1, ties alike in the order they stand."""
    order = np.argsort(np.argsort(np.nan_to_num(values), kind="stable"), kind="stable")
    return order / max(len(values) - 1, 1)
