"""Novelty: how much of a response is not in its context word for word. A control, like length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from judgelab.metrics.base import (
    NO_CONTEXT,
    NO_WORD,
    Metric,
    MetricInput,
    MetricScore,
    Option,
    metrics,
)
from judgelab.metrics.words import split_words
from judgelab.wording import mark


class Novelty(Metric):
    """The share of a response's n-grams that the context lacks."""

    name = "novelty"
    title = mark("Novelty")
    summary = mark("Share of the response's word sequences that are not in the context, from 0 to 1.")
    limits = mark(
        "Measures how freely a text is worded, not whether it is right; scripts without spaces are split "
        "by character."
    )
    best: ClassVar[float | None] = None
    needs_references = False
    needs_context = True
    options = (Option("run", "int", 2, (1, 2, 3, 4), mark("Number of words in a sequence (n-gram length).")),)

    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return the share of new n-grams in each response."""
        size = self.settle(options)["run"]
        words = split_words([text for entry in batch for text in (entry.response, entry.context)], "unicode")
        runs = {text: _runs(line, size) for text, line in words.items()}
        context_runs = {text: set(text_runs) for text, text_runs in runs.items()}
        return [_share(runs[entry.response], context_runs[entry.context], entry.context) for entry in batch]


def _runs(words: Sequence[str], size: int) -> list[tuple[str, ...]]:
    """Return the n-grams of a text; a text shorter than n is one itself."""
    if 0 < len(words) < size:
        return [tuple(words)]
    return [tuple(words[at : at + size]) for at in range(len(words) - size + 1)]


def _share(runs: Sequence[tuple[str, ...]], context_runs: set[tuple[str, ...]], context: str) -> MetricScore:
    if not context.strip():
        return MetricScore(None, NO_CONTEXT)
    if not runs:
        return MetricScore(None, NO_WORD)
    return MetricScore(sum(run not in context_runs for run in runs) / len(runs))


metrics.register("novelty")(Novelty())
