"""Which responses a judge was asked about, so that only the others are planned."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import Judgment, Run


def responses_asked(session: Session, judge_id: int) -> set[int]:
    """Return the row ids of the responses in a judge's runs, those of cancelled runs only where judged."""
    query = (
        select(Judgment.response_id, Judgment.members)
        .join(Run, Run.id == Judgment.run_id)
        .where(Run.judge_id == judge_id)
        .where((Run.state != "cancelled") | (Judgment.state != "waiting"))
    )
    found: set[int] = set()
    for response_id, members in session.execute(query):
        found.add(response_id)
        found.update(members)
    return found
