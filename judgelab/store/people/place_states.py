"""The current state of a membership: the only module that decides when a crowd worker's time is over.

The column `Membership.state` is the state stored last. A person whose time limit has passed has timed out
from that moment on, even though the column only changes when they next ask for work.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BindParameter, Case, ColumnElement, and_, bindparam, case

from judgelab.store.models import Membership, now
from judgelab.store.models.base import UtcDateTime

At = datetime | BindParameter[datetime]
PRESENT: BindParameter[datetime] = bindparam("present", callable_=now, type_=UtcDateTime(), unique=True)
"""The time at which a statement runs, for statements that are built once."""


def is_overdue(at: At = PRESENT) -> ColumnElement[bool]:
    """Return the condition that a person's time limit has passed without a new state being stored."""
    return and_(Membership.state == "active", Membership.due_at.is_not(None), Membership.due_at <= at)


def current_state(at: At = PRESENT) -> Case[str]:
    """Return the SQL expression for the state of a membership at this time."""
    return case((is_overdue(at), "timed_out"), else_=Membership.state)


def over_since(at: At = PRESENT) -> Case[datetime | None]:
    """Return the SQL expression for when the work of a membership ended; NULL while it goes on."""
    return case((is_overdue(at), Membership.due_at), else_=Membership.left_at)
