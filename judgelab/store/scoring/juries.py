"""Store juries: judges whose scores are combined from those of other judges."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import delete, func, insert, select
from sqlalchemy.orm import Session

from judgelab.errors import InvalidInput
from judgelab.store.judging.judge_names import refuse_name_of_another
from judgelab.store.models import (
    FilterPolicyRow,
    JudgeRow,
    Judgment,
    MetricScore,
    Rating,
    ResponseRow,
    Run,
    Verdict,
)
from judgelab.store.models.base import now
from judgelab.store.rating.criteria import criterion_ids
from judgelab.store.scoring.jury_info import JuryInfo, JuryScore
from judgelab.wording import sentence

JURY = "jury"


def juries(session: Session, project_id: int) -> list[JuryInfo]:
    """Return the project's juries by name."""
    rows = session.execute(
        select(JudgeRow, Run)
        .join(Run, Run.judge_id == JudgeRow.id)
        .where(JudgeRow.project_id == project_id, JudgeRow.origin == JURY)
        .order_by(JudgeRow.name)
    )
    return [
        JuryInfo(
            *(judge.id, run.id, judge.name, tuple(judge.options["members"]), str(judge.options["way"])),
            judge.own_scale,
            str(run.remote.get("state", "")),
        )
        for judge, run in rows
    ]


def save_jury(
    session: Session,
    project_id: int,
    name: str,
    *,
    members: Sequence[str],
    way: str,
    own_scale: bool,
    metrics: Collection[str] = (),
) -> None:
    """Store or change the jury of this name; its scores are computed on request.

    `metrics` are names of available metrics, which a jury may not have.

    Raises:
        InvalidInput: the name is taken.
    """
    judge = session.scalar(
        select(JudgeRow).where(JudgeRow.project_id == project_id, JudgeRow.name == name).with_for_update()
    )
    if judge is not None and judge.origin != JURY:
        raise InvalidInput(
            sentence(
                "'{name}' is already the name of a judge that is not a jury; choose another name.", name=name
            )
        )
    if judge is None:
        refuse_name_of_another(session, project_id, name, metrics=metrics)
        judge = JudgeRow(project_id=project_id, name=name, origin=JURY)
        session.add(judge)
    judge.options, judge.own_scale = {"members": list(members), "way": way}, own_scale
    judge.aggregation = way
    session.flush()
    run = session.scalar(select(Run).where(Run.judge_id == judge.id))
    if run is None:
        at = now()
        session.add(
            Run(
                project_id=project_id,
                judge_id=judge.id,
                selection={JURY: True},
                state="done",
                started_at=at,
                finished_at=at,
            )
        )
    else:
        run.remote = {}
    session.flush()


def save_jury_scores(session: Session, jury: JuryInfo, state: str, scores: Sequence[JuryScore]) -> None:
    """Store a jury's scores, replacing earlier ones."""
    run = session.get_one(Run, jury.run_id, with_for_update=True)
    if run.remote.get("state") == state:
        return  # another process did it at the same time
    session.execute(delete(Judgment).where(Judgment.run_id == run.id))
    at = now()
    rows = [
        {
            **{"run_id": run.id, "response_id": jury_score.response_id, "criteria": jury_score.criterion},
            **{"position": position, "judged_at": at, "reason": jury_score.reason},
            "state": "unscored" if jury_score.score is None else "scored",
        }
        for position, jury_score in enumerate(scores)
    ]
    if rows:
        session.execute(insert(Judgment), rows)
    query = select(Judgment.response_id, Judgment.criteria, Judgment.id).where(Judgment.run_id == run.id)
    ids = {(response, criterion): row_id for response, criterion, row_id in session.execute(query)}
    criteria = criterion_ids(session, run.project_id)
    verdicts = [
        {
            "judgment_id": ids[jury_score.response_id, jury_score.criterion],
            "response_id": jury_score.response_id,
            "criterion_id": criteria[jury_score.criterion],
            **{
                "score": jury_score.score,
                "rationale": jury_score.rationale,
                "detail": dict(jury_score.detail),
            },
        }
        for jury_score in scores
        if jury_score.score is not None
    ]
    if verdicts:
        session.execute(insert(Verdict), verdicts)
    run.units, run.finished_at, run.remote = len(rows), at, {"state": state}


def finished_runs(session: Session, project_id: int, *, scored: bool = False) -> dict[int, str]:
    """Return the judge's name of each finished run, without juries, by run id.

    With `scored`, only runs with a score; an imported one may have only choices between responses.
    """
    query = (
        select(Run.id, JudgeRow.name)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(Run.project_id == project_id, Run.state == "done", JudgeRow.origin != JURY)
        .order_by(Run.id)
    )
    if scored:
        with_score = select(Judgment.id).join(Verdict, Verdict.judgment_id == Judgment.id)
        query = query.where(with_score.where(Judgment.run_id == Run.id, Verdict.score.is_not(None)).exists())
    rows = session.execute(query)
    return {run_id: name for run_id, name in rows}


def jury_inputs_state(session: Session, project_id: int, *, raters: bool) -> tuple[Any, ...]:
    """Return a value that changes whenever a jury's possible inputs do; ratings only with `raters`."""
    done = list(finished_runs(session, project_id))
    verdicts = session.execute(
        select(func.count(), func.max(Verdict.id), func.sum(Verdict.score))
        .join(Judgment, Judgment.id == Verdict.judgment_id)
        .where(Judgment.run_id.in_(done))
    ).one()
    numbers = session.execute(
        select(func.count(), func.max(MetricScore.scored_at), func.sum(MetricScore.score)).where(
            MetricScore.project_id == project_id
        )
    ).one()
    texts = session.execute(
        select(func.count(), func.max(ResponseRow.id)).where(ResponseRow.project_id == project_id)
    ).one()
    inputs: tuple[Any, ...] = (tuple(done), tuple(verdicts), tuple(numbers), tuple(texts))
    if not raters:
        return inputs
    rated = session.execute(
        select(func.count(), func.max(Rating.rated_at), func.sum(Rating.score)).where(
            Rating.project_id == project_id
        )
    ).one()
    rules = session.execute(
        select(FilterPolicyRow.name, FilterPolicyRow.version).where(
            FilterPolicyRow.project_id == project_id, FilterPolicyRow.in_use
        )
    ).all()
    return (*inputs, tuple(rated), tuple(tuple(row) for row in rules))
