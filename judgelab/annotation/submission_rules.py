"""Whether a rating fulfils the project's rules: required comments, and the least time on a unit."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from judgelab.annotation.forms import Form
from judgelab.annotation.rating.operations import Operation
from judgelab.annotation.rating.session import RatingSession
from judgelab.annotation.rating.unit_view import UnitView
from judgelab.store.db.engine import Session
from judgelab.store.people import deleted_work
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


def with_capped_seconds(
    session: Session,
    rating_session: RatingSession,
    operation: Operation,
    at: datetime,
    *,
    given: datetime | None,
) -> Operation:
    """Return the operation with its time limited to what has passed on the server, since browsers can lie.

    `given` is when the person first got the unit; empty if nothing is known of that.
    """
    if not operation.seconds:
        return operation
    known = [start for start in (rating_session.joined_at, given) if start is not None]
    person_id, hour = rating_session.person_id, timedelta(seconds=active_time.LONGEST)
    deleted = deleted_work.deleted_since(session, person_id, after=at - hour)
    most = active_time.available_seconds(
        session, person_id, at=at, since=max(known, default=None), deleted=deleted
    )
    return replace(operation, seconds=min(operation.seconds, most))
