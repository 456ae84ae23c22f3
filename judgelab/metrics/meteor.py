"""METEOR of 2007, equal to NLTK 3.10.4's `single_meteor_score`, with or without WordNet's synonyms.

A. Lavie and A. Agarwal, "METEOR: an automatic metric for MT evaluation with high levels of correlation with
human judgments", 2007: F = P R / (a P + (1 - a) R), penalty = c (chunks / matches)^b, score = (1 - penalty) F
with a = .9, b = 3, c = .5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

from judgelab.metrics.base import Metric, MetricInput, MetricScore, Option, metrics
from judgelab.metrics.porter import stem
from judgelab.metrics.references import REFERENCES, WORDS, pairs, taken_together, unseen_in
from judgelab.metrics.wordnet import synonyms
from judgelab.metrics.words import split_words
from judgelab.wording import mark

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
Alike = Callable[[str], Iterable[str]]


def meteor(response: Sequence[str], reference: Sequence[str], alike: Alike | None = None) -> float:
    """Return METEOR of two lists of lower-case words, from 0 to 1; 0 where no word matches.

    Args:
        response: its words.
        reference: its words.
        alike: the synonyms of a word; without it words match by their letters and by their stems alone.
    """
    matches, left, right = _matched(list(enumerate(response)), list(enumerate(reference)))
    if left and right:
        # As in NLTK: the rest is matched as stems, for synonyms too.
        left = [(place, stem(word)) for place, word in left]
        right = [(place, stem(word)) for place, word in right]
        stem_matches, left, right = _matched(left, right)
        matches += stem_matches
        if alike and left and right:
            matches += _matched_alike(left, right, alike)
    if not matches:
        return 0.0
    precision, recall = len(matches) / len(response), len(matches) / len(reference)
    mean: float = precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)
    matches.sort()
    chunks = 1 + sum(
        after != (before[0] + 1, before[1] + 1) for before, after in zip(matches, matches[1:], strict=False)
    )
    penalty: float = GAMMA * (chunks / len(matches)) ** BETA
    return (1 - penalty) * mean


Word = tuple[int, str]


def _matched(left: list[Word], right: list[Word]) -> tuple[list[tuple[int, int]], list[Word], list[Word]]:
    """Return the matched positions, last words first, and the unmatched words of both sides."""
    places: dict[str, list[int]] = {}
    for at, (_, word) in enumerate(right):
        places.setdefault(word, []).append(at)
    matches = []
    unmatched = []
    used = set()
    for pair in reversed(left):
        at_word = places.get(pair[1])
        if at_word:
            at = at_word.pop()
            used.add(at)
            matches.append((pair[0], right[at][0]))
        else:
            unmatched.append(pair)
    if not matches:
        return matches, left, right
    unmatched.reverse()
    return matches, unmatched, [pair for at, pair in enumerate(right) if at not in used]


def _matched_alike(left: Sequence[Word], right: Sequence[Word], alike: Alike) -> list[tuple[int, int]]:
    """Return the positions matched by synonyms; each word takes the last position of any synonym."""
    places: dict[str, list[int]] = {}
    for at, (_, word) in enumerate(right):
        places.setdefault(word, []).append(at)
    matches = []
    for place, word in reversed(left):
        open_places = [places[synonym] for synonym in {*alike(word), word} if places.get(synonym)]
        if open_places:
            matches.append((place, right[max(open_places, key=lambda at_word: at_word[-1]).pop()][0]))
    return matches


class Meteor(Metric):
    """METEOR as a metric."""

    name = "meteor"
    title = mark("METEOR (exact + stem)")
    summary = mark("Overlap of words and word stems, with a penalty for a different word order, from 0 to 1.")
    limits = mark("Stems and synonyms work in English only; in other languages, only identical words match.")
    telling: ClassVar[tuple[str, ...]] = ("wordnet",)
    options = (
        REFERENCES,
        Option(
            "wordnet",
            "bool",
            False,
            help=mark(
                "Also match WordNet synonyms; WordNet must be installed on this machine (see "
                "docs/metrics.md)."
            ),
        ),
        WORDS,
    )

    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return each response's METEOR, aggregated over its references as the options say."""
        chosen = self.settle(options)
        alike = synonyms() if chosen["wordnet"] else None
        owners, responses, references = pairs(batch, chosen["references"])
        words = split_words([*responses, *references], chosen["tokenizer"])
        values = [
            meteor(words[response], words[reference], alike)
            for response, reference in zip(responses, references, strict=True)
        ]
        unseen = unseen_in(responses, references, chosen)
        return taken_together(batch, owners, values, chosen["references"], unseen=unseen)


metrics.register("meteor")(Meteor())
