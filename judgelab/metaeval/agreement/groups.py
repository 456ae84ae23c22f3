"""Agreement by group (product category in ELECT, batch in BioASQ) and the unweighted mean over groups."""

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
    """Return each rater's pooled agreement in each group, then "average" rows: the mean over groups.

    Groups have equal weight, whatever their size. Items without a group are left out. A group whose
    coefficient is undefined has a row with the reason. Arguments as in `agreement`.
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
