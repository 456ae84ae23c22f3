"""Two interpretable linear models: ridge for any scale, proportional odds for points.

Both use standardised features; a missing value counts as the mean, so it moves no score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit

from judgelab.learned.feature_inputs import Floats

PENALTIES = np.logspace(-1, 5, 25)
# A ridge penalty in the units of the likelihood: the curvature of a step is at most 1/4.
ODDS_PENALTY = 0.25
NEWTON_STEPS = 30


@dataclass(frozen=True)
class Standard:
    """Mean and spread of each feature in the training data; a constant feature has spread 0."""

    mean: Floats
    spread: Floats

    @classmethod
    def of(cls, values: Floats) -> Standard:
        """Return the standard of a table (rows, features) that may hold NaN."""
        finite = np.isfinite(values)
        count = finite.sum(axis=0)
        total = np.where(finite, values, 0.0).sum(axis=0)
        mean = np.divide(total, count, out=np.zeros(values.shape[1]), where=count > 0)
        square = np.where(finite, (values - mean) ** 2, 0.0).sum(axis=0)
        spread = np.sqrt(np.divide(square, count, out=np.zeros(values.shape[1]), where=count > 0))
        return cls(mean, np.where(spread > 1e-9, spread, 0.0))

    def apply(self, values: Floats) -> Floats:
        """Return standardised features; missing and constant ones as 0, extreme ones clipped at 5."""
        inverse = np.divide(1.0, self.spread, out=np.zeros_like(self.spread), where=self.spread > 0)
        return np.clip(np.nan_to_num((values - self.mean) * inverse), -5.0, 5.0)


@dataclass(frozen=True)
class Linear:
    """`link`: "identity" (score = intercept + z·weights) or "odds" (score = sum of expected steps).

    With "odds" the score is `low` plus, for each step k of the scale from one point to the next, its height
    times the probability 1 / (1 + exp(-(intercepts[k] + z·weights))) of reaching its upper point.
    """

    link: str
    standard: Standard
    weights: Floats
    intercepts: Floats
    low: float
    steps: Floats

    def predict(self, values: Floats) -> Floats:
        """Return the score of each row, which lies within the scale under "odds"."""
        pull = self.standard.apply(values) @ self.weights
        if self.link == "identity":
            return np.asarray(pull + self.intercepts[0])
        return np.asarray(self.low + expit(pull[:, None] + self.intercepts) @ self.steps)

    def contributions(self, values: Floats) -> Floats:
        """Return each feature's contribution to each score, in points, relative to an average response.

        Rows add up to the score minus the score of the average response. Under "odds", which is not linear,
        each feature gets a share of that difference in proportion to its part of the linear predictor.
        """
        parts = self.standard.apply(values) * self.weights
        if self.link == "identity":
            return parts
        average = self.low + expit(self.intercepts) @ self.steps
        difference = self.predict(values) - average
        pull = parts.sum(axis=1)
        slope = expit(self.intercepts) * (1 - expit(self.intercepts)) @ self.steps
        share = np.divide(difference, pull, out=np.full(len(pull), float(slope)), where=np.abs(pull) > 1e-9)
        return np.asarray(parts * share[:, None])

    def to_json(self) -> dict[str, Any]:
        """Return the model as plain JSON values."""
        return {
            "link": self.link,
            "mean": self.standard.mean.tolist(),
            "spread": self.standard.spread.tolist(),
            "weights": self.weights.tolist(),
            "intercepts": self.intercepts.tolist(),
            "low": self.low,
            "steps": self.steps.tolist(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Linear:
        """Return the model that `to_json` described."""
        array = {name: np.array(data[name], dtype=np.float64) for name in ("mean", "spread", "weights")}
        return cls(
            str(data["link"]),
            Standard(array["mean"], array["spread"]),
            array["weights"],
            np.array(data["intercepts"], dtype=np.float64),
            float(data["low"]),
            np.array(data["steps"], dtype=np.float64),
        )


def ridge(values: Floats, scores: Floats) -> Linear:
    """Return ridge regression with the penalty of the least generalised cross-validation error.

    A. E. Hoerl and R. W. Kennard, 1970; G. H. Golub, M. Heath and G. Wahba, 1979.
    """
    standard = Standard.of(values)
    z = standard.apply(values)
    _, weights = _ridge(z, scores - scores.mean())
    return Linear("identity", standard, weights, np.array([scores.mean()]), 0.0, np.zeros(0))


def _ridge(z: Floats, centred: Floats) -> tuple[float, Floats]:
    """Return the penalty and the weights."""
    u, s, vt = np.linalg.svd(z, full_matrices=False)
    projected = u.T @ centred
    n, errors = len(centred), []
    outside = float(centred @ centred - projected @ projected)
    for penalty in PENALTIES:
        shrink = s**2 / (s**2 + penalty)
        residual = float((((1 - shrink) * projected) ** 2).sum()) + max(outside, 0.0)
        errors.append(n * residual / max(n - 1 - shrink.sum(), 1e-9) ** 2)
    penalty = float(PENALTIES[int(np.argmin(errors))])
    return penalty, vt.T @ (s / (s**2 + penalty) * projected)


def odds(values: Floats, scores: Floats, points: Sequence[float]) -> Linear:
    """Return proportional odds: one weight per feature, one intercept per step between neighbouring points.

    A mean of several ratings between two points counts as reaching the upper one in proportion, so ratings
    need not be rounded; with two points this is logistic regression. P. McCullagh, "Regression models for
    ordinal data", 1980, section 2.
    """
    standard = Standard.of(values)
    z = standard.apply(values)
    point_values = np.array(points, dtype=np.float64)
    steps = np.diff(point_values)
    reached = np.clip((scores[:, None] - point_values[:-1]) / steps, 0.0, 1.0)
    used = (reached.mean(axis=0) > 0) & (reached.mean(axis=0) < 1)
    share = np.clip(reached.mean(axis=0), 1e-4, 1 - 1e-4)
    start = np.log(share / (1 - share))
    if not used.any():
        return Linear("odds", standard, np.zeros(z.shape[1]), start, float(point_values[0]), steps)
    penalty = ODDS_PENALTY * _ridge(z, scores - scores.mean())[0]
    weights, start[used] = _newton(z, reached[:, used], start[used], penalty)
    return Linear("odds", standard, weights, start, float(point_values[0]), steps)


def _newton(z: Floats, reached: Floats, intercepts: Floats, penalty: float) -> tuple[Floats, Floats]:
    """Return weights and intercepts that minimise the penalised cross-entropy, which is convex."""
    features = z.shape[1]
    position = np.concatenate([np.zeros(features), intercepts])
    shrink = np.concatenate([np.full(features, penalty), np.full(len(intercepts), 1e-6)])

    def loss(at: Floats) -> float:
        pull = (z @ at[:features])[:, None] + at[features:]
        return float((np.logaddexp(0.0, pull) - reached * pull).sum() + 0.5 * (shrink * at) @ at)

    value = loss(position)
    for _ in range(NEWTON_STEPS):
        probability = expit((z @ position[:features])[:, None] + position[features:])
        error, curvature = probability - reached, probability * (1 - probability)
        slope = np.concatenate([z.T @ error.sum(axis=1), error.sum(axis=0)]) + shrink * position
        curve = np.diag(shrink + 1e-9)
        curve[:features, :features] += (z * curvature.sum(axis=1)[:, None]).T @ z
        curve[:features, features:] = z.T @ curvature
        curve[features:, :features] = curve[:features, features:].T
        curve[features:, features:] += np.diag(curvature.sum(axis=0))
        step = np.linalg.solve(curve, slope)
        size = 1.0
        while size > 1e-4 and loss(position - size * step) > value:
            size /= 2
        position = position - size * step
        last_value, value = value, loss(position)
        if last_value - value < 1e-6 * abs(last_value):
            break
    return position[:features], position[features:]
