"""Answers compared with gold answers as SQuAD does: lower case, no punctuation, no articles, single spaces.

P. Rajpurkar et al., "SQuAD: 100,000+ questions for machine comprehension of text", 2016.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence

from judgelab.metrics.base import NO_REFERENCE, MetricInput, MetricScore

PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLES = re.compile(r"\b(a|an|the)\b")
LIMITS = "Articles are taken out for English only; languages written without spaces count as one word."


def normalised(text: str) -> str:
    """Return the text as it is compared."""
    return " ".join(ARTICLES.sub(" ", text.lower().translate(PUNCTUATION)).split())


def exact(response: str, gold: str) -> float:
    """Return 1 if the normalised texts are equal, else 0."""
    return float(normalised(response) == normalised(gold))


def word_f1(response: str, gold: str) -> float:
    """Return the harmonic mean of the shares of common words; two empty texts give 1, one empty text 0."""
    given, known = normalised(response).split(), normalised(gold).split()
    if not given or not known:
        return float(given == known)
    common = sum((Counter(given) & Counter(known)).values())
    return 2 * common / (len(given) + len(known))


def best_of(compare: Callable[[str, str], float], batch: Sequence[MetricInput]) -> list[MetricScore]:
    """Return for each response its best value over the gold answers."""
    return [
        MetricScore(max(compare(given.response, gold) for gold in given.references))
        if given.references
        else MetricScore(None, NO_REFERENCE)
        for given in batch
    ]
