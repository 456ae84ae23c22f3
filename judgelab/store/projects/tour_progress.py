"""What one person did on a demo project's guided path, read from ratings, runs and the log."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.db.audit import ON_THE_PATH
from judgelab.store.models import Audit, ItemRow, JudgeRow, Rating, ResponseRow, Run

SAW_RATERS, SAW_STANDING, LEFT, TAKEN_UP = ON_THE_PATH


class Replay(NamedTuple):
    """The newest run of a judge that says again what was written for it."""

    run: int
    state: str
    units: int


class Traces(NamedTuple):
    """What somebody left behind on the path: the responses they rated, and what the log says they did."""

    rated: int
    done: frozenset[str]
    left: bool


def traces(session: Session, project_id: int, person_id: int) -> Traces:
    """Return what the person did in the project; `left` unless the path was taken up again since."""
    rated = session.scalar(
        select(func.count(Rating.response_id.distinct()))
        .join(ResponseRow, ResponseRow.id == Rating.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Rating.project_id == project_id, Rating.person_id == person_id, ItemRow.purpose == "data")
    )
    rows = session.execute(
        select(Audit.action, func.max(Audit.id))
        .where(Audit.project_id == project_id, Audit.person_id == person_id, Audit.action.in_(ON_THE_PATH))
        .group_by(Audit.action)
    )
    last = {action: int(newest) for action, newest in rows}
    return Traces(rated or 0, frozenset(last), last.get(LEFT, 0) > last.get(TAKEN_UP, 0))


def newest_replay(session: Session, project_id: int, *, model: str) -> Replay | None:
    """Return the newest run of a judge of this model in the project, if there is one."""
    row = session.execute(
        select(Run.id, Run.state, Run.units)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(Run.project_id == project_id, JudgeRow.model == model)
        .order_by(Run.id.desc())
        .limit(1)
    ).first()
    return None if row is None else Replay(*row)
