"""The base of metrics on text embeddings: the encoder option, and the fallback without one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from judgelab.metrics.base import Metric, MetricInput, MetricScore, Option, Surroundings
from judgelab.metrics.encoder import TFIDF, Frequencies, current_encoder, frequencies
from judgelab.metrics.encoder_files import OFFLINE, has_torch
from judgelab.metrics.encoder_model import NEEDS_TORCH
from judgelab.wording import mark

ENCODER = Option(
    "encoder",
    "text",
    OFFLINE,
    help=mark(
        "A folder, a name on the Hugging Face hub, or tfidf (words only); the encoder from the settings "
        "if not given."
    ),
)


class EmbeddingMetric(Metric):
    """A metric on text embeddings; without a model it uses TF-IDF, and its name says so."""

    telling: ClassVar[tuple[str, ...]] = ("encoder",)

    def settle(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options with their values; the encoder in effect where none is given."""
        settled = super().settle(options)
        if not options.get("encoder"):
            settled["encoder"] = current_encoder()
        return settled

    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return one score per input; with TF-IDF all words have equal weight, as there is no corpus."""
        return self.score_within(batch, options, Surroundings())

    def score_within(
        self, batch: Sequence[MetricInput], options: Mapping[str, Any], around: Surroundings
    ) -> list[MetricScore]:
        """Return one score per input, or that torch is missing for the named encoder."""
        settled = self.settle(options)
        if settled["encoder"] != TFIDF and not has_torch():
            return [MetricScore(None, NEEDS_TORCH)] * len(batch)
        return self.computed(batch, settled, around)

    def wants_corpus(self, options: Mapping[str, Any]) -> bool:
        """Return whether rare words count more, as TF-IDF has it."""
        return bool(self.settle(options)["encoder"] == TFIDF)

    def corpus(self, texts: Iterable[MetricInput], options: Mapping[str, Any]) -> Frequencies:
        """Return the word frequencies of the project."""
        return frequencies(
            text
            for entry in texts
            for text in (entry.response, *entry.references, entry.context)
            if text.strip()
        )

    @abstractmethod
    def computed(
        self, batch: Sequence[MetricInput], settled: Mapping[str, Any], around: Surroundings
    ) -> list[MetricScore]:
        """Return one score per input; the encoder can run."""
