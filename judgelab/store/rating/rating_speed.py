"""Compute how long raters take, from times measured by the browser."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.db import columns
from judgelab.store.models import Person, Rating
from judgelab.store.rating import timed_work

SPEED_COLUMNS = ("rater", "origin", *timed_work.SCREEN_COLUMNS, "seconds")


def median_seconds(session: Session, project_id: int) -> dict[str, float]:
    """Return each rater's median seconds per response; raters without measured ratings are absent.

    The criteria of a response are rated on one screen, so its time is counted once.
    """
    rows = session.execute(
        select(Person.name, Rating.origin, Rating.person_id, Rating.response_id, Rating.occasion)
        .add_columns(Rating.rated_at, Rating.seconds)
        .join(Person, Person.id == Rating.person_id)
        .where(Rating.project_id == project_id, Rating.seconds.is_not(None), Rating.occasion == 0)
        .order_by(Rating.rated_at, Rating.id)
    )
    kinds = {"rated_at": columns.TIME, "seconds": "float64"}
    work = columns.frame_of([tuple(row) for row in rows], SPEED_COLUMNS, kinds)
    work = timed_work.timed_ratings(session, project_id, work)
    screens = work.groupby(["rater", "screen"], as_index=False)["seconds"].max()
    return {
        str(name): float(rows_of_rater.median())
        for name, rows_of_rater in screens.groupby("rater")["seconds"]
    }
