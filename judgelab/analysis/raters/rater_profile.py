"""One rater beside the others: distribution, pace, hours of the day, and where they differ most."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, tzinfo

import numpy as np
import pandas as pd

from judgelab.analysis.filters.filter_preview import Distribution, distribution
from judgelab.analysis.raters.rater_table import work_in
from judgelab.annotation.raters.pace import screens, without_import_times
from judgelab.store.db.engine import Store
from judgelab.store.frames import score_frames
from judgelab.store.projects.projects import find_project
from judgelab.wording import mark

PARTS = ((mark("night"), 0), (mark("morning"), 6), (mark("afternoon"), 12), (mark("evening"), 18))
MOST = 50  # rows of the list of differences


@dataclass(frozen=True)
class PartOfDay:
    """A rater's work in one part of the day.

    `apart` is the mean of own score minus the others' mean, as a share of the scale; None without company.
    """

    name: str
    screens: int
    seconds: float | None
    apart: float | None


@dataclass(frozen=True)
class RaterProfile:
    """One rater beside the others.

    Args:
        distribution: how often each score was given by the others ("before") and by this rater ("after").
        screens: the rater's screens in order: place, sitting, seconds, rated_at, limit, apart.
        parts: the parts of the day in which they rated, by the clock of this machine.
        differences: responses on which they differ from the others' mean, the largest first: response, item,
            system, criterion, score, others, raters, difference, comment, text.
        differing: how many responses have company at all.
    """

    distribution: Distribution
    screens: pd.DataFrame
    parts: tuple[PartOfDay, ...]
    differences: pd.DataFrame
    differing: int


def rater_profile(
    store: Store,
    slug: str,
    rater: str,
    *,
    criterion: str,
    others: Collection[str] | None = None,
    zone: tzinfo | None = None,
) -> RaterProfile:
    """Return the profile of one rater.

    Args:
        store: the database.
        slug: the project.
        rater: the name.
        criterion: whose scores the distribution counts; everything else is over all criteria.
        others: the raters to compare with; everybody else unless said otherwise.
        zone: of the hours of the day; this machine's unless said otherwise.
    """
    work = work_in(store, slug)
    with store.reading() as session:
        project = find_project(session, slug)
        texts = score_frames.response_frame(session, project.id)[["response", "text"]]
    data = work.frame[(work.frame["purpose"] == "data") & (work.frame["occasion"] == 0)]
    data = data[data["score"].notna()]
    is_own = data["rater"] == rater
    company = data[~is_own if others is None else (~is_own & data["rater"].isin(list(others)))]
    own = data[is_own].copy()
    beside = company.groupby(["unit", "criterion"])["score"].agg(others="mean", raters="size")
    own = own.join(beside, on=["unit", "criterion"])
    own["difference"] = own["score"] - own["others"]
    width = own["criterion"].map({key: scale.high - scale.low for key, scale in work.scales.items()})
    own["apart"] = own["difference"] / width
    shown = screens(without_import_times(data))  # of all: what is implausibly fast depends on the others
    shown = shown[shown["rater"] == rater]
    shown["apart"] = shown["screen"].map(own.groupby("screen")["apart"].mean())
    compared = own[own["others"].notna()]
    theirs, mine = (frame.loc[frame["criterion"] == criterion, "score"] for frame in (company, own))
    return RaterProfile(
        distribution=distribution(theirs, mine, work.scales[criterion]),
        screens=shown,
        parts=_parts(shown, zone or datetime.now().astimezone().tzinfo),
        differences=_largest(compared, texts),
        differing=len(compared),
    )


def _largest(compared: pd.DataFrame, texts: pd.DataFrame) -> pd.DataFrame:
    order = compared["apart"].abs().sort_values(ascending=False, kind="stable").index[:MOST]
    columns = [
        "response", "item", "system", "criterion", "score", "others", "raters", "difference", "comment"
    ]  # fmt: skip
    found = compared.loc[order, columns].merge(texts, on="response", how="left")
    return found[found["difference"] != 0].reset_index(drop=True)


def _parts(shown: pd.DataFrame, zone: tzinfo | None) -> tuple[PartOfDay, ...]:
    timed = shown[shown["timed"]]
    hour = timed["rated_at"].dt.tz_convert(zone).dt.hour
    found = []
    for place, (name, start) in enumerate(PARTS):
        end = PARTS[place + 1][1] if place + 1 < len(PARTS) else 24
        rows = timed[(hour >= start) & (hour < end)]
        if len(rows):
            seconds, apart = rows["seconds"].median(), rows["apart"].mean()
            found.append(PartOfDay(name, len(rows), _plain(seconds), _plain(apart)))
    return tuple(found)


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
