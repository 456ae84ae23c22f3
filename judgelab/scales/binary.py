"""Two points: no and yes, wrong and right."""

from __future__ import annotations

from typing import Any

from judgelab.errors import InvalidInput
from judgelab.scales.base import Point, Scale, Setting, scales, whole_ends
from judgelab.wording import mark, sentence

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
    title = mark("yes or no")
    settings = (Setting("no", mark("Word for 0"), "No"), Setting("yes", mark("Word for 1"), "Yes"))
    mean_is_share = True
    widget = "points"
    level = "nominal"
    low = 0.0
    high = 1.0

    def __init__(self, no: str = "No", yes: str = "Yes") -> None:
        self.no, self.yes = no, yes

    @classmethod
    def parse(cls, text: str) -> dict[str, Any] | None:
        """Return the JSON for `yes/no`, `binary` or `binary:NO:YES`; None for other kinds."""
        if text.strip().lower() in {"yes/no", cls.kind}:
            return cls().to_json()
        return super().parse(text)

    def describe(self) -> str:
        """Return the scale in a few words."""
        return sentence(self.title)

    def widened(self, low: float, high: float) -> dict[str, Any]:
        """Return ordered points, of which 0 and 1 keep their labels if these are custom ones."""
        data: dict[str, Any] = {"kind": "ordinal", **whole_ends(low, high)}
        if (self.no, self.yes) != ("No", "Yes"):
            data["labels"] = {"0": self.no, "1": self.yes}
        return data

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
