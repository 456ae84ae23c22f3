"""Which items are worth rating next: where a committee or judges differ, without similar ones in a row.

B. Settles, "Active learning literature survey", 2009, sections 3.2 (query by committee) and 3.6 (density).
"""

from __future__ import annotations

import numpy as np

from judgelab.learned.feature_inputs import Floats, Ints
from judgelab.learned.linear import Standard

APART = 0.5  # weight of dissimilarity to earlier proposals, relative to what is to be learned
MOST_ORDERED = 200  # items put in order one by one; the rest follow by what is to be learned alone


def uncertainty(predictions: Floats, *, low: float, high: float, binary: bool) -> Floats:
    """Return a committee's uncertainty about each response, relative to the scale's width.

    Args:
        predictions: scores, shape (members, responses).
        low: the lowest score.
        high: the highest score.
        binary: a score is a probability: the spread of a verdict drawn with their mean one.
    """
    if binary:
        probability = (predictions.mean(axis=0) - low) / (high - low)
        return np.asarray(np.sqrt(np.clip(probability * (1 - probability), 0.0, None)))
    return np.asarray(predictions.std(axis=0) / (high - low))


def disagreement(scores: Floats, *, low: float, high: float) -> Floats:
    """Return the spread of judges' scores of each response, relative to the scale; NaN with fewer than two.

    Args:
        scores: shape (responses, judges), NaN where a judge gave none.
        low: the lowest score.
        high: the highest score.
    """
    finite = np.isfinite(scores)
    count = finite.sum(axis=1)
    mean = np.where(finite, scores, 0.0).sum(axis=1) / np.maximum(count, 1)
    square = np.where(finite, (scores - mean[:, None]) ** 2, 0.0).sum(axis=1)
    return np.where(count >= 2, np.sqrt(square / np.maximum(count, 1)) / (high - low), np.nan)


def in_order(
    item: Ints, rows: Ints, uncertainty: Floats, disagreement: Floats, *, values: Floats
) -> list[int]:
    """Return the items of `rows`, most worth rating first.

    An item's worth is the mean over its rows of the ranks of uncertainty and, where known, of disagreement.
    Items close to one proposed before are postponed.

    Args:
        item: of all responses.
        rows: the responses that lack ratings.
        uncertainty: of `uncertainty`, by response.
        disagreement: of `disagreement`, by response.
        values: the features, shape (responses, features).
    """
    items = np.unique(item[rows])
    worth = _ranked(_by_item(uncertainty, item, rows, items))
    disagreements = _by_item(disagreement, item, rows, items)
    if np.isfinite(disagreements).any():
        worth = (worth + np.where(np.isfinite(disagreements), _ranked(np.nan_to_num(disagreements)), 0.5)) / 2
    standard = Standard.of(values)
    z = standard.apply(values)
    centre = np.array([z[rows[item[rows] == number]].mean(axis=0) for number in items])
    length = np.linalg.norm(centre, axis=1, keepdims=True)
    centre = centre / np.where(length > 0, length, 1.0)
    waiting = np.ones(len(items), dtype=bool)
    order: list[int] = []
    nearest = np.full(len(items), -1.0)
    while waiting.any() and len(order) < MOST_ORDERED:
        score = np.where(waiting, worth - APART * np.maximum(nearest, 0.0), -np.inf)
        best = int(np.argmax(score))
        order.append(int(items[best]))
        waiting[best] = False
        nearest = np.maximum(nearest, centre @ centre[best])
    remaining = np.flatnonzero(waiting)
    return order + [int(items[best]) for best in remaining[np.argsort(-worth[remaining], kind="stable")]]


def _by_item(values: Floats, item: Ints, rows: Ints, items: Ints) -> Floats:
    means = []
    for number in items:
        of_item = values[rows[item[rows] == number]]
        of_item = of_item[np.isfinite(of_item)]
        means.append(float(of_item.mean()) if len(of_item) else np.nan)
    return np.array(means)


def _ranked(values: Floats) -> Floats:
    """Return ranks between 0 and 1; ties keep their order."""
    order = np.argsort(np.argsort(np.nan_to_num(values), kind="stable"), kind="stable")
    return order / max(len(values) - 1, 1)
