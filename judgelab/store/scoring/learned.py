"""Store learned judges: verdicts like those of any judge, with models and reports."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import delete, insert, select, update
from sqlalchemy.orm import Session

from judgelab.errors import InvalidInput
from judgelab.store.judging.judge_names import LEARNED, refuse_name_of_another
from judgelab.store.models import CriterionRow, JudgeRow, Judgment, LearnedModelRow, Run, Unit, Verdict
from judgelab.store.models.base import now
from judgelab.store.rating.criteria import criterion_ids
from judgelab.wording import sentence

ORIGIN = LEARNED


class LearnedVerdict(NamedTuple):
    """A learned judge's score of a response under a criterion."""

    response_id: int
    criterion: str
    score: float
    rationale: str
    confidence: float | None
    detail: Mapping[str, Any]


class StoredLearnedModel(NamedTuple):
    """The model of one criterion with its report."""

    criterion: str
    data_hash: str
    model: Mapping[str, Any]
    report: Mapping[str, Any]


@dataclass(frozen=True)
class StoredLearned:
    """A stored learned judge: its options, training time, and the model of each criterion."""

    judge: str
    options: Mapping[str, Any]
    learned_at: datetime
    models: tuple[StoredLearnedModel, ...]


def check_learned_name(
    session: Session, project_id: int, name: str, *, metrics: Collection[str] = ()
) -> None:
    """Raise `InvalidInput` if a learned judge may not have the name; `metrics` are available metrics."""
    judge = session.scalar(select(JudgeRow).where(JudgeRow.project_id == project_id, JudgeRow.name == name))
    if judge is not None and judge.origin != ORIGIN:
        raise InvalidInput(
            sentence(
                "a judge named '{judge}' already exists; give the learned judge another name.", judge=name
            )
        )
    refuse_name_of_another(session, project_id, name, metrics=metrics, learned=True)


def save_learned(
    session: Session,
    project_id: int,
    name: str,
    *,
    options: Mapping[str, Any],
    verdicts: Sequence[LearnedVerdict],
    models: Sequence[StoredLearnedModel],
    code_version: str,
    metrics: Collection[str] = (),
) -> int:
    """Store a learned judge, replacing the one of that name; return the id of its run.

    Its verdicts on criteria that were not learned this time are deleted too: one judge has one training.

    Raises:
        InvalidInput: the name is taken; see `check_learned_name`.
    """
    check_learned_name(session, project_id, name, metrics=metrics)
    judge = session.scalar(select(JudgeRow).where(JudgeRow.project_id == project_id, JudgeRow.name == name))
    if judge is None:
        judge = JudgeRow(project_id=project_id, name=name, origin=ORIGIN)
        session.add(judge)
    judge.options = dict(options)
    judge.model = str(options.get("kind", ""))
    session.flush()
    session.execute(delete(Run).where(Run.judge_id == judge.id))
    session.execute(delete(LearnedModelRow).where(LearnedModelRow.judge_id == judge.id))
    criteria = criterion_ids(session, project_id)
    at = now()
    run = Run(
        project_id=project_id,
        judge_id=judge.id,
        selection={"learned": True},
        state="done",
        units=len(verdicts),
        code_version=code_version,
        started_at=at,
        finished_at=at,
    )
    session.add(run)
    session.flush()
    _write(session, run.id, verdicts, criteria, at=at)
    rows = [
        {
            "judge_id": judge.id,
            "criterion_id": criteria[model.criterion],
            "data_hash": model.data_hash,
            "model": dict(model.model),
            "report": dict(model.report),
        }
        for model in models
    ]
    if rows:
        session.execute(insert(LearnedModelRow), rows)
    return run.id


def _write(
    session: Session,
    run_id: int,
    verdicts: Sequence[LearnedVerdict],
    criteria: Mapping[str, int],
    *,
    at: datetime,
) -> None:
    judgments = [
        {
            "run_id": run_id,
            "response_id": verdict.response_id,
            "criteria": verdict.criterion,
            "position": position,
            "state": "scored",
            "judged_at": at,
        }
        for position, verdict in enumerate(verdicts)
    ]
    if not judgments:
        return
    added = session.execute(
        insert(Judgment).returning(Judgment.response_id, Judgment.criteria, Judgment.id), judgments
    )
    ids = {(response, criterion): row_id for response, criterion, row_id in added}
    session.execute(
        insert(Verdict),
        [
            {
                "judgment_id": ids[verdict.response_id, verdict.criterion],
                "response_id": verdict.response_id,
                "criterion_id": criteria[verdict.criterion],
                "score": verdict.score,
                "rationale": verdict.rationale,
                "confidence": verdict.confidence,
                "detail": dict(verdict.detail),
            }
            for verdict in verdicts
        ],
    )


def stored_learned(session: Session, project_id: int) -> list[StoredLearned]:
    """Return the project's learned judges with their models, by name."""
    rows = session.execute(
        select(JudgeRow, LearnedModelRow, CriterionRow.key)
        .join(LearnedModelRow, LearnedModelRow.judge_id == JudgeRow.id)
        .join(CriterionRow, CriterionRow.id == LearnedModelRow.criterion_id)
        .where(JudgeRow.project_id == project_id)
        .order_by(JudgeRow.name, CriterionRow.position)
    )
    learned: dict[str, StoredLearned] = {}
    for judge, row, criterion in rows:
        model = StoredLearnedModel(criterion, row.data_hash, row.model, row.report)
        before = learned.get(judge.name)
        models = (*before.models, model) if before else (model,)
        learned[judge.name] = StoredLearned(judge.name, judge.options, row.created_at, models)
    return list(learned.values())


def propose_units(session: Session, project_id: int, turns: Mapping[int, int]) -> int:
    """Set the order in which units are proposed, replacing earlier turns; return how many got one.

    Args:
        session: a writing session.
        project_id: the project.
        turns: the position of each proposed response, by row id; 1 is the first.
    """
    session.execute(update(Unit).where(Unit.project_id == project_id).values(turn=None))
    query = select(Unit.id, Unit.response_id).where(
        Unit.project_id == project_id, Unit.offered, Unit.kind == "response"
    )
    updates = [
        {"id": unit, "turn": turns[response]}
        for unit, response in session.execute(query)
        if response is not None and response in turns
    ]
    if updates:
        session.execute(update(Unit), updates)
    return len(updates)
