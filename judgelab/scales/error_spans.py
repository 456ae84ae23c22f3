"""Errors marked in a text, each with a type and a severity; the score is minus their weights (MQM)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.scales.base import Point, Scale, Setting, scales
from judgelab.wording import mark, sentence

MOST_TYPES, MOST_SEVERITIES = 20, 6
SHORT = "mqm"
TYPES = ["Accuracy", "Omission", "Fluency", "Terminology", "Style", "Other"]
SEVERITIES = ["Minor=1", "Major=5", "Critical=25"]
MOST = 25.0


@scales.register("error_spans")
class ErrorSpans(Scale):
    """Multidimensional Quality Metrics: raters mark errors, and the score is minus the sum of their weights.

    0 is a text without errors. The sum is cut at `most`, as in the WMT metrics tasks (Freitag et al. 2021),
    so that one very bad text does not decide a system's mean. Judges give the score itself.

    Args:
        types: 1 to 20 different types of errors.
        severities: 1 to 6 severities with their weights, mildest first, written as "Minor=1".
        most: the largest sum of weights that counts.
    """

    kind = mark("error_spans")
    title = mark("marked errors (MQM)")
    settings = (
        Setting("types", mark("Error types, separated by commas"), TYPES),
        Setting("severities", mark("Severities with weights, separated by commas"), SEVERITIES),
        Setting("most", mark("Largest sum of weights"), MOST),
    )
    widget = "spans"

    def __init__(self, types: Sequence[str], severities: Sequence[str], most: float = MOST) -> None:
        if isinstance(types, str) or isinstance(severities, str):
            raise InvalidInput(sentence("error types and severities must be lists of texts"))
        self.types = _different(types, MOST_TYPES)
        self.weights = _weights(severities)
        if not 0 < most < math.inf:
            raise InvalidInput(sentence("the largest sum of weights must be a number above 0"))
        self.most = float(most)
        self.low, self.high = -self.most, 0.0

    @classmethod
    def parse(cls, text: str) -> dict[str, Any] | None:
        """Return the JSON for `mqm` or `error_spans:TYPE,TYPE:Minor=1,Major=5:25`; None for other kinds."""
        if text.strip().lower() == SHORT:
            return {"kind": cls.kind, **{setting.name: setting.default for setting in cls.settings}}
        return super().parse(text)

    def points(self) -> list[Point]:
        """Return no points: weights may have any sum."""
        return []

    def score_of(self, errors: Sequence[Mapping[str, Any]]) -> float:
        """Return the score of a text with these errors, each with a `type` and a `severity`.

        >>> ErrorSpans(["Accuracy"], ["Minor=1", "Major=5"], most=8).score_of(
        ...     [{"type": "Accuracy", "severity": "Major"}, {"type": "Accuracy", "severity": "Minor"}]
        ... )
        -6.0

        Raises:
            InvalidInput: a type or a severity is not of this scale.
        """
        for error in errors:
            for name, known in ((mark("type"), self.types), (mark("severity"), list(self.weights))):
                if error.get(name) not in known:
                    raise InvalidInput(
                        sentence(
                            "a marked error needs a {name}: one of {known}.",
                            name=sentence(name),
                            known=", ".join(known),
                        )
                    )
        return 0.0 - min(self.most, sum(self.weights[str(error["severity"])] for error in errors))

    def describe(self) -> str:
        """Return the range, the types and the weights."""
        weights = ", ".join(f"{name} {weight:g}" for name, weight in self.weights.items())
        return sentence(
            "marked errors (MQM), {low} to 0: {types} ({weights})",
            low=f"{self.low:g}",
            types=", ".join(self.types),
            weights=weights,
        )

    def prompt_text(self) -> str:
        """Return how the score follows from the errors."""
        weights = ", ".join(f"{name} {weight:g}" for name, weight in self.weights.items())
        return (
            f"a number from {self.low:g} to 0: 0 for a text without errors, otherwise minus the sum of the "
            f"weights of its errors\nweights: {weights}\ntypes of errors: {', '.join(self.types)}"
        )

    def widened(self, low: float, high: float) -> dict[str, Any]:
        """Raise `InvalidInput`: a score that was cut would be another one with another lowest score."""
        raise InvalidInput(
            sentence("the weights of marked errors can't change, because scores depend on them")
        )

    def to_json(self) -> dict[str, Any]:
        """Return the scale as JSON."""
        severities = [f"{name}={weight:g}" for name, weight in self.weights.items()]
        return {"kind": self.kind, "types": self.types, "severities": severities, "most": self.most}


def span_in_words(span: Mapping[str, Any]) -> str:
    """Return the words that a rater marked, with the kind if they are an error.

    >>> span_in_words({"text": "17", "type": "Accuracy", "severity": "Major"})
    '“17” (Accuracy, Major)'
    """
    kind = ", ".join(str(span[name]) for name in ("type", "severity") if name in span)
    return f"“{span['text']}” ({kind})" if kind else f"“{span['text']}”"


def _different(names: Sequence[str], most: int) -> list[str]:
    found = [str(name).strip() for name in names]
    if not 1 <= len(found) <= most or not all(found):
        raise InvalidInput(sentence("marked errors need 1 to {most} types", most=most))
    if len({name.casefold() for name in found}) < len(found):
        raise InvalidInput(sentence("error types must differ in more than upper and lower case"))
    return found


def _weights(severities: Sequence[str]) -> dict[str, float]:
    found: dict[str, float] = {}
    for written in severities:
        name, _sign, weight = (part.strip() for part in str(written).rpartition("="))
        try:
            found[name] = float(weight)
        except ValueError:
            found[name] = math.nan
        if not name or not 0 <= found[name] < math.inf:
            raise InvalidInput(
                sentence("write a severity with its weight, such as Minor=1, not '{text}'", text=written)
            )
    if not 1 <= len(severities) <= MOST_SEVERITIES or len({name.casefold() for name in found}) < len(
        severities
    ):
        raise InvalidInput(
            sentence("marked errors need 1 to {most} different severities", most=MOST_SEVERITIES)
        )
    return found
