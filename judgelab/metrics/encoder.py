"""Texts as vectors: by the encoder that the settings name, or by TF-IDF, which is then said.

chosen()                      the encoder in effect: a model's name, or `tfidf`
embed(texts)                  their vectors; each distinct text is encoded once, known ones not again
embed(texts).pairs(i, j)      cosines of the texts i[k] and j[k]
embed(texts).table(i, j)      cosines of all texts i with all texts j
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from judgelab.config import settings
from judgelab.metrics.encoder_files import OFFLINE, has_torch, offline_folder
from judgelab.metrics.encoder_model import load
from judgelab.metrics.words import distinct, unicode_words

Floats = NDArray[np.float64]
Places = Sequence[int] | NDArray[np.int64]
TFIDF = "tfidf"
BLOCK = 2000  # texts that are encoded before their vectors are kept


class Vectors(Protocol):
    """A store of vectors that outlives a run, by model and hash of the text."""

    def load(self, model: str, hashes: Sequence[str]) -> Mapping[str, NDArray[np.float16]]:
        """Return the stored vectors of a model, by hash."""

    def keep(self, model: str, vectors: Mapping[str, NDArray[np.float16]]) -> None:
        """Store vectors."""


class Frequencies(NamedTuple):
    """How many texts a collection has, and in how many of them each word stands."""

    texts: int
    of: Mapping[str, int]


class TextVectors:
    """The vectors of some texts, each of length one; an empty text has none and is like nothing (cosine 0).

    Attributes:
        encoder: what made them.
        index: for each text given, the row of its vector.
    """

    def __init__(self, encoder: str, rows: Any, index: NDArray[np.int64]) -> None:
        self.encoder, self._rows, self.index = encoder, rows, index

    def pairs(self, left: Places, right: Places) -> Floats:
        """Return the cosine of the texts `left[k]` and `right[k]`, between -1 and 1."""
        a, b = self._of(left), self._of(right)
        if sparse.issparse(a):
            return _cosines(np.asarray(a.multiply(b).sum(axis=1)).ravel())
        return _cosines(np.einsum("ij,ij->i", a, b, dtype=float))

    def table(self, left: Places, right: Places) -> Floats:
        """Return the cosines of all texts `left` (rows) with all texts `right` (columns)."""
        product = self._of(left) @ self._of(right).T
        return _cosines(product.toarray() if sparse.issparse(product) else product)

    def dense(self) -> Floats:
        """Return the vectors, one row for each text given."""
        rows = self._rows[self.index]
        return np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=float)

    def _of(self, places: Places) -> Any:
        return self._rows[self.index[np.asarray(places, dtype=np.int64)]]


def current_encoder() -> str:
    """Return the encoder in effect: the setting; where it is empty the offline model, else TF-IDF."""
    if settings().encoder:
        return settings().encoder
    return OFFLINE if has_torch() and offline_folder() is not None else TFIDF


def frequencies(texts: Iterable[str]) -> Frequencies:
    """Return in how many of the distinct texts each word stands."""
    lists = unicode_words(list(dict.fromkeys(texts)))
    return Frequencies(len(lists), Counter(word for words in lists for word in set(words)))


def embed(
    texts: Sequence[str],
    encoder: str = "",
    *,
    vectors: Vectors | None = None,
    corpus: Frequencies | None = None,
) -> TextVectors:
    """Return the vectors of the texts.

    Args:
        texts: any number, repetitions welcome.
        encoder: a model as `encoder_model.load` takes it, or `tfidf`; empty for the one in effect.
        vectors: where known vectors are found and new ones are kept; they are the same either way, since
            all are rounded to float16.
        corpus: for TF-IDF: the collection whose rare words count more; without it all words count alike.

    Raises:
        InvalidInput: the model cannot be loaded.
    """
    name = encoder or current_encoder()
    distinct_texts, index = distinct(texts)
    if name == TFIDF:
        return TextVectors(TFIDF, _tfidf(distinct_texts, corpus), index)
    model = load(name)
    hashes = [text_hash(text) for text in distinct_texts]
    rows = np.zeros((len(distinct_texts), int(model.model.config.hidden_size)), dtype=np.float16)
    stored = dict(vectors.load(model.key, hashes)) if vectors else {}
    missing = [
        place
        for place, key in enumerate(hashes)
        if key not in stored and distinct_texts[place].strip(" \0\t\r\n")
    ]
    for place, key in enumerate(hashes):
        if key in stored:
            rows[place] = stored[key]
    for start in range(0, len(missing), BLOCK):
        block = missing[start : start + BLOCK]
        rows[block] = model.vectors([distinct_texts[place] for place in block])
        if vectors:
            vectors.keep(model.key, {hashes[place]: rows[place] for place in block})
    return TextVectors(name, _unit(rows.astype(np.float32)), index)


def text_hash(text: str) -> str:
    """Return the hash under which a text's vector is kept."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float32] = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)
    return unit


def _cosines(products: Any) -> Floats:
    cosines: Floats = np.clip(np.asarray(products, dtype=float), -1, 1)
    return cosines


def _tfidf(texts: Sequence[str], corpus: Frequencies | None) -> sparse.csr_array:
    """Return term counts times log((1 + N) / (1 + df)) + 1, each row of length one (as scikit-learn's)."""
    lists = unicode_words(texts)
    places: dict[str, int] = {}
    ids = np.array(
        [places.setdefault(word, len(places)) for words in lists for word in words], dtype=np.int64
    )
    owner = np.repeat(np.arange(len(lists)), [len(words) for words in lists])
    weights = np.ones(len(places))
    if corpus:
        document_counts = np.array([corpus.of.get(word, 0) for word in places], dtype=float)
        weights = np.log((1 + corpus.texts) / (1 + document_counts)) + 1
    rows = sparse.csr_array((weights[ids], (owner, ids)), shape=(len(texts), max(1, len(places))))
    rows.sum_duplicates()
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    scale = np.divide(1, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    return sparse.csr_array(sparse.diags_array(scale) @ rows)
