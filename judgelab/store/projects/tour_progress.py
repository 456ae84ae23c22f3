"""Read one person's progress on a demo project's guided tour from ratings, runs and the log."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.db.audit import TOUR_ACTIONS
from judgelab.store.models import Audit, ItemRow, JudgeRow, Rating, ResponseRow, Run

SAW_RATERS, SAW_STANDING, LEFT_TOUR, RESUMED_TOUR = TOUR_ACTIONS


class ReplayRun(NamedTuple):
    """The newest run of a judge that replays scripted replies."""

    run: int
    state: str
    units: int


class TourProgress(NamedTuple):
    """A person's progress on the tour: responses rated, actions logged, and whether they left it."""

    rated: int
    actions: frozenset[str]
    dismissed: bool


def tour_progress(session: Session, project_id: int, person_id: int) -> TourProgress:
    """Return what the person did in the project; `left` is False if the tour was resumed since."""
    rated = session.scalar(
        select(func.count(Rating.response_id.distinct()))
        .join(ResponseRow, ResponseRow.id == Rating.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Rating.project_id == project_id, Rating.person_id == person_id, ItemRow.purpose == "data")
    )
    rows = session.execute(
        select(Audit.action, func.max(Audit.id))
        .where(Audit.project_id == project_id, Audit.person_id == person_id, Audit.action.in_(TOUR_ACTIONS))
        .group_by(Audit.action)
    )
    last = {action: int(newest) for action, newest in rows}
    return TourProgress(rated or 0, frozenset(last), last.get(LEFT_TOUR, 0) > last.get(RESUMED_TOUR, 0))


def newest_replay(session: Session, project_id: int, *, model: str) -> ReplayRun | None:
    """Return the newest run of a judge with this model in the project, or None."""
    row = session.execute(
        select(Run.id, Run.state, Run.units)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(Run.project_id == project_id, JudgeRow.model == model)
        .order_by(Run.id.desc())
        .limit(1)
    ).first()
    return None if row is None else ReplayRun(*row)
