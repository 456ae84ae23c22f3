"""Agreement by group (product category in ELECT, batch in BioASQ) and the unweighted mean over groups."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.coefficients.estimates import AVERAGE
from judgelab.metaeval.coefficients.settings import CORRELATIONS
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.result import AgreementRow, Estimate
from judgelab.metaeval.core.units import unit_tables
from judgelab.scales import Scale


class GroupRow(NamedTuple):
    """A rater's agreement in one group, or over the groups when `group` is "average"."""

    group: str
    rater: str
    rater_kind: str
    criterion: str
    coefficient: str
    estimate: Estimate


def agreement_by_group(
    scores: pd.DataFrame,
    *,
    scales: Mapping[str, Scale],
    coefficients: Sequence[str] = CORRELATIONS,
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
    aggregation: Aggregation = MEAN,
    own_scale: Collection[str] = (),
    rated_items: pd.Series[Any] | None = None,
) -> list[GroupRow]:
    """Return each rater's pooled agreement in each group, then "average" rows: the mean over groups.

    Groups have equal weight, whatever their size. Items without a group are left out. A group whose
    coefficient is undefined has a row with the reason. Arguments as in `agreement`.

    `rated_items` holds the groups of all items that resamples draw from, by item; if not given, they draw
    from those in `scores` that humans rated.
    """
    rows: list[GroupRow] = []
    shared: dict[str, Any] = {
        "scales": scales,
        "coefficients": coefficients,
        "resamples": resamples,
        "seed": seed,
        "aggregation": aggregation,
        "own_scale": own_scale,
    }
    named = scores[scores["group"].notna() & (scores["group"].astype(str) != "")]
    items = rated_items
    for group, part in named.groupby("group", sort=True):
        drawn = None if items is None else items.index[items == group]
        tables = unit_tables(part, aggregation, scales=scales, drawn_items=drawn)
        rows += [_row(str(group), row) for row in agreement(part, tables=tables, **shared)]
    drawn = None if items is None else items.index[items.notna() & (items.astype(str) != "")]
    tables = unit_tables(named, aggregation, scales=scales, drawn_items=drawn)
    mean = agreement(named, levels=("group",), constant_groups=constant_groups, tables=tables, **shared)
    return rows + [_row(AVERAGE, row) for row in mean]


def _row(group: str, row: AgreementRow) -> GroupRow:
    return GroupRow(group, row.rater, row.rater_kind, row.criterion, row.coefficient, row.estimate)
