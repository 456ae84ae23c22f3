"""Answers compared with gold answers as SQuAD does: lower case, no punctuation, no articles, single spaces.

P. Rajpurkar et al., "SQuAD: 100,000+ questions for machine comprehension of text", 2016.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence

from judgelab.metrics.base import MetricInput, MetricScore
from judgelab.metrics.references import pairs, taken_together
from judgelab.wording import mark

PUNCTUATION = str.maketrans("", "", string.punctuation)
ARTICLES = re.compile(r"\b(a|an|the)\b")
LIMITS = mark("Articles are taken out for English only; languages written without spaces count as one word.")


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


def compared(
    compare: Callable[[str, str], float], batch: Sequence[MetricInput], how: str
) -> list[MetricScore]:
    """Return for each response its value over the gold answers, taken together as `how` says."""
    owners, responses, golds = pairs(batch, how)
    return taken_together(batch, owners, list(map(compare, responses, golds)), how)
