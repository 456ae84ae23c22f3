"""Repscore: how little a text repeats itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from judgelab.metrics.base import NO_WORD, Metric, MetricInput, MetricScore, metrics
from judgelab.metrics.references import UNSEEN_RESPONSE, WORDS
from judgelab.metrics.words import split_words
from judgelab.wording import mark
from judgelab.words import MAX_UNSEEN, share_non_ascii


class Repscore(Metric):
    """Distinct words divided by all words."""

    name = "repscore"
    title = mark("Repscore")
    summary = mark("Share of distinct words among all words of the response; 1 if no word is repeated.")
    limits = mark("Decreases with length in every language; scripts without spaces are counted by character.")
    best: ClassVar[float | None] = None
    needs_references = False
    options = (WORDS,)

    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return a number above 0 and up to 1 for each response that has a word."""
        texts, tokenizer = [entry.response for entry in batch], self.settle(options)["tokenizer"]
        words = split_words(texts, tokenizer)
        unseen = [tokenizer == "ascii" and share_non_ascii(text) > MAX_UNSEEN for text in texts]
        return [
            MetricScore(None, UNSEEN_RESPONSE) if hidden else _share(words[text])
            for text, hidden in zip(texts, unseen, strict=True)
        ]


def _share(words: Sequence[str]) -> MetricScore:
    return MetricScore(len(set(words)) / len(words)) if words else MetricScore(None, NO_WORD)


metrics.register("repscore")(Repscore())
