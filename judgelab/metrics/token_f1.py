"""Token F1: how many words do response and reference answer share?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.metrics.base import Metric, MetricInput, MetricScore, metrics
from judgelab.metrics.gold_answers import LIMITS, compared, word_f1
from judgelab.metrics.references import REFERENCES
from judgelab.wording import mark


class TokenF1(Metric):
    """The best word F1 over the reference answers after SQuAD normalisation."""

    name = "token_f1"
    title = mark("Token F1")
    summary = mark("Word overlap (F1) of the response with the best-matching reference answer, from 0 to 1.")
    limits = LIMITS
    options = (REFERENCES,)

    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return a number from 0 to 1 for each response."""
        return compared(word_f1, batch, self.settle(options)["references"])


metrics.register("token_f1")(TokenF1())
