"""Read the scores of metrics and judges under their rater names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import CriterionRow, JudgeRow, Judgment, MetricScore, ResponseRow, Run, Verdict


class EvaluatorScore(NamedTuple):
    """One evaluator's score of a response; an empty `criterion` means all criteria.

    A metric without a score has None and a reason.
    """

    evaluator: str
    score: float | None
    criterion: str = ""
    reason: str = ""


def evaluators(session: Session, project_id: int) -> list[str]:
    """Return the names of the metrics and judges with scores in the project, metrics first."""
    metrics = select(MetricScore.metric).where(MetricScore.project_id == project_id).distinct()
    judges = (
        select(JudgeRow.name)
        .join(Run, Run.judge_id == JudgeRow.id)
        .where(Run.project_id == project_id, Run.state == "done")
        .distinct()
    )
    return [*sorted(session.scalars(metrics)), *sorted(session.scalars(judges))]


def evaluator_scores(
    session: Session, project_id: int, names: Sequence[str], item_ids: Collection[int]
) -> dict[int, list[EvaluatorScore]]:
    """Return these evaluators' scores of the items' responses, by response, in the order of `names`.

    A judge's score is the mean over its finished runs.
    """
    by_response: dict[int, list[EvaluatorScore]] = defaultdict(list)
    for part in in_batches(sorted(item_ids)):
        numbers = (
            select(MetricScore.response_id, MetricScore.metric, MetricScore.score, MetricScore.reason)
            .join(ResponseRow, ResponseRow.id == MetricScore.response_id)
            .where(
                MetricScore.project_id == project_id,
                MetricScore.metric.in_(names),
                ResponseRow.item_id.in_(part),
            )
        )
        for response, name, number, reason in session.execute(numbers):
            by_response[response].append(EvaluatorScore(name, number, reason=reason))
        verdicts = (
            select(Verdict.response_id, JudgeRow.name, func.avg(Verdict.score), CriterionRow.key)
            .join(Judgment, Judgment.id == Verdict.judgment_id)
            .join(Run, Run.id == Judgment.run_id)
            .join(JudgeRow, JudgeRow.id == Run.judge_id)
            .join(CriterionRow, CriterionRow.id == Verdict.criterion_id)
            .join(ResponseRow, ResponseRow.id == Verdict.response_id)
            .where(
                Run.project_id == project_id,
                Run.state == "done",
                JudgeRow.name.in_(names),
                Judgment.state == "scored",
                ResponseRow.item_id.in_(part),
            )
            .group_by(Verdict.response_id, JudgeRow.name, CriterionRow.key, CriterionRow.position)
            .order_by(CriterionRow.position)
        )
        for response, name, score, criterion in session.execute(verdicts):
            by_response[response].append(EvaluatorScore(name, float(score), criterion))
    order = {name: number for number, name in enumerate(names)}
    return {
        response: sorted(scores, key=lambda score_of_evaluator: order[score_of_evaluator.evaluator])
        for response, scores in by_response.items()
    }
