"""Length: the honest control. A metric or judge that does no better than this has learnt little."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.metrics.base import Metric, MetricInput, MetricScore, metrics
from judgelab.wording import mark


class Length(Metric):
    """Words between blanks."""

    name = "length"
    title = mark("Length")
    summary = "Number of words in the response."
    limits = "Languages written without spaces count as one word."
    needs_references = False

    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return the number of words of each response."""
        self.settle(options)
        return [MetricScore(float(len(given.response.split()))) for given in batch]


metrics.register("length")(Length())
