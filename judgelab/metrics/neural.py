"""The base of metrics that need an encoder: its option, weights of rare pieces, running without torch."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from judgelab.metrics.base import Metric, MetricInput, MetricScore, Option, Surroundings
from judgelab.metrics.encoder import TFIDF, current_encoder
from judgelab.metrics.encoder_files import OFFLINE, has_torch
from judgelab.metrics.encoder_model import NEEDS_TORCH, EncoderModel
from judgelab.wording import mark

ENCODER = Option(
    "encoder",
    "text",
    OFFLINE,
    help=mark("A folder or a name on the Hugging Face hub; the encoder from the settings if not given."),
)
BLOCK_TOKENS = 100_000  # whose states are held at once: 150 MB with 384 dimensions


class PieceWeights(NamedTuple):
    """How many texts a collection has, and in how many of them each piece (token id) stands."""

    texts: int
    of: Mapping[int, int]

    def weight(self, piece: int) -> float:
        """Return log((N + 1) / (df + 1))."""
        return math.log((self.texts + 1) / (self.of.get(piece, 0) + 1))


def piece_weights(model: EncoderModel, texts: Iterable[str]) -> PieceWeights:
    """Return the weights from a collection; a text that occurs twice counts twice."""
    times = Counter(texts)
    counts: Counter[int] = Counter()
    for text, ids in zip(times, model.token_ids(list(times)), strict=True):
        for piece in set(ids):
            counts[piece] += times[text]
    return PieceWeights(times.total(), counts)


class NeuralMetric(Metric):
    """A metric that needs a model's token states; without torch it has no numbers, but the reason."""

    telling: ClassVar[tuple[str, ...]] = ("encoder",)

    def settle(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options with their values; the encoder of the settings where none is given."""
        settled = super().settle(options)
        if not options.get("encoder"):
            settled["encoder"] = OFFLINE if current_encoder() == TFIDF else current_encoder()
        return settled

    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return one score per input; if rare words have more weight, those rare in the batch."""
        with_corpus = self.wants_corpus(self.settle(options))
        return self.score_within(
            batch, options, Surroundings(self.corpus(batch, options) if with_corpus else None)
        )

    def score_within(
        self, batch: Sequence[MetricInput], options: Mapping[str, Any], around: Surroundings
    ) -> list[MetricScore]:
        """Return one score for each input, or that torch is missing."""
        settled = self.settle(options)
        if not has_torch():
            return [MetricScore(None, NEEDS_TORCH)] * len(batch)
        return self.computed(batch, settled, around)

    @abstractmethod
    def computed(
        self, batch: Sequence[MetricInput], settled: Mapping[str, Any], around: Surroundings
    ) -> list[MetricScore]:
        """Return one score per input; torch is available."""


def blocks(lengths: Sequence[tuple[str, int, str, int]]) -> Iterable[slice]:
    """Yield slices of pairs whose distinct texts have about `BLOCK_TOKENS` tokens.

    Args:
        lengths: for each pair a text and its number of tokens, the other text and its number.
    """
    start, tokens, in_block = 0, 0, set[str]()
    for i, (left, left_size, right, right_size) in enumerate(lengths):
        new = (left_size if left not in in_block else 0) + (right_size if right not in in_block else 0)
        if tokens + new > BLOCK_TOKENS and i > start:
            yield slice(start, i)
            start, tokens, in_block, new = i, 0, set(), left_size + right_size
        tokens += new
        in_block |= {left, right}
    if start < len(lengths):
        yield slice(start, len(lengths))
