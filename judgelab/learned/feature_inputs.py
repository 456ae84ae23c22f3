"""The learned judge's input: responses with their texts, split into words and sentences once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from judgelab.metrics.base import MetricInput
from judgelab.metrics.sentences import sentences
from judgelab.metrics.words import distinct
from judgelab.words import words_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Columns = dict[str, Floats]
SHORT_ANSWER = 10  # words
NUMBER = re.compile(r"\d[\d.,]*")


def words(text: str) -> list[str]:
    """Return the words of a text in lower case; an apostrophe joins them."""
    return words_of(text, quotes=True)


@dataclass(frozen=True)
class TextParts:
    """A text with its words and sentences."""

    text: str

    @cached_property
    def words(self) -> list[str]:
        """Return the words in lower case."""
        return words(self.text)

    @cached_property
    def sentences(self) -> list[str]:
        """Return the sentences."""
        return sentences(self.text)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """Return the numbers as written, without a point or comma at the end."""
        return frozenset(number.rstrip(".,") for number in NUMBER.findall(self.text))


class FeatureInputs:
    """A batch of responses; every distinct text is split once.

    Args:
        batch: one entry a response, in the order of the rows of all features.
    """

    def __init__(self, batch: Sequence[MetricInput]) -> None:
        self.batch = batch
        self.responses = _cut([entry.response for entry in batch])
        self.contexts = _cut([entry.context for entry in batch])
        self.questions = _cut([entry.question for entry in batch])

    def __len__(self) -> int:
        return len(self.batch)

    @cached_property
    def short_answers(self) -> bool:
        """Return whether the references are answers of a few words rather than texts."""
        lengths = [len(words(text)) for text in {text for entry in self.batch for text in entry.references}]
        return bool(lengths) and float(np.median(lengths)) <= SHORT_ANSWER

    def texts(self) -> list[str]:
        """Return every distinct text that similarities need: whole texts and sentences."""
        all_texts: list[str] = []
        for entry in self.batch:
            all_texts += [entry.response, entry.question, *entry.references]
        for parts in {id(c): c for c in (*self.responses, *self.contexts)}.values():
            all_texts += [parts.text, *parts.sentences]
        return [text for text in distinct(all_texts)[0] if text.strip()]


def _cut(texts: Sequence[str]) -> list[TextParts]:
    cut = {text: TextParts(text) for text in set(texts)}
    return [cut[text] for text in texts]
