"""What the state of a rater's place is: the only place that says when a crowd worker's time is over.

The column `Membership.state` says what was decided last. Whose time at a study link has passed has timed out
from that moment on, also while nobody has asked for work since, which is when it is written down.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BindParameter, Case, ColumnElement, and_, bindparam, case

from judgelab.store.models import Membership, now
from judgelab.store.models.base import UtcDateTime

At = datetime | BindParameter[datetime]
PRESENT: BindParameter[datetime] = bindparam("present", callable_=now, type_=UtcDateTime(), unique=True)
"""The moment at which a statement runs, for statements that are built once."""


def is_overdue(at: At = PRESENT) -> ColumnElement[bool]:
    """Return the condition under which somebody's time was over although nothing was decided since."""
    return and_(Membership.state == "active", Membership.due_at.is_not(None), Membership.due_at <= at)


def current_state(at: At = PRESENT) -> Case[str]:
    """Return the state of a place as it is at this moment."""
    return case((is_overdue(at), "timed_out"), else_=Membership.state)


def over_since(at: At = PRESENT) -> Case[datetime | None]:
    """Return since when the work of a place has been over; nothing while it goes on."""
    return case((is_overdue(at), Membership.due_at), else_=Membership.left_at)
