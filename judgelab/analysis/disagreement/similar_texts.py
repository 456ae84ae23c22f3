"""Groups of texts that use the same words, by TF-IDF and k-means; pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy
from scipy import sparse

from judgelab.words import is_unspaced, words_of

SHORTEST = 3  # letters of a telling word; in scripts without blanks, one character is enough
TERMS, MOST_DIMENSIONS, LEAST_TEXTS = 3, 24, 20
UNTIE = 1e-4  # by which a term's weight is changed at most


class TextGroups(NamedTuple):
    """The group of each text, and each group's name: the terms that distinguish it."""

    group: npt.NDArray[np.int64]
    names: tuple[str, ...]


def _is_telling(word: str) -> bool:
    return is_unspaced(word) or (len(word) >= SHORTEST and not any(map(str.isdigit, word)))


def text_groups(texts: Sequence[str], *, groups: int = 6, seed: int = 0) -> TextGroups | None:
    """Return groups of texts that share words, named by their three most telling terms.

    TF-IDF over words of three letters or more that occur in at least two texts and in at most half of them,
    reduced to the largest singular vectors, then k-means with k-means++ starts. None for fewer than twenty
    texts, or if too few words are shared.

    Args:
        texts: one per response.
        groups: maximum number of groups.
        seed: seed of the start.
    """
    if len(texts) < LEAST_TEXTS:
        return None
    words = [Counter(filter(_is_telling, words_of(text))) for text in texts]
    texts_with_word = Counter(word for counts in words for word in counts)
    terms = sorted(word for word, n in texts_with_word.items() if 2 <= n <= len(texts) / 2)
    if len(terms) < groups:
        return None
    column_by_word = {word: column for column, word in enumerate(terms)}
    rows, columns, values = [], [], []
    for row, counts in enumerate(words):
        for word, n in counts.items():
            if word in column_by_word:
                rows.append(row)
                columns.append(column_by_word[word])
                values.append((1 + np.log(n)) * np.log(len(texts) / texts_with_word[word]))
    table = sparse.csr_array((values, (rows, columns)), shape=(len(texts), len(terms)))
    length = np.sqrt(table.multiply(table).sum(axis=1))
    table = sparse.diags_array(1 / np.maximum(length, 1e-12)) @ table
    dimensions = min(MOST_DIMENSIONS, min(table.shape) - 1)
    # Texts made from one pattern are equally far from one another. Which of them form a group would depend on
    # the last digit, and so on the number of processors.
    slightly = 1 + UNTIE * np.random.default_rng(seed).uniform(-1, 1, len(terms))
    table = table @ sparse.diags_array(slightly)
    # Seeded, because the search for singular vectors starts at a random vector.
    left_vectors, size, _ = sparse.linalg.svds(table, k=dimensions, rng=np.random.default_rng(seed))
    reduced = left_vectors * size
    _, label = scipy.cluster.vq.kmeans2(
        reduced, groups, minit="++", rng=np.random.default_rng(seed), missing="warn"
    )
    return _name_groups(label.astype(np.int64), table, terms)


def _name_groups(group_of_text: npt.NDArray[np.int64], table: Any, terms: Sequence[str]) -> TextGroups:
    used = np.unique(group_of_text)
    number = {int(old): new for new, old in enumerate(used)}
    mean_weights = table.mean(axis=0)
    names = []
    for old in used:
        telling = table[group_of_text == old].mean(axis=0) - mean_weights
        best = np.argsort(-telling, kind="stable")[:TERMS]
        names.append(", ".join(terms[column] for column in best))
    return TextGroups(np.array([number[int(old)] for old in group_of_text], dtype=np.int64), tuple(names))
