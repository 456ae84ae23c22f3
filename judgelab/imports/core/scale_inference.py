"""Infer the scale of a new criterion from its scores."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from judgelab.domain import Criterion
from judgelab.imports.core.codes import MissingCode, likely_codes
from judgelab.scales import CANNOT_JUDGE, scale_from_json
from judgelab.wording import sentence

DEFAULT_KEY = "score"
MAX_VALUES = 500  # different scores that are counted; a scale of points has fewer
# The first range that contains all scores is used. The ends need not occur: 4 and 5 are usually from 1 to 5.
POINTS = ((1, 5), (0, 3), (0, 4), (0, 5), (1, 7), (1, 10), (0, 10), (-1, 1), (-2, 2), (-3, 3), (-5, 5))
RANGES = ((0, 1), (1, 5), (0, 3), (0, 5), (1, 7), (1, 10), (0, 10), (0, 100), (-1, 1), (-5, 5), (-100, 100))


def key_of(name: str) -> str:
    """Return a criterion's key for a name: "Overall quality" is "overall_quality"."""
    return re.sub(r"[^\w]+", "_", name.strip().lower()).strip("_") or DEFAULT_KEY


class ScoreRange(NamedTuple):
    """The lowest and the highest score, and whether all are whole numbers."""

    low: float
    high: float
    integers_only: bool


@dataclass
class ScoreSurvey:
    """The scores found for one criterion.

    If there are human scores, they decide whether points are whole, because a judge's may be means.
    `passing` is whether a person said that they cannot judge.
    """

    name: str
    counts: dict[str, Counter[float]] = field(default_factory=dict)
    ends: dict[str, ScoreRange] = field(default_factory=dict)
    compared: bool = False
    passing: bool = False

    def add(self, kind: str, score: float) -> None:
        """Count one score."""
        counts = self.counts.setdefault(kind, Counter())
        if score in counts or len(counts) < MAX_VALUES:
            counts[score] += 1
        low, high, whole = self.ends.get(kind, ScoreRange(score, score, True))
        self.ends[kind] = ScoreRange(min(low, score), max(high, score), whole and score.is_integer())

    @property
    def codes(self) -> tuple[MissingCode, ...]:
        """Return the numbers that look like codes for missing scores."""
        return likely_codes(sum(self.counts.values(), Counter()))

    @property
    def observed_range(self) -> ScoreRange | None:
        """Return the range of the scores without such codes; None if there are no scores."""
        if not self.ends:
            return None
        low = min(seen.low for seen in self.ends.values())
        high = max(seen.high for seen in self.ends.values())
        if codes := self.codes:
            low, high = codes[0].low, codes[0].high
        human = self.ends.get("human")
        whole = human.integers_only if human else all(seen.integers_only for seen in self.ends.values())
        return ScoreRange(low, high, whole)

    def criterion(self, position: int) -> Criterion:
        """Return the criterion with the common scale that fits the scores."""
        scale = (
            scale_for(self.observed_range)
            if self.observed_range
            else {"kind": "ordinal", "low": 1, "high": 5}
        )
        scale = {**scale, CANNOT_JUDGE: True} if self.passing else scale
        return Criterion(key_of(self.name), self.name or "Score", scale, position=position)


def scale_for(seen: ScoreRange) -> dict[str, Any]:
    """Return the common scale that contains the scores or, if none does, one from the lowest to the highest.

    >>> scale_for(ScoreRange(4.0, 5.0, True)), scale_for(ScoreRange(3.5, 5, False))
    ({'kind': 'ordinal', 'low': 1, 'high': 5}, {'kind': 'numeric', 'low': 1.0, 'high': 5.0})
    """
    if seen.integers_only and seen.low >= 0 and seen.high <= 1:
        return {"kind": "binary", "no": "No", "yes": "Yes"}
    whole = seen.integers_only and seen.low.is_integer() and seen.high.is_integer()
    for low, high in POINTS if whole else ():
        if low <= seen.low and seen.high <= high:
            return {"kind": "ordinal", "low": low, "high": high}
    for low, high in RANGES:
        if low <= seen.low and seen.high <= high:
            return {"kind": "numeric", "low": float(low), "high": float(high)}
    return {"kind": "numeric", "low": seen.low, "high": max(seen.high, seen.low + 1)}


def new_criterion_sentence(criterion: Criterion, seen: ScoreRange | None) -> str:
    """Return the notice about a new criterion, with scores or only comparisons."""
    shown = scale_from_json(criterion.scale).describe()
    if seen is not None and criterion.scale["kind"] == "binary":
        return sentence(
            "criterion '{criterion}' is new: its scale ({scale}) was inferred from the file; if it is wrong, "
            "give the scale with --scale {criterion}=LOW:HIGH",
            criterion=criterion.key,
            scale=shown,
        )
    if seen is None:
        return sentence(
            "criterion '{criterion}' is new: responses are compared on it (scale for single ratings: "
            "{scale})",
            criterion=criterion.key,
            scale=shown,
        )
    return sentence(
        "criterion '{criterion}' is new: its scale ({scale}) was inferred from the scores in the file "
        "({low} to {high}); if it is wrong, give the scale with --scale {criterion}=LOW:HIGH; a stored "
        "scale can be widened but not narrowed",
        criterion=criterion.key,
        scale=shown,
        low=f"{seen.low:g}",
        high=f"{seen.high:g}",
    )
