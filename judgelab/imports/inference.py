"""A scale for a criterion that a file names and the project lacks, from the scores themselves."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from judgelab.domain import Criterion
from judgelab.imports.cells import text_of
from judgelab.wording import mark, sentence

MOST_POINTS = 11  # 0 to 10; whole numbers over a wider range are taken as a number scale
DEFAULT_KEY = "score"
KINDS = {"ordinal": mark("ordinal"), "numeric": mark("numeric")}


def key_of(name: str) -> str:
    """Return a criterion's key for a name: "Overall quality" is "overall_quality"."""
    return re.sub(r"[^\w]+", "_", name.strip().lower()).strip("_") or DEFAULT_KEY


@dataclass
class Survey:
    """The scores seen under one criterion.

    Whether points are whole is said by the humans' scores where there are any: a judge's may be means.
    """

    name: str
    low: dict[str, float] = field(default_factory=dict)
    high: dict[str, float] = field(default_factory=dict)
    whole: dict[str, bool] = field(default_factory=dict)
    words: bool = False
    compared: bool = False

    def add(self, kind: str, score: float, value: Any) -> None:
        """Note one score and the cell it was read from."""
        self.low[kind] = min(score, self.low.get(kind, score))
        self.high[kind] = max(score, self.high.get(kind, score))
        self.whole[kind] = self.whole.get(kind, True) and score.is_integer()
        self.words = self.words or (isinstance(value, str) and not _is_number(value))

    def criterion(self, position: int) -> Criterion:
        """Return the criterion with the scale that fits the scores."""
        return Criterion(key_of(self.name), self.name or "Score", self._scale(), position=position)

    def _scale(self) -> dict[str, Any]:
        if self.compared and not self.low:
            return {"kind": "ordinal", "low": 1, "high": 5}
        low, high = min(self.low.values(), default=0.0), max(self.high.values(), default=1.0)
        whole = self.whole.get("human", all(self.whole.values()))
        if 0 <= low and high <= 1 and whole:
            return {"kind": "binary", "no": "No", "yes": "Yes"}
        whole = whole and low.is_integer() and high.is_integer()
        if whole and low == high and 1 < high < MOST_POINTS:
            low = 1.0  # one value says nothing of the scale's lower end, and most begin at 1
        if whole and 0 < high - low < MOST_POINTS:
            return {"kind": "ordinal", "low": int(low), "high": int(high)}
        if low >= 0 and high <= 1:
            return {"kind": "numeric", "low": 0.0, "high": 1.0}
        if low >= 0 and MOST_POINTS <= high <= 100:
            return {"kind": "numeric", "low": 0.0, "high": 100.0}
        return {"kind": "numeric", "low": low, "high": high if high > low else low + 1}


def said(criterion: Criterion, *, scored: bool = True) -> str:
    """Return the notice about a criterion that a file brought, with scores or with comparisons only."""
    scale = criterion.scale
    if scale["kind"] == "binary":
        shown = sentence("yes or no")
    else:
        kind, ends = sentence(KINDS[scale["kind"]]), [f"{scale[end]:g}" for end in ("low", "high")]
        shown = sentence("{kind}, {low} to {high}", kind=kind, low=ends[0], high=ends[1])
    if not scored:
        return sentence(
            "criterion '{criterion}' is new: responses are compared under it (rated singly: {scale})",
            criterion=criterion.key,
            scale=shown,
        )
    return sentence(
        "criterion '{criterion}' is new: its scale ({scale}) was taken from the scores in the file",
        criterion=criterion.key,
        scale=shown,
    )


def _is_number(value: str) -> bool:
    try:
        float(text_of(value))
    except ValueError:
        return False
    return True
