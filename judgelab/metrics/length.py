"""Length: a control. A metric or judge that does no better than this has learnt little."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from judgelab.metrics.base import Metric, MetricInput, MetricScore, Option, metrics
from judgelab.metrics.sentences import sentences
from judgelab.wording import mark
from judgelab.words import word_count

COUNTS: Mapping[str, Callable[[str], int]] = {
    "words": word_count,
    "characters": len,
    "sentences": lambda text: len(sentences(text)),
}


class Length(Metric):
    """Words between blanks, characters or sentences."""

    name = "length"
    title = mark("Length")
    summary = mark("Number of words, characters or sentences in the response.")
    limits = mark(
        "Scripts without spaces are counted by character, so word counts of two languages are not comparable."
    )
    best: ClassVar[float | None] = None
    needs_references = False
    options = (
        Option("unit", "choice", "words", ("words", "characters", "sentences"), mark("What is counted.")),
    )

    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return how many words, characters or sentences each response has."""
        count = COUNTS[self.settle(options)["unit"]]
        return [MetricScore(float(count(entry.response))) for entry in batch]


metrics.register("length")(Length())
