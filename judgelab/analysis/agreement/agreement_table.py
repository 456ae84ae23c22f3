"""Agreement of judges and metrics with a project's raters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from judgelab.analysis.agreement.label_sets import SetsOfCriterion, label_sets
from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.filter_info import FilterInfo
from judgelab.analysis.data.human_scores import human_scores, score_per_response
from judgelab.analysis.data.scores import (
    IN_USE,
    ProjectScores,
    build_unit_tables,
    project_scores,
    scored_by_people,
    unscored_under,
)
from judgelab.metaeval.agreement.agreement import AgreementRow, agreement, human_ceiling
from judgelab.metaeval.agreement.groups import GroupRow, agreement_by_group
from judgelab.metaeval.agreement.vs_ceiling import compare_with_ceiling
from judgelab.metaeval.agreement.vs_ceiling_rows import AnyAgreementRow, Row, VsCeilingRow
from judgelab.metaeval.coefficients.estimates import AVERAGE
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.statistic_defaults import RANKABLE
from judgelab.metaeval.core.units import UnitTable
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
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


def agreement_table(
    store: Store,
    slug: str,
    *,
    level: str | None = None,
    coefficients: Sequence[str] = (),
    policy: str = IN_USE,
    aggregate: str | None = None,
    decisions: bool = False,
    criterion: str | None = None,
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
) -> AgreementTable:
    """Return the agreement of all judges and metrics at one level.

    Level and coefficients are the defaults (`metaeval.core.statistic_defaults`) if not given. `aggregate`
    overrides how the filter aggregates ratings. With `decisions`, an adjudicator's decision is the human
    score of its response.

    Raises:
        NotFound: no such project, criterion or filter.
    """
    data = project_scores(store, slug, policy=policy, aggregate=aggregate, decisions=decisions)
    scores = _criterion_scores(data, criterion)
    options: dict[str, Any] = {
        "scales": data.project.scales,
        "levels": (level or data.level,),
        "coefficients": tuple(coefficients) or data.defaults.coefficients,
        "constant_groups": constant_groups,
        "resamples": resamples,
        "seed": seed,
        "aggregation": data.aggregation,
        "tables": build_unit_tables(store, data, scores),
    }
    rows = agreement(scores, own_scale=data.own_scale, **options)
    drawn = {name: options[name] for name in ("tables", "resamples", "seed")}
    return _table(data, rows, human_ceiling(scores, **options), **drawn)


@dataclass(frozen=True)
class AgreementAndCeiling:
    """Agreement with the mean of all people, and judges compared with the ceiling, by coefficient."""

    table: AgreementTable
    vs_ceiling: list[VsCeilingRow]


def agreement_and_ceiling(
    store: Store,
    slug: str,
    *,
    level: str,
    coefficients: Sequence[str],
    policy: str = IN_USE,
    decisions: bool = False,
    comparisons: bool | None = False,
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
) -> AgreementAndCeiling:
    """Return the results of `agreement_table` and `vs_ceiling.vs_ceiling_table`, computed together.

    `comparisons` as in `compared_scores.scores_or_comparisons`.

    Raises:
        NotFound: no such project or filter.
    """
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=policy, decisions=decisions)
    options: dict[str, Any] = {
        "scales": data.project.scales,
        "constant_groups": constant_groups,
        "resamples": resamples,
        "seed": seed,
        "aggregation": data.aggregation,
        "own_scale": data.own_scale,
        "tables": build_unit_tables(store, data, data.scores),
    }
    rows = agreement(data.scores, levels=(level,), coefficients=coefficients, **options)
    vs_ceiling = compare_with_ceiling(data.scores, level=level, coefficients=coefficients, **options)
    table = _table(
        data,
        _by_coefficient(rows, coefficients),
        _by_coefficient(vs_ceiling.ceiling(), coefficients),
        tables=options["tables"],
        resamples=resamples,
        seed=seed,
    )
    return AgreementAndCeiling(table, _by_coefficient(vs_ceiling.rows, coefficients))


def _by_coefficient(rows: Iterable[Row], coefficients: Sequence[str]) -> list[Row]:
    return sorted(rows, key=lambda row: coefficients.index(row.coefficient))


def _table(
    data: ProjectScores,
    rows: list[AgreementRow],
    ceiling: list[AgreementRow],
    *,
    tables: Sequence[UnitTable],
    resamples: int,
    seed: int,
) -> AgreementTable:
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


def group_table(
    store: Store,
    slug: str,
    *,
    coefficients: Sequence[str] = (),
    criterion: str | None = None,
    policy: str = IN_USE,
    decisions: bool = False,
    resamples: int = 1000,
    seed: int = 0,
) -> list[GroupRow]:
    """Return each rater's pooled agreement in each group and the unweighted average over groups.

    ELECT reports product categories this way, BioASQ batches. Empty if items have no groups. Coefficients are
    the project's defaults if not given.
    """
    data = project_scores(store, slug, policy=policy, decisions=decisions)
    scores = _criterion_scores(data, criterion)
    if not (scores["group"] != "").any():
        return []
    return agreement_by_group(
        scores,
        scales=data.project.scales,
        coefficients=tuple(coefficients) or data.defaults.coefficients,
        resamples=resamples,
        seed=seed,
        aggregation=data.aggregation,
        own_scale=data.own_scale,
        rated_items=data.rated_items,
    )


def paired_scores(
    store: Store,
    slug: str,
    *,
    rater: str,
    criterion: str,
    policy: str = IN_USE,
    decisions: bool = False,
) -> pd.DataFrame:
    """Return human score and rater's score for each response that both people and `rater` scored.

    Columns: item, response, system, group, question, human, score, raters (number of people). The human score
    is aggregated as in the filter, except that z-scores, which are not on the scale, are replaced by the
    mean. With `decisions`, a decided score replaces it.
    """
    data = project_scores(store, slug, policy=policy, decisions=decisions)
    joined = scores_of_both(data, rater=rater, criterion=criterion)
    with store.reading() as session:
        texts = score_frames.response_frame(session, data.project.id, answers=False)
    columns = ["item", "response", "system", "group", "question", "human", "score", "raters"]
    return joined.merge(texts, on="response")[columns]


def scores_of_both(data: ProjectScores, *, rater: str, criterion: str) -> pd.DataFrame:
    """Return response, human, raters and score for each response that both people and `rater` scored.

    If the scores are of pairs, these are their numbers and labels.
    """
    scores = _criterion_scores(data, criterion)
    humans = human_scores(scores, data.on_scale_aggregation, scales=data.project.scales)
    humans = humans[humans["criterion"] == criterion].set_index("response")[["human", "raters"]].dropna()
    judged = scores[~scored_by_people(scores) & (scores["rater"] == rater)]
    rater_scores = score_per_response(judged, data.project.scales[criterion]).rename("score")
    return humans.join(rater_scores, how="inner").reset_index()


def _criterion_scores(data: ProjectScores, criterion: str | None) -> pd.DataFrame:
    if criterion is None:
        return data.scores
    data.project.criterion(criterion)
    return data.scores[data.scores["criterion"] == criterion]
