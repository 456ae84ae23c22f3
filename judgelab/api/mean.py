"""Means by people, by a judge and by both: people on a random part, the judge on all."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, overload

import numpy as np

from judgelab.analysis.comparison.measured_means import SystemMean, SystemMeans, measure_means
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.api.confidence import with_confidence
from judgelab.api.judges import judges_of
from judgelab.api.mean_result import MeanTable, estimates_of
from judgelab.api.scores import Scores, scores_of
from judgelab.api.tables import Row
from judgelab.api.vectors import labels_and_pool, vector
from judgelab.errors import InvalidInput, NotFound
from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.bounded_means import Ends
from judgelab.metaeval.core.confidence import percent
from judgelab.metaeval.judges.prediction_powered import powered_mean
from judgelab.wording import counted, mark

CALL = "jl.mean(labelled, judged, pool)"
CALLS = f'{CALL} or jl.mean(s, "gpt")'


@overload
def mean(
    labelled: Any, judged: Any, pool: Any, *, bounds: tuple[float, float] | None = None,
    lam: float | None = None, confidence: float = 0.95,
) -> MeanTable: ...  # fmt: skip
@overload
def mean(
    labelled: Any, judged: str, *, criterion: str | None = None, system: str | None = None,
    at_random: bool | None = None, filter: FilterPolicy | None = None, confidence: float = 0.95,
) -> MeanTable: ...  # fmt: skip
@with_confidence
def mean(
    labelled: Any,
    judged: Any,
    pool: Any = None,
    *,
    bounds: tuple[float, float] | None = None,
    lam: float | None = None,
    criterion: str | None = None,
    system: str | None = None,
    at_random: bool | None = None,
    filter: FilterPolicy | None = None,
    confidence: float = 0.95,
) -> MeanTable:
    """Return a mean of which people scored a part and a judge all: prediction-powered inference (PPI++).

    The judge's errors are measured on the labelled responses and taken off its mean. Valid only if these are
    a random sample of all; then the interval holds however wrong the judge is.

    Called with vectors, `jl.mean(labelled, judged, pool)`, it is one mean; with scores and the name of a
    judge, `jl.mean(s, "gpt")`, that of each system.

    Args:
        labelled: people's scores of the n labelled responses: a list, tuple, array or Series of numbers, or
            of yes and no. Two are needed. Or the scores, as `judgelab.scores` gives them.
        judged: the judge's scores of the same responses, in the same order. Or the judge's name.
        pool: with vectors, the judge's scores of the N other responses.
        bounds: with vectors, the lowest and highest score that people can give, such as (1, 5); intervals
            then stay within (Wilson's, adjusted for the spread). Without, they are normal, as in `ppi_py`.
            Scores have those of their scale.
        lam: with vectors, the judge's weight lambda from 0 (people alone) to 1; the one with the shortest
            interval if not given.
        criterion: of scores; may be omitted if there is one.
        system: of scores, this system only.
        at_random: of scores, whether the rated items are a random sample of all; `powered` is undefined
            unless it is True, or recorded in the app.
        filter: of scores, a quality filter, applied first.
        confidence: level of the intervals, 0.95 for 95 %.

    Returns:
        A table of `powered`, `human`, `judge`, `shift` and `gain`, each an `Estimate` with an interval
        where it has one; of scores also `all_ratings`, people's mean of responses that the judge did not
        score, too, and `differences` of systems. A missing score (None, NaN, "") is left out with its pair,
        and `notes` says so. With fewer than two labelled responses `powered` is undefined; with fewer than
        two others it is the people's mean. Of scores, several responses of a system to an item count as their
        mean, and n counts items.

    Raises:
        InvalidInput: the lengths differ, a score is no number or outside `bounds`, or there are several
            criteria.
        NotFound: no such judge, system or criterion.

    Source: Angelopoulos and others 2023 (Science 382) and 2024 (arXiv 2311.01453).

    Example:
        >>> import judgelab as jl
        >>> m = jl.mean([1, 0, 1, 1, 0, 1], [1, 0, 1, 0, 0, 1], [1, 0, 1, 1, 0, 1, 0, 1, 1, 1], bounds=(0, 1))
        >>> round(m.powered.value, 3), round(m.human.value, 3), round(m.judge.value, 3)
        (0.75, 0.667, 0.625)
    """
    of_scores = {"criterion": criterion, "system": system, "at_random": at_random, "filter": filter}
    of_vectors = {"pool": pool, "bounds": bounds, "lam": lam}
    by_scores = isinstance(labelled, Scores) or (pool is None and isinstance(judged, str))
    for name, value in (of_vectors if by_scores else of_scores).items():
        if value is not None:
            raise InvalidInput(f"{name} does not go with {'scores' if by_scores else 'vectors'}: {CALLS}.")
    if by_scores:
        return _of_scores(scores_of(labelled, filter), judged, criterion, system, at_random)
    if pool is None:
        raise InvalidInput(f"pool is missing; give the judge's scores of the other responses: {CALLS}.")
    human, judge, others, notes = labels_and_pool(labelled, judged, pool, CALL)
    ends = _ends(bounds, human)
    within = ends is not None and all(
        bool(((part >= ends[0]) & (part <= ends[1])).all()) for part in (judge, others)
    )
    found = powered_mean(
        human, judge, others, weight=_weight(lam), ends=ends, judge_ends=ends if within else None
    )
    n, size = len(human), len(others)
    alone = SystemMean("", found.human, n, n, size, n, size, found)
    return MeanTable(
        ("measure",),
        tuple(Row((name,), estimate) for name, estimate in estimates_of(found).items()),
        f"{counted('{n} labelled response', '{n} labelled responses', n)}, {size:,} scored by the judge only",
        (*notes, f"Valid if the labelled responses are a random sample of all; {percent()} intervals."),
        {"means": SystemMeans("", "judge", "", True, (alone,), (), None, None)},
    )


def _of_scores(
    given: Scores, judge: Any, criterion: str | None, system: str | None, at_random: bool | None
) -> MeanTable:
    if not isinstance(judge, str):
        raise InvalidInput(f"name the judge: {CALLS}.")
    judges_of(given, judge)
    found = measure_means(given._data, judge, criterion=criterion, at_random=at_random)
    if system is not None:
        known = sorted(row.system for row in found.systems if row.system)
        if system not in known:
            raise NotFound(mark("system"), str(system), known)
        found = replace(
            found,
            systems=tuple(row for row in found.systems if row.system == system),
            differences=tuple(one for one in found.differences if system in (one.first, one.second)),
        )
    rows = [
        Row((row.system, name), estimate)
        for row in found.systems
        for name, estimate in estimates_of(row.mean, row.people).items()
    ]
    what = "Win rates" if found.of_pairs else "Means"
    notes = [f"Powered means are valid if the rated items are a random sample of all; {percent()} intervals."]
    if found.at_random is None:
        notes.append("Say at_random=True if they are.")
    return MeanTable(
        ("system", "measure"),
        tuple(rows),
        f"{what} by people and {judge}: {found.criterion}",
        tuple(notes),
        {"means": found},
    )


def _ends(bounds: Any, human: Floats) -> Ends | None:
    if bounds is None:
        return None
    ends = vector(bounds, "bounds")
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise InvalidInput(f"bounds is {bounds}; write the lowest and the highest score, bounds=(1, 5).")
    low, high = float(ends[0]), float(ends[1])
    outside = human[(human < low) | (human > high)]
    if len(outside):
        raise InvalidInput(f"labelled holds {outside[0]:g}, which is outside bounds=({low:g}, {high:g}).")
    return low, high


def _weight(lam: float | None) -> float | None:
    if lam is None:
        return None
    if not isinstance(lam, (int, float, np.number)) or not 0 <= lam <= 1 or math.isnan(lam):
        raise InvalidInput(f"lam is {lam}, but must be from 0 (people alone) to 1.")
    return float(lam)
