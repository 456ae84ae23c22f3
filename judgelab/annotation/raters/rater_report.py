"""Everything that is known of each rater: pace, agreement, bias, runs, checks, repeats, drift.

Nothing here removes anybody: the report describes, `rater_flags` names what is worth a look, people decide.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from judgelab.annotation.filters.policy import DEFAULT_POLICY, FilterPolicy
from judgelab.annotation.raters.criterion_report import (
    CriterionReport,
    FirstScores,
    criterion_reports,
    first_scores,
)
from judgelab.annotation.raters.pace import (
    NO_TIMES,
    Pace,
    change_over,
    rater_pace,
    screen_table,
    without_import_times,
)
from judgelab.metaeval.coefficients.raters import RatingsVsOthers
from judgelab.metaeval.core.arrays import Bools, Floats
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.shares import share
from judgelab.metaeval.core.units import Rated
from judgelab.metaeval.raters.duplicate_raters import DuplicateCandidate, duplicate_raters
from judgelab.metaeval.raters.sequences import trend
from judgelab.scales import Scale
from judgelab.wording import sentence

RESAMPLES = 400
NO_CHECKS = sentence("none was given")
OF_SCREENS = (
    *("occasion", "seconds", "source", "timed", "limit", "usual"),
    *("place", "sitting", "place_in_sitting", "apart"),
)
_Columns = dict[str, npt.NDArray[Any]]


class SimilarRater(NamedTuple):
    """Another rater who may be the same person; see `metaeval.raters.duplicate_raters.DuplicateCandidate`."""

    other: str
    shared: int
    equal: float | None
    usual: float | None
    comments: int
    criterion: str | None = None  # under which alone; None for all together


@dataclass(frozen=True)
class RaterReport:
    """One rater over all criteria.

    Args:
        rater: the name.
        person: the person's row id.
        screens: how many they rated, repeats left out.
        pace: how fast.
        score_drift: change of own score minus the others' mean from the first screen to the last one, as a
            share of the scale.
        sitting_drift: the same from the beginning of a sitting to its usual end.
        gold: share of gold scores within their tolerance.
        attention: share of attention checks passed.
        criteria: the report under each criterion, in the project's order.
        alike: other raters who look like this one.
    """

    rater: str
    person: int
    screens: int
    pace: Pace
    score_drift: Estimate
    sitting_drift: Estimate
    gold: Estimate
    attention: Estimate
    criteria: Mapping[str, CriterionReport]
    alike: tuple[SimilarRater, ...] = ()


def rater_reports(
    work: pd.DataFrame,
    *,
    scales: Mapping[str, Scale],
    checks: pd.DataFrame | None = None,
    panel: Mapping[str, Collection[str]] | None = None,
    rule: FilterPolicy = DEFAULT_POLICY,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[RaterReport]:
    """Return the report of every rater, by name.

    Args:
        work: every score in the order given (`store.frames.rater_work.work_frame`).
        scales: scale by criterion, in the project's order.
        checks: what raters said where the score is known (`analysis.raters.check_table`).
        panel: by criterion, the raters who count as "the others"; everybody unless said otherwise.
        rule: the quality rule, which says how agreement is taken.
        resamples: how many times items are drawn for the intervals.
        seed: of the draws.
    """
    work = without_import_times(work)
    data = work[work["purpose"] == "data"]
    names = sorted(map(str, work["rater"].unique()))
    number = {name: place for place, name in enumerate(names)}
    rows = {key: data[data["criterion"] == key] for key in scales}
    views = {key: first_scores(found, number) for key, found in rows.items() if len(found)}
    panels = {key: _panel_members(names, panel and panel.get(key)) for key in views}
    under = {
        key: criterion_reports(
            rows[key],
            view,
            names,
            scale=scales[key],
            panel=panels[key],
            rule=rule,
            resamples=resamples,
            seed=seed,
        )  # fmt: skip
        for key, view in views.items()
    }
    shown = screen_table(data)
    units = data.drop_duplicates("unit")
    screen = dict(zip(units["unit"], units["screen"], strict=True))
    shown["apart"] = _distance_to_others(views, panels, scales, names, shown, screen)
    of_rater = _columns_by_rater(shown, names)
    alike = _similar_raters(views, data, names)
    raters = work.drop_duplicates("rater")
    people = dict(zip(raters["rater"], raters["person"], strict=True))
    passed = None if checks is None else _by_purpose(checks)
    reports = []
    for name, own in zip(names, of_rater, strict=True):
        once = own["occasion"] == 0
        drift = _drifts({column: values[once] for column, values in own.items()})
        reports.append(
            RaterReport(
                rater=name,
                person=int(people[name]),
                screens=int(once.sum()),
                pace=rater_pace(own),
                score_drift=drift.whole,
                sitting_drift=drift.sitting,
                gold=_share_passed(passed, name, "gold"),
                attention=_share_passed(passed, name, "attention"),
                criteria={key: found[number[name]] for key, found in under.items()},
                alike=tuple(alike.get(name, ())),
            )
        )
    return reports


def _columns_by_rater(shown: pd.DataFrame, names: Sequence[str]) -> list[_Columns]:
    """Return each rater's screens column by column: a frame for each would take longer than the figures."""
    rater = pd.Categorical(shown["rater"], categories=list(names)).codes
    order = np.argsort(rater, kind="stable")
    ends = np.searchsorted(rater[order], np.arange(len(names) + 1))
    columns = {name: shown[name].to_numpy()[order] for name in OF_SCREENS}
    return [
        {name: values[first:last] for name, values in columns.items()}
        for first, last in zip(ends, ends[1:], strict=False)
    ]


def _by_purpose(checks: pd.DataFrame) -> dict[tuple[str, str], tuple[int, int]]:
    """Return how many checks each rater passed of how many, by name and purpose."""
    found = checks.groupby(["rater", "purpose"])["passed"].agg(["sum", "size"])
    return {(str(name), str(purpose)): (int(n), int(of)) for (name, purpose), n, of in found.itertuples()}


def _share_passed(
    passed: Mapping[tuple[str, str], tuple[int, int]] | None, name: str, purpose: str
) -> Estimate:
    if passed is None:
        return undefined(NO_CHECKS)
    return share(*passed.get((name, purpose), (0, 0)), nothing=NO_CHECKS)


def _panel_members(names: Sequence[str], panel: Collection[str] | None) -> Bools:
    """Return who is on the panel: everybody where it names fewer than two of these raters."""
    on = np.array([panel is None or name in panel for name in names], dtype=bool)
    return on if on.sum() > 1 else np.ones(len(names), dtype=bool)


def _distance_to_others(
    views: Mapping[str, FirstScores],
    panels: Mapping[str, Bools],
    scales: Mapping[str, Scale],
    names: Sequence[str],
    shown: pd.DataFrame,
    screen: Mapping[str, str],
) -> Floats:
    """Return by screen the mean of own score minus the others' mean, as a share of the scale.

    Missing where nobody else rated what was shown. `screen` is that of each unit.
    """
    code = {name: place for place, name in enumerate(dict.fromkeys(shown["screen"]))}
    places, aparts = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for key, view in views.items():
        rows = RatingsVsOthers.beside(view.rated, panels[key], units=view.units)
        of_unit = np.array([code[screen[unit]] for unit in view.unit_names], dtype=np.int64)
        places.append(rows.rater * len(code) + of_unit[rows.unit])
        aparts.append((rows.own - rows.others) / (scales[key].high - scales[key].low))
    compared, place = np.unique(np.concatenate(places), return_inverse=True)
    mean = np.append(np.bincount(place, np.concatenate(aparts)) / np.bincount(place), np.nan)
    rater = pd.Categorical(shown["rater"], categories=list(names)).codes.astype(np.int64)
    own = rater * len(code) + shown["screen"].map(code).to_numpy(dtype=np.int64)
    found = np.searchsorted(compared, own)
    known = np.append(compared, -1)[found] == own
    return np.asarray(mean[np.where(known, found, -1)])


class _Drifts(NamedTuple):
    whole: Estimate
    sitting: Estimate


def _drifts(own: _Columns) -> _Drifts:
    """Return how the distance to the others changes over all screens, and within a sitting."""
    if not own["timed"].any():
        return _Drifts(undefined(NO_TIMES), undefined(NO_TIMES))
    value, place, inside, sitting = (
        own[column].astype(float) for column in ("apart", "place", "place_in_sitting", "sitting")
    )
    order = np.lexsort((inside, sitting))
    last = np.append(np.diff(sitting[order]) != 0, True)
    usual = np.median(inside[order][last])
    return _Drifts(
        change_over(trend(place, value), float(place.max())),
        change_over(trend(inside, value), float(usual)),
    )


def _similar_raters(
    views: Mapping[str, FirstScores], data: pd.DataFrame, names: Sequence[str]
) -> dict[str, list[SimilarRater]]:
    """Return for each rater the others who look like the same person, over all criteria or under one.

    A pair that is alike over all is not named again for each criterion.
    """
    units, parts = 0, []
    for view in views.values():
        parts.append(Rated(view.rated.unit + units, view.rated.rater, view.rated.score))
        units += view.units
    if not parts:
        return {}
    rated = Rated(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    number = {name: place for place, name in enumerate(names)}
    said = data[data["comment"] != ""]
    comments = zip(said["rater"].map(number), said["comment"], strict=True)
    alike: list[tuple[str | None, DuplicateCandidate]] = [
        (None, duplicate_rater)
        for duplicate_rater in duplicate_raters(rated, units=units, raters=len(names), comments=comments)
    ]
    over_all = {(one.first, one.second) for _, one in alike if one.equal is not None}
    for key, view in views.items() if len(views) > 1 else ():
        under = duplicate_raters(view.rated, units=view.units, raters=len(names))
        alike += [(key, one) for one in under if (one.first, one.second) not in over_all]
    found: dict[str, list[SimilarRater]] = {}
    for criterion, pair in alike:
        for one, other in ((pair.first, pair.second), (pair.second, pair.first)):
            like = SimilarRater(names[other], pair.shared, pair.equal, pair.usual, pair.comments, criterion)
            found.setdefault(names[one], []).append(like)
    return found
