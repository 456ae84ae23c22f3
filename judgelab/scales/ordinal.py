"""Ordered whole points, each with a label and an anchor sentence: 0 to 3, 1 to 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.scales.base import Point, Scale, Setting, scales, whole_ends
from judgelab.wording import mark, sentence

MOST_STEPS = 20


@scales.register("ordinal")
class Ordinal(Scale):
    """Whole numbers from `low` to `high`.

    Args:
        low: the lowest point.
        high: the highest point; at least two points, at most 21.
        labels: short label by point ("2": "Partly").
        anchors: full sentence by point.
    """

    kind = mark("ordinal")
    title = mark("ordered points")
    settings = (Setting("low", mark("Lowest"), 1), Setting("high", mark("Highest"), 5))
    has_point_texts = True
    widget = "points"
    level = "ordinal"

    def __init__(
        self,
        low: int,
        high: int,
        labels: Mapping[str, str] | None = None,
        anchors: Mapping[str, str] | None = None,
    ) -> None:
        if int(low) != low or int(high) != high or not 1 <= high - low <= MOST_STEPS:
            raise InvalidInput(
                sentence(
                    "an ordinal scale needs 2 to 21 whole points, not {low} to {high}",
                    low=str(low),
                    high=str(high),
                )
            )
        self.low, self.high = int(low), int(high)
        self.labels = {str(k): v for k, v in (labels or {}).items()}
        self.anchors = {str(k): v for k, v in (anchors or {}).items()}
        self.widget = "points" if 0 <= self.low and self.high <= 9 else "number"

    @classmethod
    def parse(cls, text: str) -> dict[str, Any] | None:
        """Return the JSON for `LOW:HIGH`, two whole numbers, or `ordinal:LOW:HIGH`; None for other kinds."""
        low, _colon, high = text.partition(":")
        try:
            ends = float(low), float(high)
        except ValueError:
            return super().parse(text)
        if not all(end.is_integer() for end in ends) or ends[1] - ends[0] > MOST_STEPS:
            return None  # a numeric scale
        return {"kind": cls.kind, **whole_ends(*ends)}

    def widened(self, low: float, high: float) -> dict[str, Any]:
        """Return the scale with further points at its ends."""
        return {**self.to_json(), **whole_ends(low, high)}

    def read(self, text: str) -> float:
        """Return the point of a number or of a label; raises `InvalidInput` with the reason."""
        word = text.strip().casefold()
        for point, label in self.labels.items():
            if label.strip().casefold() == word:
                return float(point)
        return super().read(text)

    def points(self) -> Sequence[Point]:
        """Return one point per whole number."""
        return self._points

    @cached_property
    def _points(self) -> tuple[Point, ...]:
        numbers = range(int(self.low), int(self.high) + 1)
        return tuple(
            Point(float(v), self.labels.get(str(v), ""), self.anchors.get(str(v), "")) for v in numbers
        )

    def prompt_text(self) -> str:
        """Return one line per point, `2 = Partly: ...`."""
        lines = []
        for value, label, anchor in self.points():
            meaning = ": ".join(part for part in (label, anchor) if part)
            lines.append(f"{value:g} = {meaning}" if meaning else f"{value:g}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """Return the scale as JSON."""
        data: dict[str, Any] = {"kind": self.kind, "low": self.low, "high": self.high}
        if self.labels:
            data["labels"] = self.labels
        if self.anchors:
            data["anchors"] = self.anchors
        return data
