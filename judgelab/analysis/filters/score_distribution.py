"""How often each score was given, in two sets of ratings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from judgelab.scales import Scale

BINS = 10  # of a continuous scale


@dataclass(frozen=True)
class ScoreDistribution:
    """How often each score was given, in per cent of the ratings, in two sets: before and after a filter."""

    scores: tuple[str, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]


def score_distribution(before: pd.Series[float], after: pd.Series[float], scale: Scale) -> ScoreDistribution:
    """Return how often each point was given in both sets, or each tenth of a scale without points.

    Points are called by their numbers, those of a scale without an order by their labels.
    """
    values = [point.value for point in scale.points()]
    if scale.several:  # of up to 512 sets of labels, those that were given
        values = [value for value in values if (before == value).any()]
    if values and before.isin(values).all():
        names = [scale.label_of(value) or f"{value:g}" for value in values]
        return ScoreDistribution(
            tuple(names), *(_shares((scores == v).sum() for v in values) for scores in (before, after))
        )
    width = (scale.high - scale.low) / BINS
    edges = [scale.low + step * width for step in range(BINS + 1)]
    names = [f"{low:g}–{high:g}" for low, high in zip(edges, edges[1:], strict=False)]
    binned = (pd.cut(scores, edges, include_lowest=True, labels=names) for scores in (before, after))
    return ScoreDistribution(
        tuple(names), *(_shares((bins == name).sum() for name in names) for bins in binned)
    )


def _shares(counts: Iterable[int]) -> tuple[float, ...]:
    numbers = list(counts)
    return tuple(100 * count / max(1, sum(numbers)) for count in numbers)
