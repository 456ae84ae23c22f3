"""The contract of an output grammar: how a score is asked for, read and written."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from judgelab.protocols.reading.numbers import Stated
from judgelab.scales import Scale

REASON_FIRST = "First give your reasons in a few sentences. Then"
NOTHING_ELSE = "Write nothing before or after it."


class Grammar(ABC):
    """One way of stating a score."""

    name: str

    @abstractmethod
    def ask(self, scale: Scale, *, explain: bool) -> str:
        """Return the output instruction of the prompt."""

    @abstractmethod
    def read(self, text: str, scale: Scale, *, explain: bool, about: str = "") -> Stated:
        """Return the score that `text` states, or the reason for none; `about` are the criterion's names."""

    def signs(self, scale: Scale, *, explain: bool) -> Sequence[Sequence[str]]:
        """Return what a prompt must ask for to be read: words, of each group one must stand in it.

        Unless a grammar says otherwise, a number.
        """
        return (("number", "score", "digit", "integer", "rating", "point", f"{scale.high:g}"),)

    def write(self, score: float, scale: Scale) -> str:
        """Return `score` as a judge would state it; a mean of ratings becomes the nearest point."""
        return f"{nearest_point(score, scale):g}"

    def refusal(self, scale: Scale) -> str | None:
        """Return why the scale cannot be stated in this grammar, or None."""
        return None

    def schema(self, scale: Scale, *, explain: bool) -> dict[str, Any] | None:
        """Return the JSON schema of a reply; None for a grammar that is not JSON."""
        return None

    def labels(self, scale: Scale) -> dict[str, float]:
        """Return what a judge may write for a score, and the score; empty where the range has no points."""
        return {f"{point.value:g}": point.value for point in scale.points()}


def wanted(scale: Scale) -> str:
    """Return what a score is, in words: "one whole number from 0 to 3"."""
    points = scale.points()
    if len(points) == 2:
        return f"{points[0].value:g} or {points[1].value:g}"
    return f"one {'whole ' if points else ''}number from {scale.low:g} to {scale.high:g}"


def nearest_point(score: float, scale: Scale) -> float:
    """Return the point nearest to a mean of ratings, the upper one of two; on a range the mean itself."""
    values = [point.value for point in scale.points()]
    return min(values, key=lambda value: (abs(value - score), -value)) if values else score
