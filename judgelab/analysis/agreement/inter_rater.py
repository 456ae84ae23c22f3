"""Agreement among a project's raters, in the requested coefficients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.scores import IN_USE
from judgelab.metaeval.coefficients.between_raters import INTER_RATER_COEFFICIENTS, between_raters
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.units import unit_tables
from judgelab.store.db.engine import Store


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


def inter_rater_agreement(
    store: Store,
    slug: str,
    *,
    coefficients: Sequence[str] = tuple(INTER_RATER_COEFFICIENTS),
    weights: str = "identity",
    policy: str = IN_USE,
    resamples: int = 1000,
    seed: int = 0,
) -> InterRaterAgreement:
    """Return the agreement among a project's raters under each rated criterion.

    Arguments as in `metaeval.coefficients.between_raters` and `agreement_table`; raises as they do.
    """
    data = scores_or_comparisons(store, slug, comparisons=None, policy=policy)
    ratings = data.kept_ratings
    by_criterion = {
        table.criterion: between_raters(
            table,
            data.project.scales.get(table.criterion),
            coefficients=coefficients,
            weights=weights,
            resamples=resamples,
            seed=seed,
        )
        for table in unit_tables(ratings, scales=data.project.scales, drawn_items=data.rated_items.index)
    }
    return InterRaterAgreement(by_criterion, weights, data.policy)
