"""One sentence of an answer, with whether it speaks for the judge and what it stands on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judgelab.analysis.trust.judge_biases import JudgeBiases
from judgelab.wording import counted, joined


@dataclass(frozen=True)
class Statement:
    """One sentence of the answer.

    Attributes:
        about: "agreement", "stand_in", "systems", "habits", "length", "family", "parts", "repeats",
            "confidence" or "unscored": the part of the page that shows where the sentence comes from.
        text: the sentence.
        good: whether it speaks for the judge (True), against it (False), or neither.
        criteria: the criteria it is about.
        n: how many responses or items it stands on; 0 where nothing was counted.
        unit: "response" or "item".
    """

    about: str
    text: str
    good: bool | None
    criteria: tuple[str, ...]
    n: int
    unit: str = "response"

    @property
    def stands_on(self) -> str:
        """Return `n = 1,600 responses`, or nothing where nothing was counted."""
        if not self.n:
            return ""
        if self.unit == "item":
            return counted("n = {n} item", "n = {n} items", self.n)
        return counted("n = {n} response", "n = {n} responses", self.n)


def criterion_labels(criteria: Sequence[JudgeBiases]) -> str:
    """Return the names of the criteria in a row."""
    return joined([criterion.label for criterion in criteria])


def criterion_keys(criteria: Sequence[JudgeBiases]) -> tuple[str, ...]:
    """Return the keys of the criteria."""
    return tuple(criterion.criterion for criterion in criteria)


def smallest_n(criteria: Sequence[JudgeBiases]) -> int:
    """Return the smallest number of responses that both scored under one of the criteria."""
    return min((criterion.n for criterion in criteria), default=0)
