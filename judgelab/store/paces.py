"""How long raters take, where the browser measured it."""

from __future__ import annotations

from collections import defaultdict
from statistics import median

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.models import Person, Rating


def median_seconds(session: Session, project_id: int) -> dict[str, float]:
    """Return the median seconds a response by rater; raters without measured ratings are absent.

    The criteria of a response are rated on one screen, so its time is counted once.
    """
    rows = session.execute(
        select(Person.name, func.max(Rating.seconds))
        .join(Person, Person.id == Rating.person_id)
        .where(Rating.project_id == project_id, Rating.seconds.is_not(None), Rating.occasion == 0)
        .group_by(Person.name, Rating.response_id)
    )
    found: dict[str, list[float]] = defaultdict(list)
    for name, seconds in rows:
        found[name].append(float(seconds or 0.0))
    return {name: median(times) for name, times in found.items()}
