"""Texts as numbers: every distinct text is split into words once, every distinct word is stemmed once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from judgelab.metrics.porter import stem
from judgelab.words import words_of

Ids = NDArray[np.int64]
SHORTEST_STEMMED = 4
# Latin letters in lower case and digits stay, the separator NUL stays, everything else parts words.
ASCII_WORDS = bytes(
    ord(chr(code).lower()) if chr(code).isascii() and chr(code).isalnum() else 0 if code == 0 else 32
    for code in range(256)
)


class Encoded(NamedTuple):
    """Words of several texts as ids: those of text i are `ids[starts[i]:starts[i + 1]]`."""

    ids: Ids
    starts: Ids
    vocabulary: int

    def lengths(self) -> Ids:
        """Return the number of words of each text."""
        return np.diff(self.starts)

    def of(self, text: int) -> list[int]:
        """Return the ids of one text."""
        return list(map(int, self.ids[self.starts[text] : self.starts[text + 1]]))


class _Vocabulary(dict[str | bytes, int]):
    """The id of each word, given out at first sight; words with one stem share it."""

    def __init__(self, *, stemmed: bool) -> None:
        super().__init__()
        self.stemmed = stemmed
        self.known: dict[str, int] = {}

    def __missing__(self, token: str | bytes) -> int:
        word = token if isinstance(token, str) else token.decode("ascii")
        # rouge-score leaves words of three letters and fewer as they are.
        if self.stemmed and len(word) >= SHORTEST_STEMMED:
            word = stem(word)
        self[token] = word_id = self.known.setdefault(word, len(self.known))
        return word_id


def encode(texts: Sequence[str], *, stemmed: bool, tokenizer: str) -> Encoded:
    """Return the texts as word ids.

    Args:
        texts: best without repetitions, see `distinct`.
        stemmed: whether words with the same Porter stem are the same.
        tokenizer: "ascii" keeps a-z and 0-9 as rouge-score does, "unicode" the letters of all scripts.
    """
    tokens = _ascii_tokens(texts) if tokenizer == "ascii" else unicode_words(texts)
    vocabulary = _Vocabulary(stemmed=stemmed)
    lengths = np.fromiter(map(len, tokens), np.int64, len(tokens))
    flat = chain.from_iterable(tokens)
    ids = np.fromiter(map(vocabulary.__getitem__, flat), np.int64, int(lengths.sum()))
    return Encoded(ids, np.concatenate([[0], np.cumsum(lengths)]), len(vocabulary.known))


def distinct(texts: Iterable[str]) -> tuple[list[str], Ids]:
    """Return the texts without repetitions, and each given text's position among them."""
    places: dict[str, int] = {}
    index = [places.setdefault(text, len(places)) for text in texts]
    return list(places), np.array(index, dtype=np.int64)


def unicode_words(texts: Sequence[str]) -> list[list[str]]:
    """Return the words of each text in lower case: runs of letters and digits of any script.

    Marks belong to their letter, as in Hindi; scripts without blanks between words are cut by character.
    """
    return [words_of(text) for text in texts]


def _ascii_tokens(texts: Sequence[str]) -> Sequence[Sequence[str | bytes]]:
    if not texts:
        return []
    # Lower case first: some letters outside ASCII, the KELVIN SIGN for one, become Latin ones.
    cleaned = (text if text.isascii() else text.lower() for text in texts)
    joined = "\0".join(text.replace("\0", " ") for text in cleaned)
    words = joined.encode("ascii", "replace").translate(ASCII_WORDS)
    return [text.split() for text in words.split(b"\0")]


def split_words(texts: Sequence[str], tokenizer: str) -> dict[str, list[str]]:
    """Return the lower-case words of each distinct text.

    Args:
        texts: repetitions are split once.
        tokenizer: "ascii" or "unicode" as in `encode`, or "space" for what stands between blanks.
    """
    distinct_texts = list(dict.fromkeys(texts))
    if tokenizer == "space":
        return {text: text.lower().split() for text in distinct_texts}
    if tokenizer == "unicode":
        return dict(zip(distinct_texts, unicode_words(distinct_texts), strict=True))
    tokens = _ascii_tokens(distinct_texts)
    return {
        text: [token.decode("ascii") if isinstance(token, bytes) else token for token in line]
        for text, line in zip(distinct_texts, tokens, strict=True)
    }
