"""Features of a response beside the text it stands on: what it took, from where, and what it added.

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


def context_features(material: FeatureInputs, near: Similarity) -> Columns:
    """Return one column a feature, one row a response; missing where the item has no context."""
    sources: dict[int, _Source] = {}
    rows: list[dict[str, float] | None] = []
    for response, context in zip(material.responses, material.contexts, strict=True):
        if not context.words:
            rows.append(None)
            continue
        source = sources.setdefault(id(context), _Source(context))
        rows.append(_features(response, source, near))
    names = next((list(row) for row in rows if row is not None), [])
    found = {
        name: np.array([np.nan if row is None else row[name] for row in rows], dtype=np.float64)
        for name in names
    }
    if names:
        cosine = near.pairs([one.response for one in material.batch], [one.context for one in material.batch])
        there = np.array([row is not None for row in rows])
        found["context_cosine"] = np.where(there, cosine, np.nan)
    return found


class _Source:
    """What of a source does not depend on the response."""

    def __init__(self, cut: TextParts) -> None:
        self.cut = cut
        self.bigrams = set(_grams(cut.words, 2))
        self.trigrams = set(_grams(cut.words, 3))
        self.places: dict[str, list[int]] = {}
        for place, word in enumerate(cut.words):
            self.places.setdefault(word, []).append(place)
        self.by_sentence = [set(TextParts(sentence).words) for sentence in cut.sentences]
        content = Counter(word for word in cut.words if word not in FUNCTION_WORDS and len(word) > 2)
        self.salient = dict(content.most_common(SALIENT))


def _features(response: TextParts, source: _Source, near: Similarity) -> dict[str, float]:
    own, count = response.words, len(response.words)
    fragments = _fragments(own, source)
    found = {
        "novel_bigrams": _absent(_grams(own, 2), source.bigrams),
        "novel_trigrams": _absent(_grams(own, 3), source.trigrams),
        "longest_copy": float(max(fragments, default=0)),
        "copy_density": sum(length**2 for length in fragments) / count if count else 0.0,
        "shortened_to": count / max(len(source.cut.words), 1),
        "strange_numbers": _absent(sorted(response.numbers), source.cut.numbers),
        "salient_words": sum(n for word, n in source.salient.items() if word in set(own))
        / max(sum(source.salient.values()), 1),
    }
    if not response.sentences or not source.cut.sentences:
        return {**found, **dict.fromkeys(_BY_SENTENCE, np.nan)}
    return {**found, **_by_sentence(response, source, near)}


_BY_SENTENCE = (
    "grounding grounding_least word_grounding word_grounding_least coverage lead_coverage source_place "
    "source_spread source_order source_again"
).split()


def _by_sentence(response: TextParts, source: _Source, near: Similarity) -> dict[str, float]:
    grid = near.grid(response.sentences, source.cut.sentences)
    nearest = grid.max(axis=1)
    place = grid.argmax(axis=1)
    last = max(grid.shape[1] - 1, 1)
    shared = np.array([_best_overlap(TextParts(text).words, source) for text in response.sentences])
    steps = np.diff(place)
    return {
        "grounding": float(nearest.mean()),
        "grounding_least": float(nearest.min()),
        "word_grounding": float(shared.mean()),
        "word_grounding_least": float(shared.min()),
        "coverage": float(grid.max(axis=0).mean()),
        "lead_coverage": float(grid[:, :LEAD].max(axis=0).mean()),
        "source_place": float(place.mean() / last),
        "source_spread": float(place.max() - place.min()) / last,
        "source_order": float((steps > 0).mean()) if len(steps) else np.nan,
        "source_again": float((steps == 0).mean()) if len(steps) else 0.0,
    }


def _best_overlap(words: Sequence[str], source: _Source) -> float:
    own = set(words)
    return max((len(own & other) for other in source.by_sentence), default=0) / max(len(own), 1)


def _grams(words: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return list(zip(*(words[place:] for place in range(n)), strict=False))


def _absent(own: Sequence[Any], known: Collection[Any]) -> float:
    return sum(one not in known for one in own) / len(own) if own else 0.0


def _fragments(own: Sequence[str], source: _Source) -> list[int]:
    """Return the lengths of the runs copied from the source, longest first found from the left.

    M. Grusky et al., "Newsroom: a dataset of 1.3 million summaries", 2018, section 4.
    """
    theirs, found, place = source.cut.words, [], 0
    while place < len(own):
        longest = 0
        for start in source.places.get(own[place], ()):
            length = 0
            while (
                place + length < len(own)
                and start + length < len(theirs)
                and own[place + length] == theirs[start + length]
            ):
                length += 1
            longest = max(longest, length)
        if longest:
            found.append(longest)
        place += max(longest, 1)
    return found
