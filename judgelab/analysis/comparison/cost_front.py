"""Cost against agreement: the Pareto front of judges that no other beats on both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgelab.analysis.comparison.measured_comparison import Comparison
from judgelab.metaeval.core.result import Estimate
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.judge_costs import judge_costs


@dataclass(frozen=True)
class CostRow:
    """A judge or metric with its agreement and its cost.

    Attributes:
        rater: name of the judge or metric.
        rater_kind: "judge" or "metric".
        estimate: its agreement.
        dollars_per_thousand: cost of a thousand judgments; 0 for metrics, None if no price is known.
        on_front: whether it is on the Pareto front; False without a price.
    """

    rater: str
    rater_kind: str
    estimate: Estimate
    dollars_per_thousand: float | None
    on_front: bool


def cost_front(store: Store, compared: Comparison, criterion: str) -> list[CostRow]:
    """Return every compared judge and metric under a criterion with its cost, cheapest first."""
    with store.reading() as session:
        costs = judge_costs(session, find_project(session, compared.project).id)
    rows = []
    for placed in compared.criteria[criterion].placed:
        cost = costs.get(placed.rater)
        free = 0.0 if placed.rater_kind == "metric" else None
        rows.append((placed, cost.per_thousand if cost is not None else free))
    values = [(dollars, placed.estimate.value) for placed, dollars in rows]
    is_front = on_pareto_front(values, lower=compared.coefficient == "mae")
    priced = [
        CostRow(placed.rater, placed.rater_kind, placed.estimate, dollars, front)
        for (placed, dollars), front in zip(rows, is_front, strict=True)
    ]
    return sorted(
        priced, key=lambda row: (row.dollars_per_thousand is None, row.dollars_per_thousand or 0.0, row.rater)
    )


def on_pareto_front(
    points: Sequence[tuple[float | None, float | None]], *, lower: bool = False
) -> list[bool]:
    """Return, for each (cost, agreement), whether it is on the Pareto front of low cost and high agreement.

    Points without a cost or a value are not on it. With `lower`, lower values are better, as for an error.

    >>> on_pareto_front([(0.0, 0.3), (1.0, 0.6), (2.0, 0.5), (None, 0.9)])
    [True, True, False, False]
    """
    sign = -1.0 if lower else 1.0
    measured = [(cost, sign * value) for cost, value in points if cost is not None and value is not None]

    def beaten(cost: float, value: float) -> bool:
        return any(
            other_cost <= cost and other_value >= value and (other_cost, other_value) != (cost, value)
            for other_cost, other_value in measured
        )

    return [
        cost is not None and value is not None and not beaten(cost, sign * value) for cost, value in points
    ]
