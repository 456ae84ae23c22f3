"""Features of a response compared with the references of its item: the best, and the mean.

For references of a few words, also whether they are equal, contained, or similar by letters.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from rapidfuzz.distance import Indel

from judgelab.learned.feature_inputs import Columns, FeatureInputs, Floats, Ints
from judgelab.learned.similarity import Similarity
from judgelab.metrics.gold_answers import contained, exact, normalised, word_f1
from judgelab.metrics.rouge import rouge
from judgelab.words import word_count


def reference_features(inputs: FeatureInputs, similarity: Similarity) -> Columns:
    """Return one column per feature, one row per response; missing if the item has no reference."""
    counts = np.array([len(entry.references) for entry in inputs.batch], dtype=np.int64)
    if not counts.any():
        return {}
    responses = [entry.response for entry in inputs.batch for _ in entry.references]
    references = [text for entry in inputs.batch for text in entry.references]
    values: dict[str, Floats] = {"reference_cosine": similarity.pairs(responses, references)}
    for kind, rates in rouge(
        ("rouge1", "rouge2", "rougeL"), responses, references, tokenizer="unicode"
    ).items():
        values[kind] = rates.f
        if kind == "rouge1":
            values["rouge1_precision"], values["rouge1_recall"] = rates.p, rates.r
    across_references = _AcrossReferences(counts)
    columns: Columns = {}
    for name, pair_values in values.items():
        if name.endswith(("_precision", "_recall")):
            columns[name] = across_references.best(pair_values)
            continue
        columns[f"{name}_best"], columns[f"{name}_mean"] = (
            across_references.best(pair_values),
            across_references.mean(pair_values),
        )
    for name, compare in ANSWERS.items() if inputs.short_answers else ():
        pair_values = np.array([compare(a, b) for a, b in zip(responses, references, strict=True)])
        columns[name] = across_references.best(pair_values)
    lengths = np.array([word_count(text) for text in references], dtype=np.float64)
    response_lengths = np.array([len(cut.words) for cut in inputs.responses], dtype=np.float64)
    columns["length_ratio"] = np.log((response_lengths + 1) / (across_references.mean(lengths) + 1))
    return columns


def _contained(response: str, gold: str) -> float:
    return contained(gold, response)


def _letters(response: str, gold: str) -> float:
    return float(Indel.normalized_similarity(normalised(response), normalised(gold)))


ANSWERS: Mapping[str, Callable[[str, str], float]] = {
    "answer_exact": exact,
    "answer_f1": word_f1,
    "answer_holds_gold": contained,
    "gold_holds_answer": _contained,
    "answer_letters": _letters,
}


class _AcrossReferences:
    """Aggregates values of (response, reference) pairs by response; NaN for one without references."""

    def __init__(self, counts: Ints) -> None:
        self.there = counts > 0
        self.starts = (np.cumsum(counts) - counts)[self.there]
        self.counts = counts[self.there]

    def _spread(self, values: Floats) -> Floats:
        spread = np.full(len(self.there), np.nan)
        spread[self.there] = values
        return spread

    def best(self, values: Floats) -> Floats:
        return self._spread(np.maximum.reduceat(values, self.starts))

    def mean(self, values: Floats) -> Floats:
        return self._spread(np.add.reduceat(values, self.starts) / self.counts)
