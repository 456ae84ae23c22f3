"""The report of each rater: pace, agreement, offset, straight-lining, checks, repeats, drift.

Nothing here removes anybody: the report describes, `rater_flags` says what is worth a look, people decide.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from judgelab.annotation.filters.intervals import RESAMPLES
from judgelab.annotation.filters.policy import DEFAULT_POLICY, FilterPolicy
from judgelab.annotation.raters.criterion_report import (
    CriterionReport,
    FirstScores,
    criterion_reports,
    first_scores,
)
from judgelab.annotation.raters.pace import (
    NO_ORDER,
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

NO_CHECKS = sentence("none rated yet")
SCREEN_COLUMNS = (
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
    criterion: str | None = None  # None for all criteria together


@dataclass(frozen=True)
class RaterReport:
    """One rater over all criteria.

    Args:
        rater: the name.
        person: the person's row id.
        screens: how many they rated, without repeats.
        pace: how fast they work.
        score_drift: change of their score minus the others' mean from the first screen to the last one, as a
            share of the scale.
        sitting_drift: the same from the beginning of a sitting to its usual end.
        gold: share of gold scores within their tolerance.
        attention: share of attention checks passed.
        criteria: the report under each criterion, in the project's order.
        alike: other raters who may be the same person.
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
    policy: FilterPolicy = DEFAULT_POLICY,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> list[RaterReport]:
    """Return the report of every rater, by name.

    Args:
        work: every score in the order given (`store.frames.rater_work.work_frame`).
        scales: scale by criterion, in the project's order.
        checks: the raters' scores of units with known scores (`analysis.raters.check_table`).
        panel: by criterion, the raters who count as "the others"; everybody for criteria not in it.
        policy: the filter, which says how agreement is computed.
        resamples: how many times items are resampled for the intervals.
        seed: of the resamples.
    """
    work = without_import_times(work)
    data = work[work["purpose"] == "data"]
    names = sorted(map(str, work["rater"].unique()))
    numbers = {name: number for number, name in enumerate(names)}
    rows = {key: data[data["criterion"] == key] for key in scales}
    first_by_criterion = {
        key: first_scores(criterion_rows, numbers, ordered=scales[key].ordered)
        for key, criterion_rows in rows.items()
        if len(criterion_rows)
    }
    panels = {key: _panel_members(names, panel and panel.get(key)) for key in first_by_criterion}
    reports_by_criterion = {
        key: criterion_reports(
            rows[key],
            first,
            names,
            criterion=key,
            scale=scales[key],
            panel=panels[key],
            policy=policy,
            resamples=resamples,
            seed=seed,
        )  # fmt: skip
        for key, first in first_by_criterion.items()
    }
    screens = screen_table(data)
    units = data.drop_duplicates("unit")
    screen = dict(zip(units["unit"], units["screen"], strict=True))
    with_order = {key: first for key, first in first_by_criterion.items() if scales[key].ordered}
    screens["apart"] = _distance_to_others(with_order, panels, scales, names, screens, screen)
    by_rater = _columns_by_rater(screens, names)
    alike = _similar_raters(first_by_criterion, data, names)
    raters = work.drop_duplicates("rater")
    people = dict(zip(raters["rater"], raters["person"], strict=True))
    checks_passed = None if checks is None else _by_purpose(checks)
    reports = []
    for name, columns in zip(names, by_rater, strict=True):
        first_time = columns["occasion"] == 0
        drift = _drifts({column: values[first_time] for column, values in columns.items()})
        reports.append(
            RaterReport(
                rater=name,
                person=int(people[name]),
                screens=int(first_time.sum()),
                pace=rater_pace(columns),
                score_drift=drift.overall,
                sitting_drift=drift.sitting,
                gold=_share_passed(checks_passed, name, "gold"),
                attention=_share_passed(checks_passed, name, "attention"),
                criteria={key: of_all[numbers[name]] for key, of_all in reports_by_criterion.items()},
                alike=tuple(alike.get(name, ())),
            )
        )
    return reports


def _columns_by_rater(screens: pd.DataFrame, names: Sequence[str]) -> list[_Columns]:
    """Return each rater's screens as columns, since making a frame for each would take too long."""
    rater = pd.Categorical(screens["rater"], categories=list(names)).codes
    order = np.argsort(rater, kind="stable")
    boundaries = np.searchsorted(rater[order], np.arange(len(names) + 1))
    columns = {name: screens[name].to_numpy()[order] for name in SCREEN_COLUMNS}
    return [
        {name: values[first:last] for name, values in columns.items()}
        for first, last in zip(boundaries, boundaries[1:], strict=False)
    ]


def _by_purpose(checks: pd.DataFrame) -> dict[tuple[str, str], tuple[int, int]]:
    """Return the number of checks passed and of all checks, by rater's name and purpose."""
    counts = checks.groupby(["rater", "purpose"])["passed"].agg(["sum", "size"])
    return {
        (str(name), str(purpose)): (int(n), int(total)) for (name, purpose), n, total in counts.itertuples()
    }


def _share_passed(
    passed: Mapping[tuple[str, str], tuple[int, int]] | None, name: str, purpose: str
) -> Estimate:
    if passed is None:
        return undefined(NO_CHECKS)
    return share(*passed.get((name, purpose), (0, 0)), nothing=NO_CHECKS)


def _panel_members(names: Sequence[str], panel: Collection[str] | None) -> Bools:
    """Return which raters are on the panel; everybody if it names fewer than two of them."""
    members = np.array([panel is None or name in panel for name in names], dtype=bool)
    return members if members.sum() > 1 else np.ones(len(names), dtype=bool)


def _distance_to_others(
    first_by_criterion: Mapping[str, FirstScores],
    panels: Mapping[str, Bools],
    scales: Mapping[str, Scale],
    names: Sequence[str],
    screens: pd.DataFrame,
    screen_of_unit: Mapping[str, str],
) -> Floats:
    """Return for each screen the mean of the rater's score minus the others' mean, as a share of the scale.

    Missing if nobody else rated the units. `screen_of_unit` has the screen of each unit.
    """
    screen_codes = {name: code for code, name in enumerate(dict.fromkeys(screens["screen"]))}
    screen_keys, distances = [np.empty(0, dtype=np.int64)], [np.empty(0)]
    for key, first in first_by_criterion.items():
        rows = RatingsVsOthers.beside(first.rated, panels[key], units=first.units)
        of_unit = np.array([screen_codes[screen_of_unit[unit]] for unit in first.unit_names], dtype=np.int64)
        screen_keys.append(rows.rater * len(screen_codes) + of_unit[rows.unit])
        distances.append((rows.own - rows.others) / (scales[key].high - scales[key].low))
    compared_keys, key_index = np.unique(np.concatenate(screen_keys), return_inverse=True)
    mean = np.append(np.bincount(key_index, np.concatenate(distances)) / np.bincount(key_index), np.nan)
    rater = pd.Categorical(screens["rater"], categories=list(names)).codes.astype(np.int64)
    codes = rater * len(screen_codes) + screens["screen"].map(screen_codes).to_numpy(dtype=np.int64)
    positions = np.searchsorted(compared_keys, codes)
    is_compared = np.append(compared_keys, -1)[positions] == codes
    return np.asarray(mean[np.where(is_compared, positions, -1)])


class _Drifts(NamedTuple):
    overall: Estimate
    sitting: Estimate


def _drifts(columns: _Columns) -> _Drifts:
    """Return the change of the distance to the others over all screens, and within a sitting."""
    if not columns["timed"].any():
        return _Drifts(undefined(NO_ORDER), undefined(NO_ORDER))
    value, place, inside, sitting = (
        columns[column].astype(float) for column in ("apart", "place", "place_in_sitting", "sitting")
    )
    order = np.lexsort((inside, sitting))
    last = np.append(np.diff(sitting[order]) != 0, True)
    usual = np.median(inside[order][last])
    return _Drifts(
        change_over(trend(place, value), float(place.max())),
        change_over(trend(inside, value), float(usual)),
    )


def _similar_raters(
    first_by_criterion: Mapping[str, FirstScores], data: pd.DataFrame, names: Sequence[str]
) -> dict[str, list[SimilarRater]]:
    """Return for each rater the others who may be the same person, over all criteria or under one.

    A pair that is alike over all criteria is not listed again for each of them.
    """
    units, parts = 0, []
    for first in first_by_criterion.values():
        parts.append(Rated(first.rated.unit + units, first.rated.rater, first.rated.score))
        units += first.units
    if not parts:
        return {}
    rated = Rated(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    numbers = {name: number for number, name in enumerate(names)}
    commented = data[data["comment"] != ""]
    comments = zip(commented["rater"].map(numbers), commented["comment"], strict=True)
    candidates: list[tuple[str | None, DuplicateCandidate]] = [
        (None, duplicate_rater)
        for duplicate_rater in duplicate_raters(rated, units=units, raters=len(names), comments=comments)
    ]
    over_all = {
        (candidate.first, candidate.second) for _, candidate in candidates if candidate.equal is not None
    }
    for key, first in first_by_criterion.items() if len(first_by_criterion) > 1 else ():
        under_criterion = duplicate_raters(first.rated, units=first.units, raters=len(names))
        candidates += [
            (key, candidate)
            for candidate in under_criterion
            if (candidate.first, candidate.second) not in over_all
        ]
    by_name: dict[str, list[SimilarRater]] = {}
    for criterion, pair in candidates:
        for rater, other in ((pair.first, pair.second), (pair.second, pair.first)):
            similar = SimilarRater(
                names[other], pair.shared, pair.equal, pair.usual, pair.comments, criterion
            )
            by_name.setdefault(names[rater], []).append(similar)
    return by_name
