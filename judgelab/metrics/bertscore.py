"""BERTScore, equal to bert-score 0.3.13, at the speed of the encoder.

T. Zhang et al., "BERTScore: evaluating text generation with BERT", 2020: each token is matched with the most
similar one of the other text; P averages over the response's tokens, R over the reference's, F is their
harmonic mean.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from judgelab.errors import InvalidInput
from judgelab.metrics.base import MetricInput, MetricScore, Option, Surroundings, mark_of, metrics
from judgelab.metrics.bertscore_baselines import baseline, recommended_layer
from judgelab.metrics.encoder_model import EncoderModel, load
from judgelab.metrics.hidden_states import last_states
from judgelab.metrics.neural import ENCODER, NeuralMetric, PieceWeights, blocks, piece_weights
from judgelab.metrics.references import REFERENCES, pairs, taken_together
from judgelab.wording import mark, sentence

Floats = NDArray[np.float64]
PARTS = {"bertscore_p": 0, "bertscore_r": 1, "bertscore_f1": 2}


class Scores(NamedTuple):
    """P, R and F of each pair."""

    p: Floats
    r: Floats
    f: Floats


def bertscore(
    responses: Sequence[str],
    references: Sequence[str],
    model: EncoderModel,
    *,
    layer: int | None = None,
    weights: PieceWeights | None = None,
) -> Scores:
    """Return P, R and F of each response and the reference at its position; 0 if either text is empty.

    Args:
        responses: as many as references; each distinct text is encoded once.
        references: as many as responses.
        model: the encoder.
        layer: whose states are compared; the last one if not given.
        weights: how much each piece counts (idf); all the same if not given.
    """
    texts_once = list(dict.fromkeys([*responses, *references]))
    ids = dict(zip(texts_once, model.token_ids(texts_once), strict=True))
    shares = {text: _shares(ids[text], model, weights) for text in texts_once}
    precision_recall = np.zeros((3, len(responses)))
    # Pairs with the same reference are adjacent, so that shared texts are encoded in one block.
    order = sorted(range(len(responses)), key=lambda place: (references[place], responses[place]))
    sizes = [(responses[i], len(ids[responses[i]]), references[i], len(ids[references[i]])) for i in order]
    for block in blocks(sizes):
        texts = list(dict.fromkeys(text for i in order[block] for text in (responses[i], references[i])))
        states = dict(zip(texts, last_states(model, [ids[text] for text in texts], layer), strict=True))
        for i in order[block]:
            response, reference = responses[i], references[i]
            precision_recall[:2, i] = _matched(
                states[response], states[reference], shares[response], shares[reference]
            )
    p, r = precision_recall[:2]
    total = p + r
    return Scores(p, r, np.divide(2 * p * r, total, out=np.zeros_like(total), where=total > 0))


def _shares(
    ids: Sequence[int], model: EncoderModel, weights: PieceWeights | None
) -> NDArray[np.float32] | None:
    """Return the weight of each token, summing to one; None for an empty text."""
    special = {model.tokenizer.cls_token_id, model.tokenizer.sep_token_id}
    words = np.array([piece not in special for piece in ids], dtype=np.float32)
    if not words.any():
        return None
    weights_of_tokens = words
    if weights:
        weights_of_tokens = words * np.array([weights.weight(piece) for piece in ids], dtype=np.float32)
        if not weights_of_tokens.any():  # every piece stands in every text: none is rarer than another
            weights_of_tokens = words
    shares: NDArray[np.float32] = weights_of_tokens / weights_of_tokens.sum()
    return shares


def _matched(
    left: NDArray[np.float32],
    right: NDArray[np.float32],
    left_shares: NDArray[np.float32] | None,
    right_shares: NDArray[np.float32] | None,
) -> tuple[float, float]:
    if left_shares is None or right_shares is None:
        return 0.0, 0.0
    # The marks of begin and end weigh nothing but may be matched, as in bert-score.
    likeness = np.maximum(left @ right.T, 0)
    return float(likeness.max(axis=1) @ left_shares), float(likeness.max(axis=0) @ right_shares)


class BertScore(NeuralMetric):
    """One part of BERTScore as a metric."""

    limits = mark(
        "Supports the languages of its encoder (the offline encoder: English only). Texts longer than the "
        "encoder's window (512 tokens) are cut off."
    )
    options = (
        REFERENCES,
        ENCODER,
        Option(
            "layer",
            "int",
            0,
            help=mark(
                "Layer of the encoder; 0 for the layer that BERTScore's authors recommend, or the last "
                "one if they recommend none."
            ),
        ),
        Option(
            "idf", "bool", False, help=mark("Words that are rare in the project's references count more.")
        ),
        Option(
            "rescale",
            "bool",
            False,
            help=mark(
                "Rescale the scores with the encoder's baseline, which is known for a few English encoders."
            ),
        ),
    )

    def __init__(self, name: str, title: str, summary: str) -> None:
        self.name, self.title, self.summary = name, title, summary

    def span(self, options: Mapping[str, Any]) -> tuple[float, float] | None:
        """Return the ends of a cosine; None with a rescaling baseline."""
        return None if options.get("rescale") else (-1.0, 1.0)

    def wants_corpus(self, options: Mapping[str, Any]) -> bool:
        """Return whether rare words count more."""
        return bool(self.settle(options)["idf"])

    def corpus(self, texts: Iterable[MetricInput], options: Mapping[str, Any]) -> PieceWeights | None:
        """Return how rare each piece is among the references."""
        settled = self.settle(options)
        references = (reference for entry in texts for reference in entry.references)
        return piece_weights(load(settled["encoder"]), references) if _can_load() else None

    def computed(
        self, batch: Sequence[MetricInput], settled: Mapping[str, Any], around: Surroundings
    ) -> list[MetricScore]:
        """Return each response's score, aggregated over its references as the options say."""
        name, how = settled["encoder"], settled["references"]
        owners, responses, references = pairs(batch, how)
        if not owners:
            return taken_together(batch, [], [], how)
        model = load(name)
        layer = _layer(settled["layer"], model)
        base = baseline(name, layer)[PARTS[self.name]] if settled["rescale"] else 0.0
        values = _remembered(responses, references, model, layer, around.corpus)[PARTS[self.name]]
        return taken_together(batch, owners, ((values - base) / (1 - base)).tolist(), how)


def _can_load() -> bool:
    from judgelab.metrics.encoder_files import has_torch

    return has_torch()


def _layer(layer: int, model: EncoderModel) -> int:
    if layer == 0:
        return recommended_layer(model.name) or model.layers
    if not 1 <= layer <= model.layers:
        raise InvalidInput(
            sentence(
                "option layer: {model} has layers 1 to {last}; choose one of them, or 0.",
                model=model.name,
                last=str(model.layers),
            )
        )
    return layer


_last: tuple[str, Scores] | None = None
_remembering = threading.Lock()


def _remembered(
    responses: Sequence[str],
    references: Sequence[str],
    model: EncoderModel,
    layer: int,
    weights: PieceWeights | None,
) -> Scores:
    """Return P, R and F of a batch; the last ones are cached, since all three are often requested."""
    global _last
    digest = hashlib.sha256(repr((model.key, layer, weights and mark_of(weights))).encode())
    for text in (*responses, *references):
        digest.update(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest())
    key = digest.hexdigest()
    with _remembering:
        if _last is None or _last[0] != key:
            _last = (key, bertscore(responses, references, model, layer=layer, weights=weights))
        return _last[1]


metrics.register("bertscore_p")(
    BertScore(
        "bertscore_p",
        mark("BERTScore precision"),
        mark(
            "How well the response's tokens match tokens of the reference, measured with an encoder, from "
            "0 to 1."
        ),
    )
)
metrics.register("bertscore_r")(
    BertScore(
        "bertscore_r",
        mark("BERTScore recall"),
        mark(
            "How well the reference's tokens match tokens of the response, measured with an encoder, from "
            "0 to 1."
        ),
    )
)
metrics.register("bertscore_f1")(
    BertScore(
        "bertscore_f1",
        mark("BERTScore F1"),
        mark(
            "How well the tokens of response and reference match in both directions, measured with an "
            "encoder, from 0 to 1."
        ),
    )
)
