"""Limit the seconds in a frame of raters' work to the time that really passed."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sqlalchemy.orm import Session

from judgelab.store.rating import active_time

BROWSER = "browser"  # origin of ratings whose time our own screen measured
SCREEN_COLUMNS = ("person", "screen", "occasion", "rated_at")  # columns that identify one look at a screen


def timed_ratings(session: Session, project_id: int, work: pd.DataFrame) -> pd.DataFrame:
    """Return the project's work, in the order it was done, with `seconds` limited to the time that passed.

    The criteria of a screen share its time; imported times stay as they are.
    """
    measured = (work["origin"] == BROWSER) & work["seconds"].notna()
    looks = work.loc[measured, [*SCREEN_COLUMNS, "seconds"]].drop_duplicates(list(SCREEN_COLUMNS))
    joined, most = active_time.joined_at(session, project_id), looks["seconds"].copy()
    for person, looks_of_person in looks.groupby("person", sort=False):
        times = zip(looks_of_person["rated_at"].dt.to_pydatetime(), looks_of_person["seconds"], strict=True)
        most[looks_of_person.index] = active_time.plausible_seconds(times, since=joined.get(int(str(person))))
    if (most == looks["seconds"]).all():
        return work
    limits = looks.assign(most=most).set_index(list(SCREEN_COLUMNS))["most"]
    limit = limits.reindex(pd.MultiIndex.from_frame(work[list(SCREEN_COLUMNS)])).to_numpy()
    return work.assign(seconds=work["seconds"].mask(measured, np.minimum(work["seconds"], limit)))
