"""Agreement among raters, measured on loaded scores in the requested coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.metaeval.coefficients.between_raters import INTER_RATER_COEFFICIENTS, between_raters
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.units import unit_tables


@dataclass(frozen=True)
class InterRaterAgreement:
    """Agreement among the raters by criterion and coefficient (a key of `INTER_RATER_COEFFICIENTS`)."""

    criteria: Mapping[str, Mapping[str, Estimate]]
    weights: str
    policy: FilterInfo | None

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab raters --coefficient --json` adds."""
        rows = [
            {"criterion": key, "coefficient": name, **estimate.to_json()}
            for key, by_coefficient in self.criteria.items()
            for name, estimate in by_coefficient.items()
        ]
        filter_json = None if self.policy is None else self.policy.to_json()
        return {"weights": self.weights, "filter": filter_json, "rows": rows}


def measure_inter_rater(
    data: ProjectScores,
    *,
    criterion: str | None = None,
    coefficients: Sequence[str] | Mapping[str, Sequence[str]] = tuple(INTER_RATER_COEFFICIENTS),
    weights: str = "identity",
    resamples: int = 1000,
    seed: int = 0,
) -> InterRaterAgreement:
    """Return the agreement among the raters whose ratings are kept, under each rated criterion or one.

    `coefficients` may differ by criterion. Other arguments as in `metaeval.coefficients.between_raters`;
    raises as it does.
    """
    ratings = data.kept_ratings
    if criterion is not None:
        ratings = ratings[ratings["criterion"] == criterion]
    scales = data.project.scales
    by_criterion = {
        table.criterion: between_raters(
            table,
            scales.get(table.criterion),
            coefficients=coefficients[table.criterion] if isinstance(coefficients, Mapping) else coefficients,
            weights=weights,
            resamples=resamples,
            seed=seed,
        )
        for table in unit_tables(ratings, scales=scales, drawn_items=data.rated_items.index)
    }
    return InterRaterAgreement(by_criterion, weights, data.policy)
