"""Cohen's kappa for every two raters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.metaeval.coefficients.kappas import PairKappa, kappas_of_pairs
from judgelab.metaeval.core.arrays import points_of
from judgelab.metaeval.core.units import unit_tables
from judgelab.scales import Scale


@dataclass(frozen=True)
class RaterKappas:
    """Every two raters under one criterion who rated the same responses.

    Attributes:
        criterion: key of the criterion.
        weights: "identity" for unweighted kappa, "quadratic" for quadratic weights.
        raters: all who rated under the criterion; a rater without a pair shares no response with others.
        pairs: kappa, interval and n of every pair.
    """

    criterion: str
    weights: str
    raters: tuple[str, ...]
    pairs: tuple[PairKappa, ...]

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab raters --pairs --json` prints of a criterion."""
        pairs = [
            {"first": pair.first, "second": pair.second, **pair.estimate.to_json()} for pair in self.pairs
        ]
        return {"criterion": self.criterion, "weights": self.weights, "pairs": pairs}


def kappa_weights(scale: Scale | None) -> str:
    """Return the weights for a scale: quadratic if it has more than two points with an order."""
    several = scale is not None and scale.ordered and len(scale.points()) > 2
    return "quadratic" if several else "identity"


def kappas_by_criterion(data: ProjectScores) -> dict[str, RaterKappas]:
    """Return the kappas by criterion for these scores."""
    ratings = data.kept_ratings
    scales: Mapping[str, Scale] = data.project.scales
    kappas = {}
    for table in unit_tables(ratings, scales=scales):
        scale = scales.get(table.criterion)
        weights = kappa_weights(scale)
        points = np.zeros(0) if scale is None else points_of(scale)
        pairs = kappas_of_pairs(table.humans, table.human_names, points, weights=weights)
        names = tuple(sorted(table.human_names))
        kappas[table.criterion] = RaterKappas(table.criterion, weights, names, tuple(pairs))
    return kappas
