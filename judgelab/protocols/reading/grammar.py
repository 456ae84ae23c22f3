"""The contract of an output grammar: how to ask for a score, read it and write it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from judgelab.protocols.reading.numbers import StatedScore
from judgelab.scales import Scale

REASON_FIRST = "First give your reasons in a few sentences. Then"
NOTHING_ELSE = "Write nothing before or after it."


class Grammar(ABC):
    """One form in which a score is stated."""

    name: str

    @abstractmethod
    def ask(self, scale: Scale, *, explain: bool) -> str:
        """Return the output instruction of the prompt."""

    @abstractmethod
    def read(self, text: str, scale: Scale, *, explain: bool, about: str = "") -> StatedScore:
        """Return the score stated in `text`, or why there is none; `about` has the criterion's names."""

    def signs(self, scale: Scale, *, explain: bool) -> Sequence[Sequence[str]]:
        """Return the words a prompt must contain for replies to be readable, at least one of each group.

        By default, words for a number.
        """
        return (("number", "score", "digit", "integer", "rating", "point", f"{scale.high:g}"),)

    def write(self, score: float, scale: Scale) -> str:
        """Return `score` as a judge would write it; a mean of ratings becomes the nearest point."""
        return f"{nearest_point(score, scale):g}"

    def refusal(self, scale: Scale) -> str | None:
        """Return why this grammar cannot be used with the scale, or None."""
        return None

    def schema(self, scale: Scale, *, explain: bool) -> dict[str, Any] | None:
        """Return the JSON schema of a reply; None if the grammar is not JSON."""
        return None

    def labels(self, scale: Scale) -> dict[str, float]:
        """Return the scores by what a judge may write for them; empty if the scale has no points."""
        return {f"{point.value:g}": point.value for point in scale.points()}


def score_description(scale: Scale) -> str:
    """Return a description of the allowed scores: "one whole number from 0 to 3"."""
    points = scale.points()
    if len(points) == 2:
        return f"{points[0].value:g} or {points[1].value:g}"
    return f"one {'whole ' if points else ''}number from {scale.low:g} to {scale.high:g}"


def nearest_point(score: float, scale: Scale) -> float:
    """Return the scale's point nearest to a mean of ratings, the upper one in a tie.

    On a scale without points, the mean itself is returned.
    """
    values = [point.value for point in scale.points()]
    return min(values, key=lambda value: (abs(value - score), -value)) if values else score
