"""The features of the learned judge: their names, and the table of all of them for a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from judgelab.learned.context_features import context_features
from judgelab.learned.feature_inputs import FeatureInputs, Floats, Ints
from judgelab.learned.question_features import question_features
from judgelab.learned.reference_features import reference_features
from judgelab.learned.similarity import Similarity
from judgelab.learned.text_features import text_features
from judgelab.metrics.base import MetricInput
from judgelab.metrics.encoder import Frequencies, Vectors, embed, frequencies
from judgelab.wording import mark

LENGTH, GROUNDING = "log_words", "grounding"  # the controls


# What each is called in a rationale.
FEATURES: Mapping[str, str] = {
    "log_words": mark("length in words"),
    "sentences": mark("number of sentences"),
    "sentence_words": mark("words per sentence"),
    "longest_sentence": mark("words in the longest sentence"),
    "shortest_sentence": mark("words in the shortest sentence"),
    "distinct_words": mark("share of distinct words"),
    "repeated_trigrams": mark("repeated three-word phrases"),
    "smog": mark("SMOG grade (long words)"),
    "word_length": mark("letters per word"),
    "function_words": mark("share of function words"),
    "coherence": mark("similarity of adjacent sentences"),
    "coherence_least": mark("lowest similarity of two adjacent sentences"),
    "redundancy": mark("similarity of its two most similar sentences"),
    "ends_whole": mark("ends with a full stop"),
    "ends_open": mark("unfinished last sentence"),
    "punctuation": mark("share of punctuation"),
    "digits": mark("share of digits"),
    "loose_signs": mark("stray punctuation and unknown words"),
    "refusal": mark("says that it cannot answer"),
    "context_cosine": mark("similarity to the whole source"),
    "grounding": mark("similarity of its sentences to the source (mean)"),
    "grounding_least": mark("similarity of its sentences to the source (lowest)"),
    "word_grounding": mark("words of a sentence found in one source sentence (mean)"),
    "word_grounding_least": mark("words of a sentence found in one source sentence (lowest)"),
    "coverage": mark("coverage of the source"),
    "lead_coverage": mark("coverage of the source's first sentences"),
    "source_place": mark("position in the source of the sentences it uses"),
    "source_spread": mark("spread over the source"),
    "source_order": mark("sentences in the order of the source"),
    "source_again": mark("says the same thing twice in a row"),
    "novel_bigrams": mark("word pairs that are not in the source"),
    "novel_trigrams": mark("three-word phrases that are not in the source"),
    "longest_copy": mark("longest passage copied from the source"),
    "copy_density": mark("copying of long passages"),
    "shortened_to": mark("length compared with the source"),
    "strange_numbers": mark("numbers that are not in the source"),
    "salient_words": mark("coverage of the source's most frequent words"),
    "reference_cosine_best": mark("similarity to the nearest reference"),
    "reference_cosine_mean": mark("similarity to the references (mean)"),
    "rouge1_best": mark("words shared with the nearest reference"),
    "rouge1_mean": mark("words shared with the references (mean)"),
    "rouge1_precision": mark("share of the response's words that are in a reference"),
    "rouge1_recall": mark("share of a reference's words that are in the response"),
    "rouge2_best": mark("word pairs shared with the nearest reference"),
    "rouge2_mean": mark("word pairs shared with the references (mean)"),
    "rougeL_best": mark("word order shared with the nearest reference"),
    "rougeL_mean": mark("word order shared with the references (mean)"),
    "length_ratio": mark("length compared with the references"),
    "answer_exact": mark("equals a reference answer"),
    "answer_f1": mark("words shared with a reference answer (F1)"),
    "answer_holds_gold": mark("contains a reference answer"),
    "gold_holds_answer": mark("is part of a reference answer"),
    "answer_letters": mark("letters shared with a reference answer"),
    "question_cosine": mark("similarity to the question"),
    "question_words": mark("share of the question's words that are in the response"),
    "question_echo": mark("share of the response's words that are in the question"),
}


# Those that hold or don't: 1 or 0.
YES_OR_NO = frozenset(
    {"ends_whole", "ends_open", "refusal", "answer_exact", "answer_holds_gold", "gold_holds_answer"}
)


@dataclass(frozen=True)
class FeatureTable:
    """One row per response, one column per feature; NaN if an item lacks what it is compared with.

    Attributes:
        names: of `FEATURES`; only those that have values and vary.
        values: shape (responses, features).
        item: a number for each response's item.
        encoder: the encoder for cosines: a model's name, or `tfidf`.
    """

    names: tuple[str, ...]
    values: Floats
    item: Ints
    encoder: str

    def chosen(self, names: Sequence[str]) -> Floats:
        """Return these columns in this order; an unknown one is NaN for all."""
        place = {name: column for column, name in enumerate(self.names)}
        empty = np.full(len(self.values), np.nan)
        columns = [self.values[:, place[name]] if name in place else empty for name in names]
        return np.column_stack(columns) if columns else np.zeros((len(self.values), 0))


def corpus_of(batch: Sequence[MetricInput]) -> Frequencies:
    """Return word frequencies of contexts, questions and references; responses are not included."""
    return frequencies(
        text for entry in batch for text in (entry.context, entry.question, *entry.references) if text.strip()
    )


def features(
    batch: Sequence[MetricInput],
    item: Ints,
    encoder: str = "",
    *,
    vectors: Vectors | None = None,
    corpus: Frequencies | None = None,
) -> FeatureTable:
    """Return the features of a batch.

    Args:
        batch: the responses with their items' texts.
        item: a number for each response's item.
        encoder: as `embed` takes it; empty for the one in effect.
        vectors: where vectors are kept between runs.
        corpus: for TF-IDF; made of the batch if not given.

    Raises:
        InvalidInput: the encoder cannot be loaded.
    """
    inputs = FeatureInputs(batch)
    texts = inputs.texts()
    embedding = embed(texts, encoder, vectors=vectors, corpus=corpus or corpus_of(batch))
    similarity = Similarity(texts, embedding)
    columns = {}
    for part in (text_features, context_features, reference_features, question_features):
        columns.update(part(inputs, similarity))
    names = [name for name in FEATURES if name in columns and _differs(columns[name])]
    values = np.column_stack([columns[name] for name in names]) if names else np.zeros((len(batch), 0))
    return FeatureTable(tuple(names), values, np.asarray(item, dtype=np.int64), similarity.encoder)


def _differs(column: Floats) -> bool:
    finite = column[np.isfinite(column)]
    return len(finite) > 0 and float(np.ptp(finite)) > 0
