"""Grounding: whether a response's sentences are supported by its context, by embedding similarity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from judgelab.metrics.base import (
    NO_CONTEXT,
    NO_WORD,
    MetricInput,
    MetricScore,
    Option,
    Surroundings,
    metrics,
)
from judgelab.metrics.embedded import ENCODER, EmbeddingMetric
from judgelab.metrics.encoder import embed
from judgelab.metrics.sentences import sentences
from judgelab.wording import mark


class Grounding(EmbeddingMetric):
    """How well the sentences of a response are supported by its context."""

    name = "grounding"
    title = mark("Grounding")
    summary = mark(
        "For each sentence of the response, the cosine similarity with the most similar sentence of the "
        "context, from -1 to 1."
    )
    limits = mark(
        "Similarity is no proof: a sentence stays similar even if one word reverses its meaning. Supports "
        "the languages of its encoder (the offline encoder: English only)."
    )
    best: ClassVar[float | None] = None
    needs_references = False
    needs_context = True
    options = (
        Option(
            "sentences",
            "choice",
            "mean",
            ("mean", "min"),
            mark("mean: the mean of all sentences; min: the sentence with the least support."),
        ),
        ENCODER,
    )

    def computed(
        self, batch: Sequence[MetricInput], settled: Mapping[str, Any], around: Surroundings
    ) -> list[MetricScore]:
        """Return the mean or the minimum of the sentences' best cosines."""
        return grounding(batch, settled["encoder"], lowest=settled["sentences"] == "min", around=around)


def grounding(
    batch: Sequence[MetricInput],
    encoder: str = "",
    *,
    lowest: bool = False,
    around: Surroundings | None = None,
) -> list[MetricScore]:
    """Return, for each response, the mean of its sentences' best cosines with the context's sentences.

    Args:
        batch: the responses with their contexts.
        encoder: as `embed` takes it.
        lowest: the minimum instead of the mean.
        around: where vectors are kept, and the collection for TF-IDF.
    """
    around = around or Surroundings()
    sentences_of = {text: sentences(text) for entry in batch for text in (entry.response, entry.context)}
    texts = [entry for lines in sentences_of.values() for entry in lines]
    places: dict[str, range] = {}
    start = 0
    for text, lines in sentences_of.items():
        places[text] = range(start, start + len(lines))
        start += len(lines)
    embedding = embed(texts, encoder, vectors=around.vectors, corpus=around.corpus)
    scores = []
    for entry in batch:
        response, context = places[entry.response], places[entry.context]
        if not context:
            scores.append(MetricScore(None, NO_CONTEXT))
        elif not response:
            scores.append(MetricScore(None, NO_WORD))
        else:
            best = embedding.table(response, context).max(axis=1)
            scores.append(MetricScore(float(best.min() if lowest else best.mean())))
    return scores


metrics.register("grounding")(Grounding())
