"""Whether a rating fulfils the project's rules: required comments, and the least time on a unit."""

from __future__ import annotations

from datetime import datetime

from judgelab.annotation.forms import Form
from judgelab.annotation.rating.operations import Operation
from judgelab.annotation.rating.session import RatingSession
from judgelab.annotation.rating.unit_view import UnitView
from judgelab.store.db.engine import Session
from judgelab.store.rating import active_time


def check_rules(
    session: Session,
    rating_session: RatingSession,
    view: UnitView,
    form: Form,
    operation: Operation,
    at: datetime,
) -> None:
    """Raise `InvalidInput` when the rating does not fulfil the project's rules."""
    rules, assignment = rating_session.rules, view.assignment
    rules.check_comments(rating_session.project.criteria, getattr(operation, form.field), operation)
    if rules.least_seconds and not assignment.finished:  # who changes a rating has waited before it
        seconds = active_time.seconds_on_unit(
            session,
            rating_session.person_id,
            (rating_session.project_id, assignment.unit_id),
            at=at,
            given=assignment.given_at,
            least=rules.least_seconds,
        )
        rules.check_time(seconds)
