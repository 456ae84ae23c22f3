"""Several replies of a judge about one unit become one reading."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from judgelab.domain import Reading
from judgelab.errors import NotFound
from judgelab.wording import joined, mark, sentence


@dataclass(frozen=True)
class Aggregate(Reading):
    """A reading made of several: `used` replies held a score, `dropped` ones did not."""

    used: int = 0
    dropped: int = 0


def aggregate(readings: Sequence[Reading], how: str = "mean") -> Aggregate:
    """Return one reading for all samples of a unit: the mean, median or majority of each criterion.

    Replies without a score are left out and counted; none left, or a tied majority, is a reason and no score.
    """
    if how not in WAYS:
        raise NotFound(mark("aggregation"), how, WAYS)
    valid = [reading for reading in readings if reading.scored]
    dropped = len(readings) - len(valid)
    if not valid:
        return Aggregate(reason=_none_valid(readings), dropped=dropped)
    by_criterion = _by_criterion(valid)
    scores = {key: WAYS[how](values) for key, values in by_criterion.items()}
    settled = {key: value for key, value in scores.items() if value is not None}
    if len(settled) < len(scores):
        tied = next(key for key in scores if key not in settled)
        reason = sentence(
            "no majority among {replies} replies for {criterion}",
            replies=len(by_criterion[tied]),
            criterion=tied,
        )
        return Aggregate(reason=reason, used=len(valid), dropped=dropped)
    return Aggregate(
        scores=settled,
        rationale=_nearest(valid, settled).rationale,
        confidence=_mean_confidence(valid),
        used=len(valid),
        dropped=dropped,
    )


def _majority(values: Sequence[float]) -> float | None:
    """Return the value given most often, or None when two are given equally often."""
    counts = Counter(values).most_common(2)
    tied = len(counts) == 2 and counts[0][1] == counts[1][1]
    return None if tied else counts[0][0]


WAYS: Mapping[str, Callable[[Sequence[float]], float | None]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "majority": _majority,
}


def _by_criterion(readings: Sequence[Reading]) -> dict[str, list[float]]:
    values: dict[str, list[float]] = {}
    for reading in readings:
        for key, score in reading.scores.items():
            values.setdefault(key, []).append(score)
    return values


def _nearest(readings: Sequence[Reading], scores: Mapping[str, float]) -> Reading:
    """Return the reply whose scores are nearest the aggregate: its rationale stands for all of them."""
    return min(readings, key=lambda one: sum(abs(scores[key] - score) for key, score in one.scores.items()))


def _mean_confidence(readings: Sequence[Reading]) -> float | None:
    given = [reading.confidence for reading in readings if reading.confidence is not None]
    return statistics.fmean(given) if len(given) == len(readings) else None


def _none_valid(readings: Sequence[Reading]) -> str:
    if not readings:
        return sentence("there is no reply")
    reasons = Counter(reading.reason or sentence("no score") for reading in readings)
    if len(readings) == 1:
        return next(iter(reasons))
    said = [sentence("{reason} ({count})", reason=reason, count=n) for reason, n in reasons.most_common(3)]
    return sentence(
        "none of {replies} replies holds a score: {reasons}",
        replies=len(readings),
        reasons=joined(said, "; "),
    )
