"""What metrics and judges said of responses, under the names that they have as raters."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import CriterionRow, JudgeRow, Judgment, MetricScore, ResponseRow, Run, Verdict


class EvaluatorScore(NamedTuple):
    """One evaluator's number for a response; under every criterion where `criterion` is empty.

    A metric that found no number has None and its reason.
    """

    evaluator: str
    score: float | None
    criterion: str = ""
    reason: str = ""


def evaluators(session: Session, project_id: int) -> list[str]:
    """Return the names of the metrics and judges that gave a score in the project, metrics first."""
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
    """Return what these evaluators said of the items' responses, by response, in the order of the names.

    A judge's score is the mean over its finished runs.
    """
    found: dict[int, list[EvaluatorScore]] = defaultdict(list)
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
            found[response].append(EvaluatorScore(name, number, reason=reason))
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
            found[response].append(EvaluatorScore(name, float(score), criterion))
    place = {name: number for number, name in enumerate(names)}
    return {response: sorted(said, key=lambda one: place[one.evaluator]) for response, said in found.items()}
