"""Similarity of two texts: cosines from the encoder in effect or, without one, from TF-IDF."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judgelab.learned.feature_inputs import Floats, Ints
from judgelab.metrics.encoder import TextVectors


class Similarity:
    """Cosines by text; a text that was not encoded has a cosine of 0 with every other.

    Args:
        texts: the distinct texts, in the order of the embedding.
        embedding: their vectors.
    """

    def __init__(self, texts: Sequence[str], embedding: TextVectors) -> None:
        self.encoder = embedding.encoder
        self._place = {text: place for place, text in enumerate(texts)}
        self._embedding = embedding

    def of(self, texts: Sequence[str]) -> Ints:
        """Return the positions of these texts' vectors; -1 for a text without one."""
        return np.array([self._place.get(text, -1) for text in texts], dtype=np.int64)

    def pairs(self, left: Sequence[str], right: Sequence[str]) -> Floats:
        """Return the cosine of `left[i]` and `right[i]`; 0 if either has no vector."""
        a, b = self.of(left), self.of(right)
        encoded = (a >= 0) & (b >= 0)
        cosines = np.zeros(len(a))
        if encoded.any():
            cosines[encoded] = self._embedding.pairs(a[encoded], b[encoded])
        return cosines

    def grid(self, left: Sequence[str], right: Sequence[str]) -> Floats:
        """Return the cosines of every text on the left with every text on the right."""
        a, b = self.of(left), self.of(right)
        cosines = np.zeros((len(a), len(b)))
        if (a >= 0).any() and (b >= 0).any():
            cosines[np.ix_(a >= 0, b >= 0)] = self._embedding.table(a[a >= 0], b[b >= 0])
        return cosines
