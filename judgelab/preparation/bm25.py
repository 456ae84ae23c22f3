"""BM25: which texts of a pool answer a question best (Robertson et al. 1994; with the idf of Lucene).

score(q, d) = sum over the words w of q of idf(w) · f(w, d)·(k1 + 1) / (f(w, d) + k1·(1 - b + b·|d|/avg|d|))
idf(w)      = ln(1 + (N - n(w) + 0.5) / (n(w) + 0.5))

N texts, n(w) of which hold w, f(w, d) times in d. This idf is never negative, so that a word in most texts of
a small pool does not speak against a text.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from judgelab.words import words_of

K1, B = 1.2, 0.75


def bm25_scores(query: str, texts: Sequence[str], *, k1: float = K1, b: float = B) -> list[float]:
    """Return the score of each text for the query; a word that occurs twice in the query counts twice."""
    counts = [Counter(words_of(text)) for text in texts]
    lengths = [count.total() for count in counts]
    mean = sum(lengths) / len(texts) if sum(lengths) else 1.0
    query_words = Counter(words_of(query))
    holding = {word: sum(word in count for count in counts) for word in query_words}
    scores = []
    for count, length in zip(counts, lengths, strict=True):
        total = 0.0
        for word, times in query_words.items():
            seen = count[word]
            if seen:
                idf = math.log(1 + (len(texts) - holding[word] + 0.5) / (holding[word] + 0.5))
                total += times * idf * seen * (k1 + 1) / (seen + k1 * (1 - b + b * length / mean))
        scores.append(total)
    return scores


def best_matches(query: str, texts: Sequence[str], top: int) -> list[int]:
    """Return the places of the `top` best texts, the best first; of equals the earlier one."""
    ranked = sorted(enumerate(bm25_scores(query, texts)), key=lambda ranking: (-ranking[1], ranking[0]))
    return [place for place, _ in ranked[: max(0, top)]]
