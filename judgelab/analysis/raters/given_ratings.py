"""The ratings that raters gave in the project's form, with the scale of each criterion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from judgelab.analysis.data.write_cache import WriteCache
from judgelab.scales import Scale, scale_from_json
from judgelab.store.db.engine import Session, Store
from judgelab.store.frames import rater_work, score_frames
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project

FORMS = ("pointwise", "pairwise", "ranking")
MOST_RANKS = 20
MOST_ROWS = 500_000  # about 250 bytes each, comments not counted


@dataclass(frozen=True)
class GivenRatings:
    """Ratings, the scales they are on, and their form: "pointwise", "pairwise" or "ranking"."""

    frame: pd.DataFrame
    scales: Mapping[str, Scale]
    form: str = FORMS[0]


_cache: WriteCache[GivenRatings] = WriteCache(MOST_ROWS)


def cached_given_ratings(store: Store, slug: str) -> GivenRatings:
    """Return the result of `load_given_ratings`, cached; callers must not change it."""

    def make() -> GivenRatings:
        with store.reading() as session:
            return load_given_ratings(session, find_project(session, slug))

    return _cache.get(store, slug, make, rows=lambda work: len(work.frame))


def load_given_ratings(session: Session, project: ProjectInfo) -> GivenRatings:
    """Return the ratings in the project's form, or in another form if there are none in it.

    Preferences are between -1 and 1, positive for the response whose system (or id) comes first by name, as
    everywhere in comparisons; the `response` of a row is that one. Rankings give places from 1.
    """
    forms = dict.fromkeys([str(project.settings.get("form", "pointwise")), *FORMS])
    work_by_form = {}
    for form in forms:
        frame = rater_work.work_frame(session, project.id, form=form)
        if form == "pairwise" and len(frame):
            frame = _oriented(frame, score_frames.response_frame(session, project.id, answers=False))
        scale = _form_scale(form, frame)
        work_by_form[form] = GivenRatings(
            frame, project.scales if scale is None else dict.fromkeys(project.scales, scale), form
        )
        if len(frame):
            return work_by_form[form]
    return next(iter(work_by_form.values()))


def _oriented(frame: pd.DataFrame, responses: pd.DataFrame) -> pd.DataFrame:
    """Return preferences with the response that comes first by name as the first one."""
    by_id = responses.set_index("response")
    name = by_id["system"].astype(str) + "\0" + by_id["response_id"].astype(str)
    ends = frame["unit"].str.split("-", expand=True).astype("int64")
    first, second = (name.reindex(ends[side]).fillna("").to_numpy(dtype=str) for side in (0, 1))
    turned = first > second
    return frame.assign(
        response=np.where(turned, ends[1], ends[0]),
        unit=np.where(turned, ends[1].astype(str) + "-" + ends[0].astype(str), frame["unit"]),
        score=np.where(turned, -frame["score"], frame["score"]),
    )


def _form_scale(form: str, frame: pd.DataFrame) -> Scale | None:
    """Return the scale that a form implies; None if scores are on the criterion's own scale."""
    if form == "pointwise":
        return None
    if form == "pairwise":
        return scale_from_json({"kind": "ordinal", "low": -1, "high": 1})
    highest = frame["score"].max()
    kind = "ordinal" if highest <= MOST_RANKS else "numeric"
    return scale_from_json({"kind": kind, "low": 1, "high": int(highest) if highest >= 2 else 2})
