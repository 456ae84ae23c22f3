"""Grounding: whether the sentences of a response stand in its context, by the likeness of their vectors."""

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
    """How well the sentences of a response are borne out by its context."""

    name = "grounding"
    title = mark("Grounding")
    summary = mark(
        "For each sentence of the response the cosine with the likest sentence of the context, from -1 to 1."
    )
    limits = mark(
        "Likeness is no proof: a sentence turned into its opposite by one word is still like. Knows the "
        "languages of its encoder, the offline one English only."
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
            mark("The mean of the sentences, or the one least borne out."),
        ),
        ENCODER,
    )

    def computed(
        self, batch: Sequence[MetricInput], settled: Mapping[str, Any], around: Surroundings
    ) -> list[MetricScore]:
        """Return the mean or the least of the sentences' best cosines."""
        return grounding(batch, settled["encoder"], lowest=settled["sentences"] == "min", around=around)


def grounding(
    batch: Sequence[MetricInput],
    encoder: str = "",
    *,
    lowest: bool = False,
    around: Surroundings | None = None,
) -> list[MetricScore]:
    """Return for each response the mean of its sentences' best cosines with the context's sentences.

    Args:
        batch: the responses with their contexts.
        encoder: as `embed` takes it.
        lowest: the least of them instead of the mean.
        around: where vectors are kept, and the collection for TF-IDF.
    """
    around = around or Surroundings()
    parted = {text: sentences(text) for one in batch for text in (one.response, one.context)}
    texts = [one for lines in parted.values() for one in lines]
    places: dict[str, range] = {}
    at = 0
    for text, lines in parted.items():
        places[text] = range(at, at + len(lines))
        at += len(lines)
    made = embed(texts, encoder, vectors=around.vectors, corpus=around.corpus)
    found = []
    for one in batch:
        response, context = places[one.response], places[one.context]
        if not context:
            found.append(MetricScore(None, NO_CONTEXT))
        elif not response:
            found.append(MetricScore(None, NO_WORD))
        else:
            best = made.table(response, context).max(axis=1)
            found.append(MetricScore(float(best.min() if lowest else best.mean())))
    return found


metrics.register("grounding")(Grounding())
