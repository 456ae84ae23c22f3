"""How many words, word pairs or words in order two texts share, for many pairs of texts at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, islice
from math import isqrt
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cpdist

from judgelab.metrics.words import Encoded, Ids

SURROGATES = range(0xD800, 0xE000)  # code points that no string may hold
LAST_CODE_POINT = 0x10FFFF
MOST_CELLS = 1 << 27  # bits of an LCS table kept at once: 16 MB


class Shared(NamedTuple):
    """The overlap of each pair of texts, and the size of each side."""

    hits: Ids
    left: Ids
    right: Ids


def shared_ngrams(texts: Encoded, left: Ids, right: Ids, *, n: int) -> Shared:
    """Return the clipped n-gram matches of the texts `left[i]` and `right[i]`; n is 1 or 2."""
    grams, counts, starts = _counted_ngrams(texts, n)
    kinds = int(grams.max(initial=0)) + 1
    pair_l, at_l = _gathered(starts, left)
    pair_r, at_r = _gathered(starts, right)
    # Both sides are sorted by pair and gram as they come: one search finds all matches.
    keys_l, keys_r = pair_l * kinds + grams[at_l], pair_r * kinds + grams[at_r]
    position = np.searchsorted(keys_l, keys_r)
    position[position == len(keys_l)] = 0
    same = keys_l[position] == keys_r if len(keys_l) else np.zeros(len(keys_r), dtype=bool)
    least = np.minimum(counts[at_l][position[same]], counts[at_r][same])
    hits = np.bincount(pair_r[same], weights=least, minlength=len(left)).astype(np.int64)
    sizes = np.maximum(texts.lengths() - n + 1, 0)
    return Shared(hits, sizes[left], sizes[right])


def _counted_ngrams(texts: Encoded, n: int) -> tuple[Ids, Ids, Ids]:
    """Return each text's distinct n-grams as small numbers, their counts, and where each text starts."""
    owner = np.repeat(np.arange(len(texts.starts) - 1), texts.lengths())
    grams = texts.ids
    if n == 2:
        inside = owner[1:] == owner[:-1]
        grams = (texts.ids[:-1] * texts.vocabulary + texts.ids[1:])[inside]
        owner = owner[1:][inside]
        grams = np.unique(grams, return_inverse=True)[1]
    kinds = int(grams.max(initial=0)) + 1
    keys, counts = np.unique(owner * kinds + grams, return_counts=True)
    starts = np.searchsorted(keys, np.arange(len(texts.starts)) * kinds)
    return keys % kinds, counts, starts


def _gathered(starts: Ids, chosen: Ids) -> tuple[Ids, Ids]:
    """Return, for every gram of the chosen texts in order, its pair and its position."""
    lengths = starts[chosen + 1] - starts[chosen]
    pair = np.repeat(np.arange(len(chosen)), lengths)
    before = np.cumsum(lengths) - lengths
    return pair, np.arange(len(pair)) + np.repeat(starts[chosen] - before, lengths)


def shared_in_order(texts: Encoded, left: Ids, right: Ids) -> Shared:
    """Return the length of the longest common subsequence of the texts `left[i]` and `right[i]`."""
    lengths = texts.lengths()
    words = _as_strings(texts)
    hits = cpdist(
        [words[i] for i in left], [words[i] for i in right], scorer=LCSseq.similarity, dtype=np.int64
    )
    return Shared(np.asarray(hits, dtype=np.int64), lengths[left], lengths[right])


def _as_strings(texts: Encoded) -> Sequence[Sequence[int] | str]:
    """Return each text as a string with one character a word: what the LCS code is quickest on."""
    if texts.vocabulary > LAST_CODE_POINT - len(SURROGATES):
        return [texts.of(text) for text in range(len(texts.starts) - 1)]
    codes = texts.ids + np.where(texts.ids >= SURROGATES.start, len(SURROGATES), 0)
    joined = codes.astype("<u4").tobytes().decode("utf-32-le")
    return [joined[start:end] for start, end in zip(texts.starts[:-1], texts.starts[1:], strict=True)]


def shared_by_sentence(left: Sequence[Sequence[int]], right: Sequence[Sequence[int]]) -> int:
    """Return the summary-level hits of ROUGE-Lsum between two texts given as sentences of word ids.

    For each sentence of `right` (the reference) the union of its longest common subsequences with all
    sentences of `left`; no word counts more often than it stands in either text. Of several longest
    subsequences the one is taken that rouge-score 0.1.2 takes: the number depends on it.
    """
    left_over = Counter(word for sentence in left for word in sentence)
    right_over = Counter(word for sentence in right for word in sentence)
    hits = 0
    for sentence in right:
        places: set[int] = set()
        for other in left:
            places |= _subsequence_places(sentence, other)
        for word in (sentence[place] for place in sorted(places)):
            if left_over[word] and right_over[word]:
                hits += 1
                left_over[word] -= 1
                right_over[word] -= 1
    return hits


def _subsequence_places(sentence: Sequence[int], other: Sequence[int]) -> set[int]:
    """Return the places in `sentence` of its longest common subsequence with `other`.

    The table is kept as one integer a column (Hyyrö 2004): bit i is 0 where the length grows at row i. Of
    long sentences only every k-th column is kept, and the columns between are made again on the way back.
    """
    full = (1 << len(sentence)) - 1
    masks: dict[int, int] = {}
    for place, word in enumerate(sentence):
        masks[word] = masks.get(word, 0) | 1 << place
    step = len(other) if len(sentence) * len(other) <= MOST_CELLS else isqrt(len(other))
    kept_columns = (
        list(islice(_columns(full, other[:-1], masks, full), 0, None, step)) if step < len(other) else [full]
    )
    places: set[int] = set()
    row, column = len(sentence), len(other)
    for block in reversed(range(len(kept_columns))):
        begin = block * step
        columns = list(_columns(kept_columns[block], other[begin:column], masks, full))
        while row and column > begin:
            if sentence[row - 1] == other[column - 1]:
                places.add(row - 1)
                row, column = row - 1, column - 1
            elif columns[column - begin] >> row - 1 & 1:
                row -= 1
            else:
                column -= 1
    return places


def _columns(first: int, words: Sequence[int], masks: Mapping[int, int], full: int) -> Iterator[int]:
    def following(column: int, word: int) -> int:
        matched = column & masks.get(word, 0)
        return (column + matched | column - matched) & full

    return accumulate(words, following, initial=first)
