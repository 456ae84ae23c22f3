"""Embedding similarity: the cosine of two texts' vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.metrics.base import NO_CONTEXT, MetricInput, MetricScore, Option, Surroundings, metrics
from judgelab.metrics.embedded import ENCODER, EmbeddingMetric
from judgelab.metrics.encoder import embed
from judgelab.metrics.references import REFERENCES, pairs, taken_together
from judgelab.wording import mark

NO_QUESTION = mark("no question")


class Embedding(EmbeddingMetric):
    """The cosine of response and references, context or question."""

    name = "embedding"
    title = mark("Embedding similarity")
    summary = mark("Cosine similarity of the encoder's vectors for response and reference, from -1 to 1.")
    limits = mark(
        "Supports the languages of its encoder (the offline encoder: English only). Only the beginning of "
        "a long text is read (the offline encoder: 256 tokens)."
    )
    options = (
        REFERENCES,
        Option(
            "against",
            "choice",
            "references",
            ("references", "context", "question"),
            mark("What the response is compared with."),
        ),
        ENCODER,
    )

    lowest = -1.0

    def computed(
        self, batch: Sequence[MetricInput], settled: Mapping[str, Any], around: Surroundings
    ) -> list[MetricScore]:
        """Return the cosine of each response with what it is compared with; 0 for an empty text."""
        against = settled["against"]
        inputs = batch if against == "references" else [_with(entry, against) for entry in batch]
        owners, responses, references = pairs(inputs, settled["references"])
        vectors = embed(
            [*responses, *references], settled["encoder"], vectors=around.vectors, corpus=around.corpus
        )
        half = len(responses)
        values = vectors.pairs(range(half), range(half, 2 * half)).tolist()
        scores = taken_together(inputs, owners, values, settled["references"])
        if against == "references":
            return scores
        reason = NO_CONTEXT if against == "context" else NO_QUESTION
        return [MetricScore(None, reason) if score.value is None else score for score in scores]


def _with(entry: MetricInput, against: str) -> MetricInput:
    text = entry.context if against == "context" else entry.question
    return MetricInput(entry.response, [text] if text.strip() else ())


metrics.register("embedding")(Embedding())
