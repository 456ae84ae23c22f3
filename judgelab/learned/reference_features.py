"""Features of a response beside the known answers of its item: the best of them, and their mean.

Where references are answers of a few words, also whether they are equal, contained, or like by letters.
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


def reference_features(material: FeatureInputs, near: Similarity) -> Columns:
    """Return one column a feature, one row a response; missing where the item has no reference."""
    counts = np.array([len(one.references) for one in material.batch], dtype=np.int64)
    if not counts.any():
        return {}
    responses = [one.response for one in material.batch for _ in one.references]
    references = [text for one in material.batch for text in one.references]
    values: dict[str, Floats] = {"reference_cosine": near.pairs(responses, references)}
    for kind, rates in rouge(
        ("rouge1", "rouge2", "rougeL"), responses, references, tokenizer="unicode"
    ).items():
        values[kind] = rates.f
        if kind == "rouge1":
            values["rouge1_precision"], values["rouge1_recall"] = rates.p, rates.r
    put = _AcrossReferences(counts)
    found: Columns = {}
    for name, each in values.items():
        if name.endswith(("_precision", "_recall")):
            found[name] = put.best(each)
            continue
        found[f"{name}_best"], found[f"{name}_mean"] = put.best(each), put.mean(each)
    for name, compare in ANSWERS.items() if material.short_answers else ():
        each = np.array([compare(a, b) for a, b in zip(responses, references, strict=True)])
        found[name] = put.best(each)
    lengths = np.array([word_count(text) for text in references], dtype=np.float64)
    own = np.array([len(cut.words) for cut in material.responses], dtype=np.float64)
    found["length_ratio"] = np.log((own + 1) / (put.mean(lengths) + 1))
    return found


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
    """Values of pairs (response, reference) put together by response; NaN for one without references."""

    def __init__(self, counts: Ints) -> None:
        self.there = counts > 0
        self.starts = (np.cumsum(counts) - counts)[self.there]
        self.counts = counts[self.there]

    def _spread(self, values: Floats) -> Floats:
        found = np.full(len(self.there), np.nan)
        found[self.there] = values
        return found

    def best(self, values: Floats) -> Floats:
        return self._spread(np.maximum.reduceat(values, self.starts))

    def mean(self, values: Floats) -> Floats:
        return self._spread(np.add.reduceat(values, self.starts) / self.counts)
