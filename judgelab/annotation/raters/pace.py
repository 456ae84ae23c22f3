"""How fast raters work, in which sittings, and whether they change while they work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.shares import median, share
from judgelab.metaeval.raters.sequences import trend
from judgelab.wording import sentence

BREAK = 30 * 60  # seconds without a rating that end a sitting
READABLE = 60.0  # characters a second, about 600 English words a minute: two and a half times silent reading
AT_ONCE = pd.Timedelta(milliseconds=100)
HURRIED = 1 / 3  # of the median time of all raters
NO_TIMES = sentence("no times: the file that brought the ratings has none")
TOO_SHORT = sentence("no two ratings follow one another within half an hour")

TimeSource = Literal["measured", "between ratings", "none"]


@dataclass(frozen=True)
class Pace:
    """How fast one rater works.

    Args:
        median: median seconds a screen.
        fast: share of screens answered faster than the text can be read, or in less than a third of the
            median time of all raters.
        usual: median seconds of all raters, each rater's own median counted once; None without times.
        source: "measured" by the rating page, "between ratings" where only times of rating are known.
        sittings: how many; a break of half an hour ends one. None without times.
        drift: change of the seconds a screen from the first to the last one: 0.5 is half as long again, -0.5
            half as long.
    """

    median: Estimate
    fast: Estimate
    usual: float | None
    source: TimeSource
    sittings: int | None
    drift: Estimate


def without_import_times(work: pd.DataFrame) -> pd.DataFrame:
    """Return the work without times of rating that are only the moment at which a file was read.

    Nobody rates two screens within a tenth of a second: such times are of the machine that stored them.
    """
    brought = work["origin"] == "import"
    if not brought.any():
        return work
    key = ["rater", "screen", "occasion"]
    each = work.loc[brought, [*key, "rated_at"]].drop_duplicates(key).sort_values(["rater", "rated_at"])
    times = each.groupby("rater", sort=False)["rated_at"]
    at_once = (times.diff() < AT_ONCE) | (-times.diff(-1) < AT_ONCE)
    moments = pd.MultiIndex.from_frame(each.loc[at_once, key])
    stored = brought & pd.MultiIndex.from_frame(work[key]).isin(moments)
    return work.assign(rated_at=work["rated_at"].mask(stored))


def screen_table(work: pd.DataFrame) -> pd.DataFrame:
    """Return one row a screen, each rater's in the order they were rated.

    Columns: rater, screen, occasion, item, rated_at, seconds, source, timed, place, sitting,
    place_in_sitting, length, usual, limit.

    The criteria of a response are rated on one screen, so its time counts once. Where the page measured no
    time, it is the time since the rating before, within a sitting. Without times of rating (`rated_at` one
    and the same for most of a rater's screens) there is no order: `place` and `sitting` are missing.
    """
    key = ["rater", "screen", "occasion"]
    found = (
        work.groupby(key, sort=False, as_index=False, observed=True)
        .agg(
            item=("item", "first"),
            rated_at=("rated_at", "max"),
            seconds=("seconds", "max"),
            length=("length", "first"),
        )
        .sort_values(["rater", "rated_at"], kind="stable", ignore_index=True)
    )
    by_rater = found.groupby("rater", sort=False)
    found["timed"] = by_rater["rated_at"].transform("nunique") * 2 > by_rater["rated_at"].transform("size")
    gap = by_rater["rated_at"].diff().dt.total_seconds()
    fresh = gap.isna() | (gap > BREAK)
    measured = found["seconds"].notna()
    found["source"] = np.where(measured, "measured", np.where(found["timed"], "between ratings", "none"))
    found["seconds"] = found["seconds"].where(measured, gap.where(~fresh & found["timed"]))
    found["place"] = by_rater.cumcount().where(found["timed"]).astype(float)
    found["sitting"] = fresh.groupby(found["rater"]).cumsum().where(found["timed"]).astype(float)
    inside = found.groupby(["rater", fresh.groupby(found["rater"]).cumsum()], sort=False).cumcount()
    found["place_in_sitting"] = inside.where(found["timed"]).astype(float)
    # The median over raters of each one's median: a diligent rater with many screens is one voice.
    usual = float(found.groupby("rater")["seconds"].median().median()) if len(found) else np.nan
    found["usual"] = usual
    reading = found["length"].fillna(0.0) / READABLE
    found["limit"] = reading.clip(lower=0.0 if np.isnan(usual) else HURRIED * usual)
    return found


def rater_pace(own: pd.DataFrame | Mapping[str, npt.NDArray[Any]]) -> Pace:
    """Return the pace of one rater from their rows of `screen_table`, a frame or its columns."""
    measured, limit, place, sitting = (
        np.asarray(own[column], dtype=float) for column in ("seconds", "limit", "place", "sitting")
    )
    known = np.isfinite(measured)
    seconds, timed = measured[known], bool(np.asarray(own["timed"], dtype=bool).any())
    nothing = TOO_SHORT if timed else NO_TIMES
    source: TimeSource = "none"
    if len(seconds):
        by_page = (np.asarray(own["source"])[known] == "measured").mean() >= 0.5
        source = "measured" if by_page else "between ratings"
    return Pace(
        median=median(seconds, nothing=nothing),
        fast=share(int((seconds < limit[known]).sum()), len(seconds), nothing=nothing),
        usual=float(np.asarray(own["usual"])[0]) if len(seconds) else None,
        source=source,
        sittings=len(np.unique(sitting)) if timed else None,
        drift=_pace_drift(place[known], seconds, timed=timed),
    )


def _pace_drift(place: Floats, seconds: Floats, *, timed: bool) -> Estimate:
    """Return the slope of log seconds on the place, as the change over all of the rater's work."""
    if not timed:
        return undefined(NO_TIMES)
    return change_over(
        trend(place, np.log(np.maximum(seconds, 0.1))), float(place.max(initial=0.0)), of_logs=True
    )


def change_over(slope: Estimate, length: float, *, of_logs: bool = False) -> Estimate:
    """Return a slope as the change over so many places; of logarithms, as a share of the beginning."""
    if slope.value is None:
        return slope
    change = np.expm1 if of_logs else np.asarray
    # A rate that would double every few screens is cut off: e^10 is more than any number to show.
    most = 10.0 if of_logs else np.inf
    ends = slope.ci and (min(slope.ci[0] * length, most), min(slope.ci[1] * length, most))
    ci = None if ends is None else (float(change(ends[0])), float(change(ends[1])))
    return replace(slope, value=float(change(min(slope.value * length, most))), ci=ci)
