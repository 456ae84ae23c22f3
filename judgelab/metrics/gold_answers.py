"""Answers compared with gold answers as SQuAD does: lower case, no punctuation, no articles, single spaces.

P. Rajpurkar et al., "SQuAD: 100,000+ questions for machine comprehension of text", 2016.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence

from judgelab.metrics.base import MetricInput, MetricScore
from judgelab.metrics.references import pairs, taken_together
from judgelab.wording import mark
from judgelab.words import share_unspaced, words_of

# SQuAD's program knows the punctuation of ASCII alone; that of other scripts goes, too. Typographic quotes
# and dashes stay, as they do there.
PUNCTUATION = str.maketrans(
    "",
    "",
    string.punctuation
    + "".join(
        sign
        for sign in map(chr, (*range(0x370, 0x2000), *range(0x3000, 0x10000)))
        if unicodedata.category(sign).startswith("P")
    ),
)
ARTICLES = re.compile(r"\b(a|an|the)\b")
LIMITS = mark("Articles are removed in English only; scripts without spaces are split by character.")


def normalised(text: str) -> str:
    """Return the text in the form that is compared."""
    lower = unicodedata.normalize("NFC", text).lower()
    return " ".join(ARTICLES.sub(" ", lower.translate(PUNCTUATION)).split())


def answer_words(text: str) -> list[str]:
    """Return the words of the normalised text; characters where a script sets no blanks between words."""
    return [
        word
        for part in normalised(text).split()
        for word in (words_of(part) if share_unspaced(part) else [part])
    ]


def exact(response: str, gold: str) -> float:
    """Return 1 if the normalised texts are equal, else 0."""
    return float(normalised(response) == normalised(gold))


def contained(response: str, gold: str) -> float:
    """Return 1 if the response contains the words of the gold answer in a row (both normalised), else 0.

    A gold answer without a word is contained in no response.
    """
    gold_words, response_words = answer_words(gold), answer_words(response)
    return float(bool(gold_words) and f" {' '.join(gold_words)} " in f" {' '.join(response_words)} ")


def word_f1(response: str, gold: str) -> float:
    """Return the harmonic mean of the shares of common words; two empty texts give 1, one empty text 0."""
    response_words, gold_words = answer_words(response), answer_words(gold)
    if not response_words or not gold_words:
        return float(response_words == gold_words)
    common = sum((Counter(response_words) & Counter(gold_words)).values())
    return 2 * common / (len(response_words) + len(gold_words))


def compared(
    compare: Callable[[str, str], float], batch: Sequence[MetricInput], how: str
) -> list[MetricScore]:
    """Return each response's value over its gold answers, aggregated as `how` says."""
    owners, responses, golds = pairs(batch, how)
    return taken_together(batch, owners, list(map(compare, responses, golds)), how)
