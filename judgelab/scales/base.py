"""The contract of a scale, and the way from JSON to a scale."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from judgelab.errors import InvalidInput
from judgelab.registry import Registry
from judgelab.wording import mark, sentence

CANNOT_JUDGE = "cannot_judge"
Level = Literal["nominal", "ordinal", "interval"]


class Point(NamedTuple):
    """One point of a scale: its value, its short label, and the sentence that anchors it."""

    value: float
    label: str
    anchor: str


class Scale(ABC):
    """Which scores a criterion allows.

    Attributes:
        kind: the name in the scale's JSON.
        widget: how a rater enters it: "points" (one digit key a point) or "number".
        level: the measurement level Krippendorff's alpha uses.
        low: the lowest value.
        high: the highest value.
    """

    kind: ClassVar[str]
    widget: str
    level: ClassVar[Level]
    low: float
    high: float

    @abstractmethod
    def points(self) -> Sequence[Point]:
        """Return the points a rater can choose from, lowest first; empty for a continuous scale."""

    @abstractmethod
    def prompt_text(self) -> str:
        """Return the scale as lines of a judge's prompt."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the JSON that `scale_from_json` reads back as an equal scale."""

    def reject(self, value: float) -> str | None:
        """Return why `value` is not a score of this scale, or None if it is."""
        values = [p.value for p in self.points()]
        if values and value not in values:
            return sentence(
                "{value} is not one of {values}",
                value=f"{value:g}",
                values=", ".join(f"{v:g}" for v in values),
            )
        if not self.low <= value <= self.high:
            return self._outside(value)
        return None

    def reject_mean(self, value: float) -> str | None:
        """Return why `value` cannot be a mean of scores, or None; a mean may lie between points."""
        if not self.low <= value <= self.high:
            return self._outside(value)
        return None

    def _outside(self, value: float) -> str:
        return sentence(
            "{value} is outside {low} to {high}",
            value=f"{value:g}",
            low=f"{self.low:g}",
            high=f"{self.high:g}",
        )

    def read(self, text: str) -> float:
        """Return the score in a cell of a file; raises `InvalidInput` with the reason."""
        try:
            value = float(text.strip())
        except ValueError:
            raise InvalidInput(sentence("'{text}' is not a number", text=text)) from None
        return value


scales: Registry[type[Scale]] = Registry(mark("scale"), "judgelab.scales")


def may_pass(data: Mapping[str, Any]) -> bool:
    """Return whether a rater may say "cannot judge" instead of a score on the scale that `data` describes."""
    return bool(data.get(CANNOT_JUDGE))


def scale_from_json(data: Mapping[str, Any]) -> Scale:
    """Return the scale that `data` describes: `{"kind": "ordinal", "low": 0, "high": 3, ...}`.

    `"cannot_judge": true` beside them lets raters say that they cannot judge (`may_pass`).

    Raises:
        NotFound: no such kind.
        InvalidInput: the kind's own values do not fit together.
    """
    options = {key: value for key, value in data.items() if key not in ("kind", CANNOT_JUDGE)}
    kind = scales.get(str(data.get("kind", "")))
    try:
        return kind(**options)
    except TypeError as error:
        raise InvalidInput(
            sentence("scale {scale}: {error}", scale=repr(dict(data)), error=str(error))
        ) from error


def widened(data: Mapping[str, Any], *, low: float | None, high: float | None) -> dict[str, Any]:
    """Return the JSON of the scale with further points at its ends; every earlier score remains valid.

    Yes or no becomes ordered points, of which 0 and 1 keep their labels if these are custom ones.

    Raises:
        InvalidInput: an end lies inside the present scale, or the kind cannot go so far.
    """
    scale = scale_from_json(data)
    ends = {"low": scale.low if low is None else low, "high": scale.high if high is None else high}
    if ends["low"] > scale.low or ends["high"] < scale.high:
        raise InvalidInput(
            sentence(
                "the scale goes from {low} to {high} and can only be widened, because scores depend on "
                "its points",
                low=f"{scale.low:g}",
                high=f"{scale.high:g}",
            )
        )
    if ends == {"low": scale.low, "high": scale.high}:
        return dict(data)
    if scale.points() and not all(float(end).is_integer() for end in ends.values()):
        raise InvalidInput(sentence("the ends of a scale of points must be whole numbers"))
    settings: dict[str, Any] = {key: value for key, value in data.items() if key not in ("kind", "no", "yes")}
    if data["kind"] == "binary":
        words = {str(int(p.value)): p.label for p in scale.points()}
        if words != {"0": "No", "1": "Yes"}:
            settings["labels"] = words
    whole_ends = {name: int(end) for name, end in ends.items()} if scale.points() else ends
    widened_json = {"kind": "ordinal" if scale.points() else data["kind"], **settings, **whole_ends}
    scale_from_json(widened_json)
    return widened_json
