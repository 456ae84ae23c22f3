"""The features of the learned judge: what each is called, and the table of all of them for a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from judgelab.learned.against_context import against_context
from judgelab.learned.against_question import against_question
from judgelab.learned.against_references import against_references
from judgelab.learned.material import Floats, Ints, Material
from judgelab.learned.of_the_text import of_the_text
from judgelab.learned.similarity import Similarity
from judgelab.metrics.base import MetricInput
from judgelab.metrics.encoder import Frequencies, Vectors, embed, frequencies
from judgelab.wording import mark

ALONE, CONTEXT, REFERENCE, QUESTION = "alone", "context", "reference", "question"
LENGTH, GROUNDING = "log_words", "grounding"  # the honest controls


class Feature(NamedTuple):
    """What a feature is called in a rationale, and what it compares the response with."""

    title: str
    beside: str


FEATURES: Mapping[str, Feature] = {
    "log_words": Feature(mark("length"), ALONE),
    "sentences": Feature(mark("number of sentences"), ALONE),
    "sentence_words": Feature(mark("words per sentence"), ALONE),
    "longest_sentence": Feature(mark("words of the longest sentence"), ALONE),
    "shortest_sentence": Feature(mark("words of the shortest sentence"), ALONE),
    "distinct_words": Feature(mark("share of different words"), ALONE),
    "repeated_trigrams": Feature(mark("repeated three-word phrases"), ALONE),
    "smog": Feature(mark("share of long words (SMOG grade)"), ALONE),
    "word_length": Feature(mark("letters per word"), ALONE),
    "function_words": Feature(mark("share of function words"), ALONE),
    "coherence": Feature(mark("closeness of neighbouring sentences"), ALONE),
    "coherence_least": Feature(mark("closeness of the two neighbouring sentences furthest apart"), ALONE),
    "redundancy": Feature(mark("closeness of its two most alike sentences"), ALONE),
    "ends_whole": Feature(mark("ends with a full stop"), ALONE),
    "ends_open": Feature(mark("breaks off in mid sentence"), ALONE),
    "punctuation": Feature(mark("share of punctuation"), ALONE),
    "digits": Feature(mark("share of digits"), ALONE),
    "loose_signs": Feature(mark("loose signs and unknown words"), ALONE),
    "refusal": Feature(mark("says that it cannot answer"), ALONE),
    "context_cosine": Feature(mark("closeness to the whole source"), CONTEXT),
    "grounding": Feature(mark("sentences found again in the source (mean)"), CONTEXT),
    "grounding_least": Feature(mark("sentences found again in the source (the least)"), CONTEXT),
    "word_grounding": Feature(mark("words of a sentence in one source sentence (mean)"), CONTEXT),
    "word_grounding_least": Feature(mark("words of a sentence in one source sentence (the least)"), CONTEXT),
    "coverage": Feature(mark("coverage of the source"), CONTEXT),
    "lead_coverage": Feature(mark("coverage of the source's first sentences"), CONTEXT),
    "source_place": Feature(mark("place in the source it draws on"), CONTEXT),
    "source_spread": Feature(mark("spread over the source"), CONTEXT),
    "source_order": Feature(mark("sentences in the order of the source"), CONTEXT),
    "source_again": Feature(mark("says the same thing twice in a row"), CONTEXT),
    "novel_bigrams": Feature(mark("word pairs that are not in the source"), CONTEXT),
    "novel_trigrams": Feature(mark("three-word phrases that are not in the source"), CONTEXT),
    "longest_copy": Feature(mark("longest run copied from the source"), CONTEXT),
    "copy_density": Feature(mark("copying in long runs"), CONTEXT),
    "shortened_to": Feature(mark("length beside the source"), CONTEXT),
    "strange_numbers": Feature(mark("numbers that are not in the source"), CONTEXT),
    "salient_words": Feature(mark("most frequent words of the source"), CONTEXT),
    "reference_cosine_best": Feature(mark("closeness to the nearest reference"), REFERENCE),
    "reference_cosine_mean": Feature(mark("closeness to the references (mean)"), REFERENCE),
    "rouge1_best": Feature(mark("words shared with the nearest reference"), REFERENCE),
    "rouge1_mean": Feature(mark("words shared with the references (mean)"), REFERENCE),
    "rouge1_precision": Feature(mark("share of its words in a reference"), REFERENCE),
    "rouge1_recall": Feature(mark("share of a reference's words in it"), REFERENCE),
    "rouge2_best": Feature(mark("word pairs shared with the nearest reference"), REFERENCE),
    "rouge2_mean": Feature(mark("word pairs shared with the references (mean)"), REFERENCE),
    "rougeL_best": Feature(mark("word order shared with the nearest reference"), REFERENCE),
    "rougeL_mean": Feature(mark("word order shared with the references (mean)"), REFERENCE),
    "length_ratio": Feature(mark("length beside the references"), REFERENCE),
    "answer_exact": Feature(mark("equal to a gold answer"), REFERENCE),
    "answer_f1": Feature(mark("words shared with a gold answer (F1)"), REFERENCE),
    "answer_holds_gold": Feature(mark("holds a gold answer"), REFERENCE),
    "gold_holds_answer": Feature(mark("is part of a gold answer"), REFERENCE),
    "answer_letters": Feature(mark("letters shared with a gold answer"), REFERENCE),
    "question_cosine": Feature(mark("closeness to the question"), QUESTION),
    "question_words": Feature(mark("words of the question taken up"), QUESTION),
    "question_echo": Feature(mark("share of its words that stand in the question"), QUESTION),
}


@dataclass(frozen=True)
class FeatureTable:
    """One row a response, one column a feature; NaN where an item lacks what it is compared with.

    Attributes:
        names: of `FEATURES`; only those that are there for at least one response and differ.
        values: shape (responses, features).
        item: a number for each response's item.
        encoder: what cosines come from: a model's name, or `tfidf`.
    """

    names: tuple[str, ...]
    values: Floats
    item: Ints
    encoder: str

    def chosen(self, names: Sequence[str]) -> Floats:
        """Return these columns in this order; one that is not there is missing for all."""
        place = {name: column for column, name in enumerate(self.names)}
        empty = np.full(len(self.values), np.nan)
        columns = [self.values[:, place[name]] if name in place else empty for name in names]
        return np.column_stack(columns) if columns else np.zeros((len(self.values), 0))


def corpus_of(batch: Sequence[MetricInput]) -> Frequencies:
    """Return the words of contexts, questions and references; responses change nothing for one another."""
    return frequencies(
        text for one in batch for text in (one.context, one.question, *one.references) if text.strip()
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
    material = Material(batch)
    texts = material.texts()
    made = embed(texts, encoder, vectors=vectors, corpus=corpus or corpus_of(batch))
    near = Similarity(texts, made)
    columns = {}
    for part in (of_the_text, against_context, against_references, against_question):
        columns.update(part(material, near))
    names = [name for name in FEATURES if name in columns and _differs(columns[name])]
    values = np.column_stack([columns[name] for name in names]) if names else np.zeros((len(batch), 0))
    return FeatureTable(tuple(names), values, np.asarray(item, dtype=np.int64), near.encoder)


def _differs(column: Floats) -> bool:
    there = column[np.isfinite(column)]
    return len(there) > 0 and float(np.ptp(there)) > 0
