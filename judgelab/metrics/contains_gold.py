"""Contains gold answer: does the response contain a reference answer?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.metrics.base import Metric, MetricInput, MetricScore, metrics
from judgelab.metrics.gold_answers import LIMITS, compared, contained
from judgelab.metrics.references import REFERENCES
from judgelab.wording import mark


class ContainsGold(Metric):
    """1 where the response contains any reference answer after SQuAD normalisation."""

    name = "contains_gold"
    title = mark("Contains gold answer")
    summary = mark(
        "1 if the response contains a reference answer word for word (ignoring case, punctuation and "
        "articles), otherwise 0."
    )
    limits = LIMITS
    options = (REFERENCES,)

    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return 1 or 0 for each response."""
        return compared(contained, batch, self.settle(options)["references"])


metrics.register("contains_gold")(ContainsGold())
