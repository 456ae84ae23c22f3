"""Two points: no and yes, wrong and right."""

from __future__ import annotations

from typing import Any

from judgelab.errors import InvalidInput
from judgelab.scales.base import Point, Scale, scales
from judgelab.wording import sentence

WORDS = {
    **dict.fromkeys(("1", "1.0", "yes", "y", "true", "correct", "right"), 1.0),
    **dict.fromkeys(("0", "0.0", "no", "n", "false", "incorrect", "wrong"), 0.0),
}


@scales.register("binary")
class Binary(Scale):
    """0 or 1; a mean of several votes lies between.

    Args:
        no: label of 0.
        yes: label of 1.
    """

    kind = "binary"
    widget = "points"
    level = "nominal"
    low = 0.0
    high = 1.0

    def __init__(self, no: str = "No", yes: str = "Yes") -> None:
        self.no, self.yes = no, yes

    def points(self) -> list[Point]:
        """Return the two points."""
        return [Point(0.0, self.no, ""), Point(1.0, self.yes, "")]

    def prompt_text(self) -> str:
        """Return one line per point."""
        return f"0 = {self.no}\n1 = {self.yes}"

    def read(self, text: str) -> float:
        """Return 0 or 1 for a number or one of the usual words; raises `InvalidInput`."""
        word = text.strip().lower()
        if word in WORDS:
            return WORDS[word]
        try:
            return float(word)
        except ValueError:
            raise InvalidInput(sentence("'{text}' is neither yes nor no", text=text)) from None

    def to_json(self) -> dict[str, Any]:
        """Return the scale as JSON."""
        return {"kind": self.kind, "no": self.no, "yes": self.yes}
