"""The learned judge of one criterion: fitting, prediction, explanation, and its JSON form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol

import numpy as np

from judgelab.errors import InvalidInput
from judgelab.learned.feature_inputs import Floats, Ints
from judgelab.learned.features import FeatureTable
from judgelab.learned.linear import Linear, odds, ridge
from judgelab.learned.trees import Forest, forest
from judgelab.wording import counted, sentence

KINDS = ("ordinal", "ridge", "stack")
MOST_POINTS = 11  # a scale with more points is as good as continuous
LEAST_ITEMS, LEAST_RATED = 5, 20


class Part(Protocol):
    """A fitted model: one of the two linear ones, or a forest."""

    def predict(self, values: Floats) -> Floats:
        """Return the score of each row."""

    def contributions(self, values: Floats) -> Floats:
        """Return by how much each feature moves each score, in points of the scale."""

    def to_json(self) -> dict[str, Any]:
        """Return the model as plain JSON values."""


READERS: Mapping[str, Any] = {"linear": Linear.from_json, "forest": Forest.from_json}


@dataclass(frozen=True)
class ModelSettings:
    """How a judge is to be learned.

    Args:
        kind: of `KINDS`: "ordinal" is ridge where the scale has no points; "stack" adds trees and each
            feature's distance from the mean of the item's responses.
        low: the lowest score.
        high: the highest score.
        points: the points of the scale, lowest first; empty for a continuous one.
        seed: of folds, shuffles and trees.
    """

    kind: str
    low: float
    high: float
    points: tuple[float, ...] = ()
    seed: int = 0

    @property
    def binary(self) -> bool:
        """Return whether a score is a verdict, one of two points."""
        return len(self.points) == 2


@dataclass(frozen=True)
class LearnedModel:
    """A fitted judge; its score is the mean of its parts, within the scale.

    Attributes:
        settings: how it was to be learned.
        names: the features it reads, in order.
        parts: the fitted models.
    """

    settings: ModelSettings
    names: tuple[str, ...]
    parts: tuple[Part, ...]

    def predict(self, table: FeatureTable) -> Floats:
        """Return the score of each row; for a verdict the probability of the upper point, on the scale."""
        values = self._values(table)
        mean = np.mean([part.predict(values) for part in self.parts], axis=0)
        return np.asarray(np.clip(mean, self.settings.low, self.settings.high))

    def contributions(self, table: FeatureTable) -> Floats:
        """Return by how much each feature (`names`) moves each score, in points of the scale."""
        values = self._values(table)
        contributions: Floats = np.mean([part.contributions(values) for part in self.parts], axis=0)
        count = len(self.names)
        # A feature's distance from its item's mean is added to the feature itself.
        return (
            contributions
            if contributions.shape[1] == count
            else contributions[:, :count] + contributions[:, count:]
        )

    def _values(self, table: FeatureTable) -> Floats:
        values = table.chosen(self.names)
        return with_standing(values, table.item) if self.settings.kind == "stack" else values

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, from which `from_json` makes an equal model."""
        return {
            "format": 1,
            "wish": {**vars(self.settings), "points": list(self.settings.points)},
            "features": list(self.names),
            "parts": [{"type": type(part).__name__.lower(), **part.to_json()} for part in self.parts],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LearnedModel:
        """Return the model that `to_json` described; raises `InvalidInput` for anything else."""
        try:
            settings = ModelSettings(**{**data["wish"], "points": tuple(data["wish"]["points"])})
            parts = tuple(READERS[part["type"]](part) for part in data["parts"])
            return cls(settings, tuple(data["features"]), parts)
        except (KeyError, TypeError, ValueError) as error:
            raise InvalidInput(sentence("this is not a learned judge: {error}.", error=str(error))) from error


def fit(table: FeatureTable, scores: Floats, rows: Ints, settings: ModelSettings) -> LearnedModel:
    """Return the judge learned from the rated `rows` of the table.

    Args:
        table: features of all responses.
        scores: the human score of each row of the table; those of other rows are not looked at.
        rows: which rows to learn from.
        settings: how.

    Raises:
        InvalidInput: no such kind, or it needs a library that is missing.
    """
    if settings.kind not in KINDS:
        kinds = ", ".join(KINDS)
        raise InvalidInput(
            sentence(
                "'{kind}' is not a kind of learned judge; choose {known}.", kind=settings.kind, known=kinds
            )
        )
    target = scores[rows]
    values = table.values
    by_points = settings.kind != "ridge" and 2 <= len(settings.points) <= MOST_POINTS
    if settings.kind == "stack":
        values = with_standing(values, table.item)
    rated_values = values[rows]
    parts: list[Part] = [
        odds(rated_values, target, settings.points) if by_points else ridge(rated_values, target)
    ]
    if settings.kind == "stack":
        parts.append(forest(rated_values, target, seed=settings.seed))
    return LearnedModel(settings, table.names, tuple(parts))


def with_standing(values: Floats, item: Ints) -> Floats:
    """Return the features together with their distance from the mean of the item's responses."""
    count = np.bincount(item)
    finite = np.isfinite(values)
    distance = np.full(values.shape, np.nan)
    for column in range(values.shape[1]):
        defined = finite[:, column]
        total = np.bincount(item[defined], weights=values[defined, column], minlength=len(count))
        mean = total / np.maximum(np.bincount(item[defined], minlength=len(count)), 1)
        distance[defined, column] = values[defined, column] - mean[item[defined]]
    distance[count[item] < 2] = np.nan
    return np.hstack([values, distance])


def check_enough(item: Ints, scores: Floats, criterion: str) -> None:
    """Raise an error if there is too little to learn from.

    Raises:
        InvalidInput: fewer than 5 rated items or 20 rated responses, or all have the same score.
    """
    items = len(np.unique(item))
    if items < LEAST_ITEMS or len(scores) < LEAST_RATED:
        raise InvalidInput(
            sentence(
                "'{criterion}' has ratings of {responses} to {items}; a learned judge needs at least {least} "
                "responses to {few} items. Collect more ratings, or loosen the quality filter.",
                criterion=criterion,
                responses=counted("{n} response", "{n} responses", len(scores)),
                items=counted("{n} item", "{n} items", items),
                least=LEAST_RATED,
                few=LEAST_ITEMS,
            )
        )
    if float(np.ptp(scores)) == 0:
        raise InvalidInput(
            sentence(
                "all responses have the same score for '{criterion}', so there is nothing to learn.",
                criterion=criterion,
            )
        )


def data_hash(table: FeatureTable, scores: Floats, responses: Sequence[str]) -> str:
    """Return a hash of the texts, features and ratings."""
    digest = sha256(repr((table.names, table.encoder)).encode())
    for text, score in sorted(zip(responses, scores.tolist(), strict=True)):
        digest.update(f"{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()} {score:.6f};".encode())
    digest.update(np.nan_to_num(table.values, nan=-9.0).round(4).tobytes())
    return digest.hexdigest()[:16]
