"""Exact match: does the response equal a reference answer?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.metrics.base import Metric, MetricInput, MetricScore, metrics
from judgelab.metrics.gold_answers import LIMITS, compared, exact
from judgelab.metrics.references import REFERENCES
from judgelab.wording import mark


class ExactMatch(Metric):
    """1 where the response equals any reference answer after SQuAD normalisation."""

    name = "exact_match"
    title = mark("Exact match")
    summary = mark(
        "1 if the response equals a reference answer (ignoring case, punctuation and articles), otherwise 0."
    )
    limits = LIMITS
    options = (REFERENCES,)

    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return 1 or 0 for each response."""
        return compared(exact, batch, self.settle(options)["references"])


metrics.register("exact_match")(ExactMatch())
