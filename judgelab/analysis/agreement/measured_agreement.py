"""Agreement of judges and metrics with the raters, measured on loaded scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from judgelab.analysis.agreement.label_sets import SetsOfCriterion, label_sets
from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.project_scores import ProjectScores, scored_by_people, unscored_under
from judgelab.metaeval.agreement.agreement import AgreementRow, agreement, human_ceiling
from judgelab.metaeval.agreement.vs_ceiling import compare_with_ceiling
from judgelab.metaeval.agreement.vs_ceiling_rows import AnyAgreementRow, Row, VsCeilingRow
from judgelab.metaeval.coefficients.estimates import AVERAGE
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.statistic_defaults import RANKABLE
from judgelab.metaeval.core.units import UnitTable
from judgelab.store.judging.unscored_counts import NONE_MISSING, UnscoredCounts


@dataclass(frozen=True)
class AgreementTable:
    """Agreement of every judge and metric with the people, and of the people among themselves.

    Attributes:
        rows: one per judge or metric, criterion and coefficient, then the trivial baselines.
        ceiling: one per criterion and coefficient: a person against the mean of the others.
        policy: the filter applied to the people's ratings.
        unscored: counts of judgments without a score, by judge.
        unscored_by_criterion: the same by judge and criterion, as in `ProjectScores`.
        aggregation: how the people's ratings of a response become one score.
        n_decided: number of scores decided by adjudicators; None if decisions are not used.
        entered_by_hand: by judge, number of scores that a person read in a reply and entered by hand.
        label_sets: agreement about sets of labels, of the criteria that have them.
        cannot_judge: by criterion, number of ratings that say "cannot judge"; they are no scores.
        rated_per_item: number of responses with kept ratings of the item that has most of them.
    """

    rows: tuple[AgreementRow, ...]
    ceiling: tuple[AgreementRow, ...]
    policy: FilterInfo | None
    unscored: dict[str, UnscoredCounts]
    aggregation: Aggregation = MEAN
    n_decided: int | None = None
    entered_by_hand: Mapping[str, int] = field(default_factory=dict)
    rated_per_item: int = 0
    unscored_by_criterion: Mapping[tuple[str, str], UnscoredCounts] = field(default_factory=dict)
    cannot_judge: Mapping[str, int] = field(default_factory=dict)
    label_sets: tuple[SetsOfCriterion, ...] = ()

    def unscored_in(self, row: AgreementRow) -> UnscoredCounts:
        """Return the counts under the criteria that a row's figure is of; none for metrics and raters."""
        return unscored_in(row, self.rows, self.unscored_by_criterion)

    @property
    def too_few_to_rank(self) -> bool:
        """Return whether this is agreement within items that have too few responses to be ranked."""
        return any(row.level == "item" for row in self.rows) and self.rated_per_item < RANKABLE


def unscored_in(
    row: AnyAgreementRow,
    rows: Sequence[AnyAgreementRow],
    by_criterion: Mapping[tuple[str, str], UnscoredCounts],
) -> UnscoredCounts:
    """Return a judge's judgments without a score under the criteria that its figure is of.

    Args:
        row: what the figure is of; the counts of metrics, raters and baselines are 0.
        rows: the table, in which an average finds the criteria that have a value, all if none has.
        by_criterion: as `ProjectScores.unscored_by_criterion`; those of all criteria count once.
    """
    if row.rater_kind != "judge":
        return NONE_MISSING
    criteria = {row.criterion}
    if row.criterion == AVERAGE:
        place = (row.rater, row.level, row.coefficient)
        parts = [other for other in rows if (other.rater, other.level, other.coefficient) == place]
        defined = [other for other in parts if other.estimate.value is not None]
        criteria = {other.criterion for other in defined or parts}
    return unscored_under(by_criterion, row.rater, criteria)


def _rated_per_item(scores: pd.DataFrame) -> int:
    """Return the number of rated responses of the item that has most of them."""
    rated = scores[scored_by_people(scores)]
    item = rated["item"][~rated["response"].duplicated()]
    return int(item.value_counts().max()) if len(item) else 0


def measure_agreement(
    data: ProjectScores,
    scores: pd.DataFrame,
    tables: Sequence[UnitTable],
    *,
    level: str | None = None,
    coefficients: Sequence[str] = (),
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
) -> AgreementTable:
    """Return the agreement of all judges and metrics in `scores`, some or all of the data's, at one level.

    `tables` are the unit tables of `scores`. Level and coefficients are the defaults
    (`metaeval.core.statistic_defaults`) if not given.
    """
    options: dict[str, Any] = {
        "scales": data.project.scales,
        "levels": (level or data.level,),
        "coefficients": tuple(coefficients) or data.defaults.coefficients,
        "constant_groups": constant_groups,
        "resamples": resamples,
        "seed": seed,
        "aggregation": data.aggregation,
        "tables": tables,
    }
    rows = agreement(scores, own_scale=data.own_scale, **options)
    return table_of_rows(
        data, rows, human_ceiling(scores, **options), tables=tables, resamples=resamples, seed=seed
    )


def table_of_rows(
    data: ProjectScores,
    rows: list[AgreementRow],
    ceiling: list[AgreementRow],
    *,
    tables: Sequence[UnitTable],
    resamples: int,
    seed: int,
) -> AgreementTable:
    """Return rows and ceiling with what is known of the data; `tables` are the unit tables of its scores."""
    return AgreementTable(
        rows=tuple(rows),
        ceiling=tuple(ceiling),
        policy=data.policy,
        unscored=data.unscored,
        unscored_by_criterion=data.unscored_by_criterion,
        aggregation=data.aggregation,
        n_decided=data.n_decided,
        entered_by_hand=data.entered_by_hand,
        label_sets=label_sets(tables, data.project.scales, resamples=resamples, seed=seed)
        if data.compared is None
        else (),
        cannot_judge=data.cannot_judge if data.compared is None else {},
        rated_per_item=_rated_per_item(data.scores) if any(row.level == "item" for row in rows) else 0,
    )


@dataclass(frozen=True)
class AgreementAndCeiling:
    """Agreement with the mean of all people, and judges compared with the ceiling, by coefficient."""

    table: AgreementTable
    vs_ceiling: list[VsCeilingRow]


def measure_agreement_and_ceiling(
    data: ProjectScores,
    tables: Sequence[UnitTable],
    *,
    level: str,
    coefficients: Sequence[str],
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
) -> AgreementAndCeiling:
    """Return the agreement of all judges and metrics, and how it compares with the ceiling, together.

    `tables` are the unit tables of the data's scores.
    """
    options: dict[str, Any] = {
        "scales": data.project.scales,
        "constant_groups": constant_groups,
        "resamples": resamples,
        "seed": seed,
        "aggregation": data.aggregation,
        "own_scale": data.own_scale,
        "tables": tables,
    }
    rows = agreement(data.scores, levels=(level,), coefficients=coefficients, **options)
    vs_ceiling = compare_with_ceiling(data.scores, level=level, coefficients=coefficients, **options)
    table = table_of_rows(
        data,
        _by_coefficient(rows, coefficients),
        _by_coefficient(vs_ceiling.ceiling(), coefficients),
        tables=tables,
        resamples=resamples,
        seed=seed,
    )
    return AgreementAndCeiling(table, _by_coefficient(vs_ceiling.rows, coefficients))


def _by_coefficient(rows: Iterable[Row], coefficients: Sequence[str]) -> list[Row]:
    return sorted(rows, key=lambda row: coefficients.index(row.coefficient))
