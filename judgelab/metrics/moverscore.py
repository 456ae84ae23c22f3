"""MoverScore of 2019 on single words: how little the response's words must be moved to be the reference's.

W. Zhao et al., "MoverScore: text generation evaluating with contextualized embeddings and earth mover
distance", 2019, first version: 1 - EMD with squared Euclidean distances. The second version's 1 / (1 + EMD)
is another scale.
"""

from __future__ import annotations

import importlib.util
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from judgelab.metrics.base import MetricInput, MetricScore, Option, Surroundings, metrics
from judgelab.metrics.encoder_files import has_torch
from judgelab.metrics.encoder_model import EncoderModel, load
from judgelab.metrics.hidden_states import States, pooled_states
from judgelab.metrics.neural import ENCODER, NeuralMetric, PieceWeights, blocks, piece_weights
from judgelab.metrics.references import REFERENCES, pairs, taken_together
from judgelab.wording import mark

LEAST_MASS = 1e-12  # of a word that stands in every text
PUNCTUATION = frozenset(string.punctuation)
Masses = NDArray[np.float64]


class Collections(NamedTuple):
    """How rare each piece is among the responses, and among the references."""

    responses: PieceWeights
    references: PieceWeights


def moverscore(
    responses: Sequence[str],
    references: Sequence[str],
    model: EncoderModel,
    *,
    weights: Collections | None = None,
) -> list[float]:
    """Return 1 - EMD of each response and the reference at its position; 0 if either text has no word.

    Args:
        responses: as many as references.
        references: as many as responses.
        model: the encoder; a token is minimum, mean and maximum of its last five layers.
        weights: how much each piece counts on either side; all the same if not given.
    """
    special = {model.tokenizer.cls_token_id, model.tokenizer.sep_token_id}
    texts_once = list(dict.fromkeys([*responses, *references]))
    ids = dict(zip(texts_once, model.token_ids(texts_once), strict=True))
    values = [0.0] * len(responses)
    order = sorted(range(len(responses)), key=lambda place: (references[place], responses[place]))
    # The states are three times as long as an encoder's own.
    sizes = [
        (responses[i], 3 * len(ids[responses[i]]), references[i], 3 * len(ids[references[i]])) for i in order
    ]
    for block in blocks(sizes):
        texts = list(dict.fromkeys(text for i in order[block] for text in (responses[i], references[i])))
        states = dict(zip(texts, pooled_states(model, [ids[text] for text in texts]), strict=True))
        words = {text: _words(ids[text], model) for text in texts}
        for i in order[block]:
            left, right = responses[i], references[i]
            a, b = words[left], words[right]
            if a and b:
                values[i] = 1 - _distance(
                    states[left][a],
                    states[right][b],
                    _masses([ids[left][place] for place in a], weights and weights.responses, special),
                    _masses([ids[right][place] for place in b], weights and weights.references, special),
                )
    return values


def _words(ids: Sequence[int], model: EncoderModel) -> list[int]:
    """Return the positions of pieces that begin a word; none if the text has only punctuation."""
    pieces = model.tokenizer.convert_ids_to_tokens(list(ids))
    special = {model.tokenizer.cls_token, model.tokenizer.sep_token}
    first_pieces = [
        place for place, piece in enumerate(pieces) if piece not in PUNCTUATION and not piece.startswith("##")
    ]
    return first_pieces if any(pieces[place] not in special for place in first_pieces) else []


def _masses(ids: Sequence[int], weights: PieceWeights | None, special: set[int]) -> Masses:
    weights_of_pieces = np.array([weights.weight(piece) if weights else 1.0 for piece in ids]) + LEAST_MASS
    if weights_of_pieces.max() <= LEAST_MASS:  # every piece stands in every text: none is rarer than another
        weights_of_pieces = np.array([LEAST_MASS if piece in special else 1.0 for piece in ids])
    masses: Masses = weights_of_pieces / weights_of_pieces.sum()
    return masses


def _distance(left: States, right: States, left_mass: Masses, right_mass: Masses) -> float:
    squared = (left**2).sum(1)[:, None] + (right**2).sum(1)[None, :] - 2 * left @ right.T
    cost = np.maximum(squared, 0).astype(np.float64)
    if importlib.util.find_spec("ot") is None:
        return _by_linear_programme(cost, left_mass, right_mass)
    import ot

    return float(ot.emd2(left_mass, right_mass, cost, numItermax=1_000_000))


def _by_linear_programme(cost: NDArray[np.float64], left: Masses, right: Masses) -> float:
    """Return the same where POT is not installed, some fifty times as slowly."""
    from scipy import sparse
    from scipy.optimize import linprog

    rows, columns = cost.shape
    sums = sparse.vstack(
        [
            sparse.kron(sparse.eye_array(rows), np.ones((1, columns))),
            sparse.kron(np.ones((1, rows)), sparse.eye_array(columns)),
        ]
    )
    return float(linprog(cost.ravel(), A_eq=sums, b_eq=np.concatenate([left, right]), method="highs").fun)


class MoverScore(NeuralMetric):
    """MoverScore as a metric."""

    name = "moverscore"
    title = mark("MoverScore")
    summary = mark(
        "1 minus the earth mover's distance between the words of response and reference, measured with an "
        "encoder; at most 1."
    )
    limits = mark(
        "Supports the languages of its encoder (the offline encoder: English only). Designed for "
        "WordPiece encoders. Texts longer than the encoder's window (512 tokens) are cut off."
    )
    options = (
        REFERENCES,
        ENCODER,
        Option("idf", "bool", True, help=mark("Words that are rare in the project's texts count more.")),
    )

    lowest = None

    def wants_corpus(self, options: Mapping[str, Any]) -> bool:
        """Return whether rare words count more."""
        return bool(self.settle(options)["idf"])

    def corpus(self, texts: Iterable[MetricInput], options: Mapping[str, Any]) -> Collections | None:
        """Return how rare each piece is among the responses and among the references."""
        if not has_torch():
            return None
        model = load(self.settle(options)["encoder"])
        entries = list(texts)
        return Collections(
            piece_weights(model, (entry.response for entry in entries for _ in entry.references)),
            piece_weights(model, (reference for entry in entries for reference in entry.references)),
        )

    def computed(
        self, batch: Sequence[MetricInput], settled: Mapping[str, Any], around: Surroundings
    ) -> list[MetricScore]:
        """Return each response's score, aggregated over its references as the options say."""
        owners, responses, references = pairs(batch, settled["references"])
        if not owners:
            return taken_together(batch, [], [], settled["references"])
        values = moverscore(responses, references, load(settled["encoder"]), weights=around.corpus)
        return taken_together(batch, owners, values, settled["references"])


metrics.register("moverscore")(MoverScore())
