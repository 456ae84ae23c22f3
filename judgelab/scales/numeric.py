"""Any number in a range: 0 to 100."""

from __future__ import annotations

from typing import Any

from judgelab.errors import InvalidInput
from judgelab.scales.base import Point, Scale, scales
from judgelab.scales.ordinal import Ordinal
from judgelab.wording import mark, sentence


@scales.register("numeric")
class Numeric(Scale):
    """Numbers from `low` to `high`.

    Args:
        low: the lowest value.
        high: the highest value.
        low_label: what the lowest value means.
        high_label: what the highest value means.
    """

    kind = mark("numeric")
    title = mark("any number")

    def __init__(self, low: float, high: float, low_label: str = "", high_label: str = "") -> None:
        if not low < high:
            raise InvalidInput(
                sentence(
                    "a numeric scale needs low < high, not {low} and {high}", low=str(low), high=str(high)
                )
            )
        self.low, self.high = float(low), float(high)
        self.low_label, self.high_label = low_label, high_label

    @classmethod
    def parse(cls, text: str) -> dict[str, Any] | None:
        """Return the JSON for `number:LOW:HIGH`, or for `LOW:HIGH` if these are no points; None otherwise."""
        first, *others = text.split(":")
        if first.strip().lower() == "number":
            return super().parse(":".join([cls.kind, *others]))
        if len(others) > 1:
            return super().parse(text)
        try:
            return super().parse(f"{cls.kind}:{text}") if Ordinal.parse(text) is None else None
        except InvalidInput:  # not two numbers
            return None

    def points(self) -> list[Point]:
        """Return no points: any number in the range is a score."""
        return []

    def prompt_text(self) -> str:
        """Return the range with what its ends mean."""
        ends = [
            f"{self.low:g} = {self.low_label}",
            f"{self.high:g} = {self.high_label}",
        ]
        labelled = [end for end in ends if not end.endswith("= ")]
        return "\n".join([f"a number from {self.low:g} to {self.high:g}", *labelled])

    def to_json(self) -> dict[str, Any]:
        """Return the scale as JSON."""
        data: dict[str, Any] = {"kind": self.kind, "low": self.low, "high": self.high}
        if self.low_label:
            data["low_label"] = self.low_label
        if self.high_label:
            data["high_label"] = self.high_label
        return data
