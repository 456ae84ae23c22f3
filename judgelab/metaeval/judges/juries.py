"""A jury: several judges' and metrics' scores of the same responses combined into one.

Means, medians and majorities use the raw scores if all members use the criterion's scale, and standardised
scores otherwise. Learned weights come from a ridge regression of the human score on the members' scores,
fitted without the item whose responses are scored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from judgelab.metaeval.core.arrays import NEARLY, Floats, Ints
from judgelab.scales import Scale
from judgelab.wording import mark

WAYS: Mapping[str, str] = {
    "mean": mark("Mean"),
    "median": mark("Median"),
    "majority": mark("Majority"),
    "weights": mark("Weights learned from the raters"),
}
FOLDS = 10
LEAST_ITEMS = 5  # rated items, below which no weights are learned
LEAST_A_MEMBER = 5  # rated responses for each member
RIDGE = 1.0  # in units of one standardised response


@dataclass(frozen=True)
class JuryScores:
    """The jury's scores and how they were computed.

    Attributes:
        scores: one per response; nan where a member gave none, or the majority is tied.
        weights: by how many points of the scale a step of one spread of each member moves the score, the mean
            over folds; empty unless learned.
        folds: into how many parts the items were divided.
        reason: why nothing could be combined; then there are no scores.
    """

    scores: Floats
    weights: Floats
    folds: int = 0
    reason: str = ""


def combine(members: Floats, how: str, *, on_scale: bool) -> JuryScores:
    """Return the mean, median or majority of the members' scores.

    Args:
        members: scores, responses in rows, members in columns; nan where a member gave none.
        how: "mean", "median" or "majority".
        on_scale: whether all members score on the criterion's scale; otherwise each is standardised first.
    """
    scores_of_members = members if on_scale else standardised(members)
    complete = np.isfinite(scores_of_members).all(axis=1)
    scores = np.full(len(scores_of_members), np.nan)
    scores[complete] = [_WAYS[how](row) for row in scores_of_members[complete]]
    return JuryScores(scores, np.zeros(0))


def learned(members: Floats, human: Floats, item: Ints, scale: Scale, *, seed: int = 0) -> JuryScores:
    """Return scores by weights learned on other items, clipped to the ends of the scale.

    Args:
        members: as in `combine`; each is standardised.
        human: the human score of each response; responses with nan are scored too.
        item: the number of each response's item.
        scale: of the human scores.
        seed: of the division of the items.
    """
    standard = standardised(members)
    complete = np.isfinite(standard).all(axis=1)
    rated = complete & np.isfinite(human)
    items, count = np.unique(item[rated]), standard.shape[1]
    if len(items) < LEAST_ITEMS or rated.sum() < LEAST_A_MEMBER * count:
        return JuryScores(np.full(len(standard), np.nan), np.zeros(count), reason="few")
    fold_of = _folds(np.unique(item), seed=seed)
    fold = fold_of[np.searchsorted(np.unique(item), item)]
    scores, weights = np.full(len(standard), np.nan), []
    for number in range(int(fold_of.max()) + 1):
        train, test = rated & (fold != number), complete & (fold == number)
        beta = _ridge(standard[train], human[train])
        weights.append(beta[1:])
        scores[test] = beta[0] + standard[test] @ beta[1:]
    np.clip(scores, scale.low, scale.high, out=scores)
    return JuryScores(scores, np.mean(weights, axis=0), folds=len(weights))


def standardised(members: Floats) -> Floats:
    """Return each column minus its mean, divided by its standard deviation; a constant column becomes 0."""
    with np.errstate(invalid="ignore"):
        centred = members - np.nanmean(members, axis=0, keepdims=True)
        spread = np.nanstd(members, axis=0, keepdims=True)
        range_ = np.nanmax(members, axis=0, keepdims=True) - np.nanmin(members, axis=0, keepdims=True)
        flat = range_ <= NEARLY * np.nanmax(np.abs(members), axis=0, keepdims=True)
    return np.where(flat & np.isfinite(members), 0.0, centred / np.where(flat, 1.0, spread))


def _majority(row: Floats) -> float:
    values, counts = np.unique(row, return_counts=True)
    best = counts == counts.max()
    return float(values[best][0]) if best.sum() == 1 else float("nan")


def _folds(items: Ints, *, seed: int) -> Ints:
    number = min(FOLDS, len(items))
    places = np.arange(len(items)) % number
    np.random.default_rng(seed).shuffle(places)
    return places.astype(np.int64)


def _ridge(members: Floats, human: Floats) -> Floats:
    """Return intercept and weights; the intercept is not penalised."""
    design = np.column_stack([np.ones(len(members)), members])
    penalty = RIDGE * np.eye(design.shape[1])
    penalty[0, 0] = 0.0
    return np.asarray(np.linalg.solve(design.T @ design + penalty, design.T @ human))


_WAYS: Mapping[str, Callable[[Floats], float]] = {
    "mean": lambda row: float(np.mean(row)),
    "median": lambda row: float(np.median(row)),
    "majority": _majority,
}
