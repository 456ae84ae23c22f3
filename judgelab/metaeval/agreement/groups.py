"""Agreement group by group: a product category each (ELECT), a batch each (BioASQ), and their plain mean."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.coefficients.estimates import AVERAGE
from judgelab.metaeval.coefficients.settings import CORRELATIONS
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.result import AgreementRow, Estimate
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
) -> list[GroupRow]:
    """Pooled agreement of each rater in each group, then the rows "average": the plain mean over groups.

    Groups count alike, whatever their size. Rows of items without a group are left out. Arguments as in
    `agreement`; a group whose coefficient is undefined has a row with the reason.
    """
    rows: list[GroupRow] = []
    shared = {
        "scales": scales,
        "coefficients": coefficients,
        "resamples": resamples,
        "seed": seed,
        "aggregation": aggregation,
        "own_scale": own_scale,
    }
    named = scores[scores["group"].notna() & (scores["group"].astype(str) != "")]
    for group, part in named.groupby("group", sort=True):
        rows += [_row(str(group), row) for row in agreement(part, **shared)]  # type: ignore[arg-type]
    mean = agreement(named, levels=("group",), constant_groups=constant_groups, **shared)  # type: ignore[arg-type]
    return rows + [_row(AVERAGE, row) for row in mean]


def _row(group: str, row: AgreementRow) -> GroupRow:
    return GroupRow(group, row.rater, row.rater_kind, row.criterion, row.coefficient, row.estimate)
