"""Features of a response compared with its source text: what it took, from where, and what it added.

"Grounding" is the control of the learned judge: each sentence's cosine with the nearest source sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from judgelab.learned.feature_inputs import Columns, FeatureInputs, TextParts
from judgelab.learned.similarity import Similarity
from judgelab.learned.text_features import FUNCTION_WORDS

LEAD = 3  # sentences at the top of a source, where news puts what matters
SALIENT = 20  # most frequent content words of a source


def context_features(inputs: FeatureInputs, similarity: Similarity) -> Columns:
    """Return one column per feature, one row per response; missing if the item has no context."""
    sources: dict[int, _Source] = {}
    rows: list[dict[str, float] | None] = []
    for response, context in zip(inputs.responses, inputs.contexts, strict=True):
        if not context.words:
            rows.append(None)
            continue
        source = sources.setdefault(id(context), _Source(context))
        rows.append(_features(response, source, similarity))
    names = next((list(row) for row in rows if row is not None), [])
    columns = {
        name: np.array([np.nan if row is None else row[name] for row in rows], dtype=np.float64)
        for name in names
    }
    if names:
        cosine = similarity.pairs(
            [entry.response for entry in inputs.batch], [entry.context for entry in inputs.batch]
        )
        with_context = np.array([row is not None for row in rows])
        columns["context_cosine"] = np.where(with_context, cosine, np.nan)
    return columns


class _Source:
    """The parts of a source that do not depend on the response."""

    def __init__(self, cut: TextParts) -> None:
        self.cut = cut
        self.bigrams = set(_grams(cut.words, 2))
        self.trigrams = set(_grams(cut.words, 3))
        self.places: dict[str, list[int]] = {}
        for position, word in enumerate(cut.words):
            self.places.setdefault(word, []).append(position)
        self.by_sentence = [set(TextParts(sentence).words) for sentence in cut.sentences]
        content = Counter(word for word in cut.words if word not in FUNCTION_WORDS and len(word) > 2)
        self.salient = dict(content.most_common(SALIENT))


def _features(response: TextParts, source: _Source, similarity: Similarity) -> dict[str, float]:
    response_words, count = response.words, len(response.words)
    fragments = _fragments(response_words, source)
    values = {
        "novel_bigrams": _absent(_grams(response_words, 2), source.bigrams),
        "novel_trigrams": _absent(_grams(response_words, 3), source.trigrams),
        "longest_copy": float(max(fragments, default=0)),
        "copy_density": sum(length**2 for length in fragments) / count if count else 0.0,
        "shortened_to": count / max(len(source.cut.words), 1),
        "strange_numbers": _absent(sorted(response.numbers), source.cut.numbers),
        "salient_words": sum(n for word, n in source.salient.items() if word in set(response_words))
        / max(sum(source.salient.values()), 1),
    }
    if not response.sentences or not source.cut.sentences:
        return {**values, **dict.fromkeys(_BY_SENTENCE, np.nan)}
    return {**values, **_by_sentence(response, source, similarity)}


_BY_SENTENCE = (
    "grounding grounding_least word_grounding word_grounding_least coverage lead_coverage source_place "
    "source_spread source_order source_again"
).split()


def _by_sentence(response: TextParts, source: _Source, similarity: Similarity) -> dict[str, float]:
    grid = similarity.grid(response.sentences, source.cut.sentences)
    nearest = grid.max(axis=1)
    nearest_place = grid.argmax(axis=1)
    last = max(grid.shape[1] - 1, 1)
    word_overlap = np.array([_best_overlap(TextParts(text).words, source) for text in response.sentences])
    steps = np.diff(nearest_place)
    return {
        "grounding": float(nearest.mean()),
        "grounding_least": float(nearest.min()),
        "word_grounding": float(word_overlap.mean()),
        "word_grounding_least": float(word_overlap.min()),
        "coverage": float(grid.max(axis=0).mean()),
        "lead_coverage": float(grid[:, :LEAD].max(axis=0).mean()),
        "source_place": float(nearest_place.mean() / last),
        "source_spread": float(nearest_place.max() - nearest_place.min()) / last,
        "source_order": float((steps > 0).mean()) if len(steps) else np.nan,
        "source_again": float((steps == 0).mean()) if len(steps) else 0.0,
    }


def _best_overlap(words: Sequence[str], source: _Source) -> float:
    distinct_words = set(words)
    return max(
        (len(distinct_words & sentence_words) for sentence_words in source.by_sentence), default=0
    ) / max(len(distinct_words), 1)


def _grams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return list(zip(*(words[place:] for place in range(n)), strict=False))


def _absent(parts: Sequence[Any], known: Collection[Any]) -> float:
    return sum(part not in known for part in parts) / len(parts) if parts else 0.0


def _fragments(words: Sequence[str], source: _Source) -> list[int]:
    """Return the lengths of the runs copied from the source, longest first found from the left.

    M. Grusky et al., "Newsroom: a dataset of 1.3 million summaries", 2018, section 4.
    """
    source_words, lengths, place = source.cut.words, [], 0
    while place < len(words):
        longest = 0
        for start in source.places.get(words[place], ()):
            length = 0
            while (
                place + length < len(words)
                and start + length < len(source_words)
                and words[place + length] == source_words[start + length]
            ):
                length += 1
            longest = max(longest, length)
        if longest:
            lengths.append(longest)
        place += max(longest, 1)
    return lengths
