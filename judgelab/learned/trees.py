"""Extremely randomised trees as plain lists: grown by scikit-learn, stored as JSON, read without it.

P. Geurts, D. Ernst and L. Wehenkel, "Extremely randomized trees", 2006. A score is explained along its path:
each split moves it from the mean of a node to the mean of the node below.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgelab.errors import InvalidInput
from judgelab.learned.feature_inputs import Floats, Ints
from judgelab.learned.linear import Standard
from judgelab.wording import sentence

TREES, LEAST_IN_LEAF, DIGITS = 60, 5, 5


@dataclass(frozen=True)
class Tree:
    """Nodes by number, 0 the root; `feature` -1 at a leaf. `value` is the mean score of a node."""

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    value: Floats

    def walk(self, z: Floats, contributions: Floats) -> Floats:
        """Return each row's leaf value; each feature's part in it is added to `contributions`."""
        node = np.zeros(len(z), dtype=np.int64)
        rows = np.flatnonzero(self.feature[node] >= 0)
        while len(rows):
            feature = self.feature[node[rows]]
            low = z[rows, feature] <= self.threshold[node[rows]]
            below = np.where(low, self.left[node[rows]], self.right[node[rows]])
            np.add.at(contributions, (rows, feature), self.value[below] - self.value[node[rows]])
            node[rows] = below
            rows = rows[self.feature[below] >= 0]
        return self.value[node]


@dataclass(frozen=True)
class Forest:
    """Trees whose mean is the score."""

    standard: Standard
    trees: Sequence[Tree]

    def predict(self, values: Floats) -> Floats:
        """Return the score of each row."""
        return self._walked(values)[0]

    def contributions(self, values: Floats) -> Floats:
        """Return each feature's contribution to each score, in points, relative to the training mean."""
        return self._walked(values)[1]

    def _walked(self, values: Floats) -> tuple[Floats, Floats]:
        z = self.standard.apply(values)
        contributions = np.zeros(z.shape)
        total = np.sum([tree.walk(z, contributions) for tree in self.trees], axis=0)
        return total / len(self.trees), contributions / len(self.trees)

    def to_json(self) -> dict[str, Any]:
        """Return the forest as plain JSON values."""
        return {
            "mean": self.standard.mean.tolist(),
            "spread": self.standard.spread.tolist(),
            "trees": [
                {name: getattr(tree, name).tolist() for name in Tree.__annotations__} for tree in self.trees
            ],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Forest:
        """Return the forest that `to_json` described."""
        standard = Standard(*(np.array(data[name], dtype=np.float64) for name in ("mean", "spread")))
        return cls(standard, [_tree(**tree) for tree in data["trees"]])


def forest(values: Floats, scores: Floats, *, seed: int) -> Forest:
    """Return trees grown on standardised features, the same for the same seed.

    Raises:
        InvalidInput: scikit-learn is not installed.
    """
    if importlib.util.find_spec("sklearn") is None:
        raise InvalidInput(
            sentence(
                "the kind 'stack' needs scikit-learn; install requirements.txt, or choose ridge or ordinal."
            )
        )
    grower = importlib.import_module("sklearn.ensemble").ExtraTreesRegressor
    standard = Standard.of(values)
    grown = grower(
        n_estimators=TREES, min_samples_leaf=LEAST_IN_LEAF, max_features=1 / 3, random_state=seed, n_jobs=1
    ).fit(standard.apply(values), scores)
    return Forest(standard, [_grown(estimator.tree_) for estimator in grown.estimators_])


def _grown(tree: Any) -> Tree:
    feature = np.where(tree.children_left < 0, -1, tree.feature)
    threshold = np.where(feature < 0, 0.0, tree.threshold)
    return _tree(
        feature,
        threshold.round(DIGITS),
        tree.children_left,
        tree.children_right,
        tree.value[:, 0, 0].round(DIGITS),
    )


def _tree(feature: Any, threshold: Any, left: Any, right: Any, value: Any) -> Tree:
    integers = [np.array(part, dtype=np.int64) for part in (feature, left, right)]
    return Tree(
        integers[0],
        np.array(threshold, dtype=np.float64),
        integers[1],
        integers[2],
        np.array(value, dtype=np.float64),
    )
