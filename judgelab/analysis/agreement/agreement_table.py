"""Agreement of judges and metrics with a project's raters."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from judgelab.analysis.agreement.measured_agreement import (
    AgreementAndCeiling,
    AgreementTable,
    measure_agreement,
    measure_agreement_and_ceiling,
)
from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.human_scores import human_scores, score_per_response
from judgelab.analysis.data.project_scores import ProjectScores, scored_by_people
from judgelab.analysis.data.scores import IN_USE, build_unit_tables, project_scores
from judgelab.metaeval.agreement.groups import GroupRow, agreement_by_group
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames


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
    return measure_agreement(
        data,
        scores,
        build_unit_tables(store, data, scores),
        level=level,
        coefficients=coefficients,
        constant_groups=constant_groups,
        resamples=resamples,
        seed=seed,
    )


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
    return measure_agreement_and_ceiling(
        data,
        build_unit_tables(store, data, data.scores),
        level=level,
        coefficients=coefficients,
        constant_groups=constant_groups,
        resamples=resamples,
        seed=seed,
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
