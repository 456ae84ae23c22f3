"""What raters did as a frame, with times that browsers measured held to what passed here."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sqlalchemy.orm import Session

from judgelab.store.rating import active_time

BROWSER = "browser"  # origin of ratings whose time our own screen measured
SCREEN_COLUMNS = ("person", "screen", "occasion", "rated_at")  # what tells one look at a screen from another


def timed_ratings(session: Session, project_id: int, work: pd.DataFrame) -> pd.DataFrame:
    """Return the project's work, in the order it was done, with `seconds` as far as that time had passed.

    The criteria of a screen share its time; times that a file brought stay as they are.
    """
    ours = (work["origin"] == BROWSER) & work["seconds"].notna()
    looks = work.loc[ours, [*SCREEN_COLUMNS, "seconds"]].drop_duplicates(list(SCREEN_COLUMNS))
    came, most = active_time.joined_at(session, project_id), looks["seconds"].copy()
    for person, own in looks.groupby("person", sort=False):
        times = zip(own["rated_at"].dt.to_pydatetime(), own["seconds"], strict=True)
        most[own.index] = active_time.plausible_seconds(times, since=came.get(int(str(person))))
    if (most == looks["seconds"]).all():
        return work
    known = looks.assign(most=most).set_index(list(SCREEN_COLUMNS))["most"]
    held_to = known.reindex(pd.MultiIndex.from_frame(work[list(SCREEN_COLUMNS)])).to_numpy()
    return work.assign(seconds=work["seconds"].mask(ours, np.minimum(work["seconds"], held_to)))
