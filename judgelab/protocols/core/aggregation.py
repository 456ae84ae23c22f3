"""Combine a judge's replies about one unit into one reading."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from judgelab.domain import Reading
from judgelab.errors import NotFound
from judgelab.scales import PASSED, Scale, unordered
from judgelab.scales.categorical import majority_set
from judgelab.wording import joined, mark, sentence


@dataclass(frozen=True)
class Aggregate(Reading):
    """A reading combined from several: `used` replies had a score, `dropped` ones did not."""

    used: int = 0
    dropped: int = 0


def aggregate(
    readings: Sequence[Reading],
    how: str = "mean",
    *,
    labels: Collection[str] = (),
    sets: Collection[str] = (),
) -> Aggregate:
    """Return one reading for all samples of a unit: the mean, median or majority of each criterion.

    Criteria in `labels` have labels without an order, for which only a majority means something. Those in
    `sets` have sets of labels, and the majority decides each label.

    Replies without a score are left out and counted. If none is left, or the majority is tied, there is a
    reason and no score; the reason is `PASSED` if a reply says that it cannot judge.
    """
    if how not in AGGREGATIONS:
        raise NotFound(mark("aggregation"), how, AGGREGATIONS)
    valid = [reading for reading in readings if reading.scored]
    dropped = len(readings) - len(valid)
    if not valid:
        return Aggregate(reason=_no_score_reason(readings), dropped=dropped)
    by_criterion = _by_criterion(valid)
    scores = {
        key: majority_set(values)
        if key in sets
        else AGGREGATIONS["majority" if key in labels else how](values)
        for key, values in by_criterion.items()
    }
    decided = {key: value for key, value in scores.items() if value is not None}
    if len(decided) < len(scores):
        tied = next(key for key in scores if key not in decided)
        reason = sentence(
            "no majority among {replies} replies for {criterion}",
            replies=len(by_criterion[tied]),
            criterion=tied,
        )
        return Aggregate(reason=reason, used=len(valid), dropped=dropped)
    return Aggregate(
        scores=decided,
        rationale=_closest_reading(valid, decided).rationale,
        confidence=_mean_confidence(valid),
        used=len(valid),
        dropped=dropped,
    )


def label_kinds(scales: Mapping[str, Scale]) -> dict[str, Collection[str]]:
    """Return which criteria have labels without an order, and which have sets of them, for `aggregate`."""
    return {"labels": unordered(scales), "sets": [key for key, scale in scales.items() if scale.several]}


def _majority(values: Sequence[float]) -> float | None:
    """Return the most frequent value, or None if two values are equally frequent."""
    counts = Counter(values).most_common(2)
    tied = len(counts) == 2 and counts[0][1] == counts[1][1]
    return None if tied else counts[0][0]


AGGREGATIONS: Mapping[str, Callable[[Sequence[float]], float | None]] = {
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


def _closest_reading(readings: Sequence[Reading], scores: Mapping[str, float]) -> Reading:
    """Return the reading closest to the aggregate, whose rationale is kept."""
    return min(
        readings, key=lambda reading: sum(abs(scores[key] - score) for key, score in reading.scores.items())
    )


def _mean_confidence(readings: Sequence[Reading]) -> float | None:
    given = [reading.confidence for reading in readings if reading.confidence is not None]
    return statistics.fmean(given) if len(given) == len(readings) else None


def _no_score_reason(readings: Sequence[Reading]) -> str:
    if not readings:
        return sentence("there is no reply")
    reasons = Counter(reading.reason or sentence("no score") for reading in readings)
    if PASSED in reasons:  # the others could not be read
        return PASSED
    if len(readings) == 1:
        return next(iter(reasons))
    parts = [sentence("{reason} ({count})", reason=reason, count=n) for reason, n in reasons.most_common(3)]
    return sentence(
        "none of the {replies} replies contains a score: {reasons}",
        replies=len(readings),
        reasons=joined(parts, "; "),
    )
