"""ROUGE-1, -2, -L and -Lsum, equal to rouge-score 0.1.2 and computed for many pairs at once.

C.-Y. Lin, "ROUGE: a package for automatic evaluation of summaries", 2004.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from judgelab.metrics.base import Metric, MetricInput, MetricScore, Option, metrics
from judgelab.metrics.overlaps import Shared, shared_by_sentence, shared_in_order, shared_ngrams
from judgelab.metrics.references import PART, REFERENCES, pairs, taken_together, unseen_in
from judgelab.metrics.words import Encoded, Ids, distinct, encode
from judgelab.wording import mark

Floats = NDArray[np.float64]
KINDS = ("rouge1", "rouge2", "rougeL", "rougeLsum")
MOST_WORDS = 4_000_000  # words of one block of pairs: keeps a block below about 300 MB
OPTIONS = (
    REFERENCES,
    PART,
    Option("stemmer", "bool", False, help=mark("Treat words with the same Porter stem (English) as equal.")),
    Option(
        "tokenizer",
        "choice",
        "ascii",
        ("ascii", "unicode"),
        mark("ascii: a to z and digits, like rouge-score; unicode: all letters."),
    ),
)
SENTENCES = Option(
    "sentences",
    "choice",
    "newline",
    ("newline", "full_stop"),
    mark("full_stop also splits sentences at ' . '."),
)


class Rouge(NamedTuple):
    """Precision, recall and F1 of each pair."""

    p: Floats
    r: Floats
    f: Floats


def rouge(
    kinds: Sequence[str],
    responses: Sequence[str],
    references: Sequence[str],
    *,
    stemmer: bool = False,
    tokenizer: str = "ascii",
    sentences: str = "newline",
) -> dict[str, Rouge]:
    """Return precision, recall and F1 of each response against the reference at its place, by kind.

    Each is between 0 and 1; 0 where either text has no word that the tokenizer sees.

    Args:
        kinds: of `KINDS`.
        responses: as many as references.
        references: as many as responses.
        stemmer: compare Porter stems of words with four letters and more.
        tokenizer: "ascii" or "unicode".
        sentences: for rougeLsum: a sentence ends at a newline, with "full_stop" also at " . ".
    """
    rates: dict[str, Rouge] = {}
    plain = [kind for kind in kinds if kind != "rougeLsum"]
    if plain:
        texts, index = distinct([*responses, *references])
        encoded = encode(texts, stemmed=stemmer, tokenizer=tokenizer)
        left, right = index[: len(responses)], index[len(responses) :]
        rates = {kind: _rates(_in_blocks(SHARING[kind], encoded, left, right)) for kind in plain}
    if "rougeLsum" in kinds:
        parted = [_sentences(text, sentences) for text in (*responses, *references)]
        rates["rougeLsum"] = _rates(_summary_level(parted, stemmer=stemmer, tokenizer=tokenizer))
    return rates


Sharing = Callable[[Encoded, Ids, Ids], Shared]
SHARING: Mapping[str, Sharing] = {
    "rouge1": lambda texts, left, right: shared_ngrams(texts, left, right, n=1),
    "rouge2": lambda texts, left, right: shared_ngrams(texts, left, right, n=2),
    "rougeL": shared_in_order,
}


def _in_blocks(share: Sharing, texts: Encoded, left: Ids, right: Ids) -> Shared:
    lengths = texts.lengths()
    parts = [share(texts, left[block], right[block]) for block in _blocks(lengths[left] + lengths[right] + 1)]
    return Shared(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _blocks(words: Ids) -> Iterator[slice]:
    """Yield slices of pairs with about `MOST_WORDS` words each; at least one, at least one pair in each."""
    number = np.cumsum(words) // MOST_WORDS
    edges = [0, *(np.flatnonzero(np.diff(number)) + 1).tolist(), len(words)]
    yield from (slice(begin, end) for begin, end in zip(edges[:-1], edges[1:], strict=True))


def _summary_level(parted: Sequence[Sequence[str]], *, stemmer: bool, tokenizer: str) -> Shared:
    texts, index = distinct(sentence for text in parted for sentence in text)
    encoded = encode(texts, stemmed=stemmer, tokenizer=tokenizer)
    ids = [encoded.of(text) for text in range(len(texts))]
    ends = np.cumsum([len(text) for text in parted])
    sentence_ids = [
        [ids[i] for i in index[end - len(text) : end]] for text, end in zip(parted, ends, strict=True)
    ]
    half = len(sentence_ids) // 2
    pairs = list(zip(sentence_ids[:half], sentence_ids[half:], strict=True))
    columns = (
        [shared_by_sentence(response, reference) for response, reference in pairs],
        [sum(map(len, response)) for response, _ in pairs],
        [sum(map(len, reference)) for _, reference in pairs],
    )
    return Shared(*(np.array(column, dtype=np.int64) for column in columns))


def _sentences(text: str, where: str) -> list[str]:
    return [
        line for line in (text.replace(" . ", "\n") if where == "full_stop" else text).split("\n") if line
    ]


def _rates(shared: Shared) -> Rouge:
    precision = shared.hits / np.maximum(shared.left, 1)
    recall = shared.hits / np.maximum(shared.right, 1)
    total = precision + recall
    f = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
    return Rouge(precision, recall, f)


class RougeMetric(Metric):
    """One kind of ROUGE as a metric."""

    limits = mark(
        "Designed for English: the ascii tokenizer drops all letters except a to z, the stemmer supports "
        "no other language, and a correct text in different words gets a low score."
    )

    def __init__(self, name: str, title: str, summary: str, *options: Option) -> None:
        self.name, self.title, self.summary, self.options = name, title, summary, (*OPTIONS, *options)

    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return each response's ROUGE, aggregated over its references as the options say."""
        chosen = self.settle(options)
        owners, responses, references = pairs(batch, chosen["references"])
        how = {name: chosen[name] for name in chosen if name in ("stemmer", "tokenizer", "sentences")}
        values = getattr(rouge([self.name], responses, references, **how)[self.name], chosen["part"])
        unseen = unseen_in(responses, references, chosen)
        return taken_together(batch, owners, values.tolist(), chosen["references"], unseen=unseen)


metrics.register("rouge1")(
    RougeMetric(
        "rouge1", "ROUGE-1", mark("Share of words that response and reference have in common, from 0 to 1.")
    )
)
metrics.register("rouge2")(
    RougeMetric(
        "rouge2",
        "ROUGE-2",
        mark("Share of pairs of neighbouring words that response and reference have in common, from 0 to 1."),
    )
)
metrics.register("rougeL")(
    RougeMetric(
        "rougeL",
        "ROUGE-L",
        mark("Share of words that response and reference have in the same order, from 0 to 1."),
    )
)
metrics.register("rougeLsum")(
    RougeMetric(
        "rougeLsum",
        "ROUGE-Lsum",
        mark("Share of words in the same order, sentence by sentence, from 0 to 1."),
        SENTENCES,
    )
)
