"""Cost beside agreement: which judges nobody beats on both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgelab.analysis.comparison.judge_comparison import Comparison
from judgelab.metaeval.core.result import Estimate
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.judge_costs import judge_costs


@dataclass(frozen=True)
class Priced:
    """A judge or metric with what a thousand judgments cost.

    Attributes:
        dollars: for a thousand judgments; metrics cost nothing, None where no price is known.
        front: whether no other is both cheaper and agrees at least as well; False without a price.
    """

    rater: str
    rater_kind: str
    estimate: Estimate
    dollars: float | None
    front: bool


def cost_front(store: Store, found: Comparison, criterion: str) -> list[Priced]:
    """Return every compared judge and metric under a criterion with its cost, the cheapest first."""
    with store.reading() as session:
        costs = judge_costs(session, find_project(session, found.project).id)
    rows = []
    for placed in found.criteria[criterion].placed:
        spent = costs.get(placed.rater)
        free = 0.0 if placed.rater_kind == "metric" else None
        rows.append((placed, spent.per_thousand if spent is not None else free))
    values = [(dollars, placed.estimate.value) for placed, dollars in rows]
    best = on_front(values, lower=found.coefficient == "mae")
    priced = [
        Priced(placed.rater, placed.rater_kind, placed.estimate, dollars, front)
        for (placed, dollars), front in zip(rows, best, strict=True)
    ]
    return sorted(priced, key=lambda one: (one.dollars is None, one.dollars or 0.0, one.rater))


def on_front(points: Sequence[tuple[float | None, float | None]], *, lower: bool = False) -> list[bool]:
    """Return of each (cost, agreement) whether no other costs no more and agrees no less, one of them better.

    Points without a cost or a value are on no front. `lower`: less agreement is better, as for an error.

    >>> on_front([(0.0, 0.3), (1.0, 0.6), (2.0, 0.5), (None, 0.9)])
    [True, True, False, False]
    """
    sign = -1.0 if lower else 1.0
    known = [(cost, sign * value) for cost, value in points if cost is not None and value is not None]

    def beaten(cost: float, value: float) -> bool:
        return any(c <= cost and v >= value and (c, v) != (cost, value) for c, v in known)

    return [
        cost is not None and value is not None and not beaten(cost, sign * value) for cost, value in points
    ]
