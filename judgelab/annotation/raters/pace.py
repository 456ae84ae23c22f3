"""How fast raters work, in which sittings, and whether their pace changes."""

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
READABLE = 60.0  # characters per second, about 600 English words per minute: 2.5 times silent reading
AT_ONCE = pd.Timedelta(milliseconds=100)
HURRIED = 1 / 3  # of the median time of all raters
NO_TIMES = sentence("no times: the imported file has none")
NO_ORDER = sentence("no order of rating: the imported file has no times")
TOO_SHORT = sentence("no two ratings follow one another within half an hour")

TimeSource = Literal["measured", "between ratings", "none"]


@dataclass(frozen=True)
class Pace:
    """How fast one rater works.

    Args:
        median: median seconds per screen.
        fast: share of screens answered faster than the text can be read, or in less than a third of the
            median time of all raters.
        usual: median of all raters' medians in seconds; None without times.
        source: "measured" by the rating page, "between ratings" if only times of rating are known.
        sittings: how many; a break of half an hour ends one. None without times.
        drift: change of the seconds per screen from the first to the last one: 0.5 is 50 % longer, -0.5 half
            as long.
    """

    median: Estimate
    fast: Estimate
    usual: float | None
    source: TimeSource
    sittings: int | None
    drift: Estimate


def without_import_times(work: pd.DataFrame) -> pd.DataFrame:
    """Return the work without times of rating that are only the times at which a file was imported.

    Nobody rates two screens within a tenth of a second, so such times come from the program that stored them.
    """
    imported = work["origin"] == "import"
    if not imported.any():
        return work
    key = ["rater", "screen", "occasion"]
    rated_screens = (
        work.loc[imported, [*key, "rated_at"]].drop_duplicates(key).sort_values(["rater", "rated_at"])
    )
    times = rated_screens.groupby("rater", sort=False)["rated_at"]
    at_once = (times.diff() < AT_ONCE) | (-times.diff(-1) < AT_ONCE)
    import_times = pd.MultiIndex.from_frame(rated_screens.loc[at_once, key])
    at_import = imported & pd.MultiIndex.from_frame(work[key]).isin(import_times)
    return work.assign(rated_at=work["rated_at"].mask(at_import))


def screen_table(work: pd.DataFrame) -> pd.DataFrame:
    """Return one row per screen, each rater's in the order they were rated.

    Columns: rater, screen, occasion, item, rated_at, seconds, source, timed, place, sitting,
    place_in_sitting, length, usual, limit.

    The criteria of a response are rated on one screen, so its time counts once. If the page measured no time,
    it is the time since the previous rating of the same sitting. Without times of rating (`rated_at` is the
    same for most of a rater's screens) the order is unknown: `place` and `sitting` are missing.
    """
    key = ["rater", "screen", "occasion"]
    table = (
        work.groupby(key, sort=False, as_index=False, observed=True)
        .agg(
            item=("item", "first"),
            rated_at=("rated_at", "max"),
            seconds=("seconds", "max"),
            length=("length", "first"),
        )
        .sort_values(["rater", "rated_at"], kind="stable", ignore_index=True)
    )
    by_rater = table.groupby("rater", sort=False)
    table["timed"] = by_rater["rated_at"].transform("nunique") * 2 > by_rater["rated_at"].transform("size")
    gap = by_rater["rated_at"].diff().dt.total_seconds()
    starts_sitting = gap.isna() | (gap > BREAK)
    measured = table["seconds"].notna()
    table["source"] = np.where(measured, "measured", np.where(table["timed"], "between ratings", "none"))
    table["seconds"] = table["seconds"].where(measured, gap.where(~starts_sitting & table["timed"]))
    table["place"] = by_rater.cumcount().where(table["timed"]).astype(float)
    table["sitting"] = starts_sitting.groupby(table["rater"]).cumsum().where(table["timed"]).astype(float)
    in_sitting = table.groupby(
        ["rater", starts_sitting.groupby(table["rater"]).cumsum()], sort=False
    ).cumcount()
    table["place_in_sitting"] = in_sitting.where(table["timed"]).astype(float)
    # The median of the raters' medians, so that a rater with many screens does not count more.
    usual = float(table.groupby("rater")["seconds"].median().median()) if len(table) else np.nan
    table["usual"] = usual
    reading = table["length"].fillna(0.0) / READABLE
    table["limit"] = reading.clip(lower=0.0 if np.isnan(usual) else HURRIED * usual)
    return table


def rater_pace(screens: pd.DataFrame | Mapping[str, npt.NDArray[Any]]) -> Pace:
    """Return the pace of one rater from their rows of `screen_table`, as a frame or as its columns."""
    all_seconds, limit, place, sitting = (
        np.asarray(screens[column], dtype=float) for column in ("seconds", "limit", "place", "sitting")
    )
    has_time = np.isfinite(all_seconds)
    seconds, timed = all_seconds[has_time], bool(np.asarray(screens["timed"], dtype=bool).any())
    reason = TOO_SHORT if timed else NO_TIMES
    source: TimeSource = "none"
    if len(seconds):
        by_page = (np.asarray(screens["source"])[has_time] == "measured").mean() >= 0.5
        source = "measured" if by_page else "between ratings"
    return Pace(
        median=median(seconds, nothing=reason),
        fast=share(int((seconds < limit[has_time]).sum()), len(seconds), nothing=reason),
        usual=float(np.asarray(screens["usual"])[0]) if len(seconds) else None,
        source=source,
        sittings=len(np.unique(sitting)) if timed else None,
        drift=_pace_drift(place[has_time], seconds, timed=timed),
    )


def _pace_drift(place: Floats, seconds: Floats, *, timed: bool) -> Estimate:
    """Return the slope of log seconds on the position, as the change over all of the rater's work."""
    if not timed:
        return undefined(NO_TIMES)
    return change_over(
        trend(place, np.log(np.maximum(seconds, 0.1))), float(place.max(initial=0.0)), of_logs=True
    )


def change_over(slope: Estimate, length: float, *, of_logs: bool = False) -> Estimate:
    """Return a slope as the change over `length` positions; for logarithms, as a share of the first value."""
    if slope.value is None:
        return slope
    change = np.expm1 if of_logs else np.asarray
    # Extreme rates, which double every few screens, are cut off at e^10.
    most = 10.0 if of_logs else np.inf
    ends = slope.ci and (min(slope.ci[0] * length, most), min(slope.ci[1] * length, most))
    ci = None if ends is None else (float(change(ends[0])), float(change(ends[1])))
    return replace(slope, value=float(change(min(slope.value * length, most))), ci=ci)
