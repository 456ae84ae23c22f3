"""The contract of an output grammar: how to ask for a score, read it and write it."""

from __future__ import annotations

import re
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from judgelab.protocols.reading.numbers import StatedScore
from judgelab.scales import Scale

FIRST = "1"  # the first version of the output instructions
_TEMPLATES = Path(__file__).parents[1] / "templates"
_FIELD = re.compile(r"\{([a-z]+)\}")


class Grammar(ABC):
    """One form in which a score is stated."""

    name: str

    def ask(self, scale: Scale, *, explain: bool, version: str = FIRST) -> str:
        """Return the output instruction of the prompt in the wording of a version."""
        text: str = _instructions(version)[self.name]["explained" if explain else "plain"]
        fields = self.fields(scale)
        return _FIELD.sub(lambda match: fields.get(match[1], match[0]), text)

    def fields(self, scale: Scale) -> Mapping[str, str]:
        """Return what stands in the output instruction for the names in braces."""
        return {"score": score_description(scale), "high": f"{scale.high:g}"}

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


@lru_cache(maxsize=4)
def _instructions(version: str) -> Mapping[str, Any]:
    return tomllib.loads((_TEMPLATES / f"grammars.v{version}.toml").read_text(encoding="utf-8"))


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
