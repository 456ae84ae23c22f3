"""Turn words that people choose from into scales: leading numbers, known orders of words, and labels."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from judgelab.domain import Criterion
from judgelab.imports.core.cells import passes
from judgelab.imports.core.scale_inference import key_of
from judgelab.scales import CANNOT_JUDGE, scale_from_json
from judgelab.scales.binary import WORDS
from judgelab.scales.categorical import FEWEST_LABELS, MOST_LABELS, why_no_label
from judgelab.wording import sentence

# From worst to best; a criterion may use any words of one row.
LADDERS: tuple[tuple[str, ...], ...] = (
    ("strongly disagree", "disagree", "neither agree nor disagree", "neutral", "agree", "strongly agree"),
    (
        "unacceptable",
        "terrible",
        "very bad",
        "very poor",
        "bad",
        "poor",
        "weak",
        "fair",
        "ok",
        "okay",
        "average",
    )
    + ("acceptable", "adequate", "good", "very good", "great", "excellent", "perfect"),
    ("very low", "low", "medium", "moderate", "high", "very high"),
    ("never", "rarely", "seldom", "sometimes", "often", "usually", "always"),
    ("not at all", "slightly", "somewhat", "moderately", "mostly", "very", "extremely", "completely"),
    (
        "irrelevant",
        "somewhat relevant",
        "partially relevant",
        "partly relevant",
        "relevant",
        "highly relevant",
    ),
    ("incorrect", "wrong", "partially correct", "partly correct", "mostly correct", "correct"),
    ("very negative", "negative", "neutral", "positive", "very positive"),
    ("no", "partly", "partially", "somewhat", "mostly", "yes"),
    ("critical", "severe", "major", "moderate", "minor", "none"),
    ("bronze", "silver", "gold"),
)
AGREEMENT = frozenset(LADDERS[0])
# 4/5, 80 %, "Good (4)", stars: no labels, though they are no plain numbers either.
_MEANT_AS_NUMBER = re.compile(r"^[\d.,]+\s*(?:/\s*[\d.]+|%)$|\([\d.]+\)$|^[\u2605\u2606\u2b50\s]+$")
_LEADING = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(?:$|[-–—:.)(]|\bstars?\b|\bpoints?\b|/)", re.IGNORECASE)


def leading_number(word: str) -> float | str:
    """Return the number that a choice begins with, or the word itself.

    >>> leading_number("4 - good"), leading_number("3 stars"), leading_number("good")
    (4.0, 3.0, 'good')
    """
    match = _LEADING.match(word)
    return float(match[1]) if match else word


def ordered_words(words: Sequence[str]) -> list[str] | None:
    """Return the words from worst to best, or None if their order is not known.

    For agreement, both ends are always included, and all five words if one of the chosen words is strong.

    >>> ordered_words(["Good", "Very bad", "fair"])
    ['Very bad', 'fair', 'Good']
    >>> ordered_words(["none", "critical", "minor"])
    ['critical', 'minor', 'none']
    >>> ordered_words(["agree", "Strongly agree"])
    ['Strongly disagree', 'Disagree', 'Neutral', 'agree', 'Strongly agree']
    >>> ordered_words(["Very helpful", "Not at all helpful"])
    ['Not at all helpful', 'Very helpful']
    >>> ordered_words(["red", "blue"]) is None
    True
    """
    if words and AGREEMENT.issuperset(word.lower() for word in words):
        return _agreement_words(words)
    degrees = _without_common_end(words)
    for ladder in LADDERS:
        places = {word: ladder.index(degree) for word, degree in degrees.items() if degree in ladder}
        if len(places) == len(words) == len(set(degrees.values())) and len(words) > 1:
            return sorted(places, key=places.__getitem__)
    return None


def _without_common_end(words: Sequence[str]) -> dict[str, str]:
    """Return each choice in lower case without the words with which all end: "very helpful" is "very"."""
    parts = {word: word.lower().split() for word in words}
    ends = zip(*(reversed(part) for part in parts.values()), strict=False)
    common = len(list(takewhile(lambda end: len(set(end)) == 1, ends)))
    return {word: " ".join(part[: len(part) - common] or part) for word, part in parts.items()}


def _agreement_words(words: Sequence[str]) -> list[str]:
    """Return the complete agreement scale for these words, each as it was written."""
    written = {word.lower(): word for word in words}
    strong = any(word.startswith("strongly") for word in written)
    middle = [word for word in LADDERS[0][2:4] if word in written][:1] or (["neutral"] if strong else [])
    ends = LADDERS[0] if strong else LADDERS[0][1:-1]
    present = (word for word in ends if word in middle or word not in LADDERS[0][2:4])
    return [written.get(word, word.capitalize()) for word in present]


@dataclass(frozen=True)
class WordScales:
    """The scales of the words for each question.

    Attributes:
        criteria: the questions whose words are scores, with the scale of these words: points if their order
            is known, else labels without an order.
        unordered: the words of the other questions, which are not scores.
    """

    criteria: tuple[Criterion, ...]
    unordered: Mapping[str, Sequence[str]]

    def notices(self, *, given: Container[str] = ()) -> Iterable[str]:
        """Yield notices about how the words were used, except under criteria whose scale is `given`."""
        for criterion in self.criteria:
            if criterion.key in given:
                continue
            if not scale_from_json(criterion.scale).ordered:
                yield sentence(
                    "the words of '{criterion}' have no known order, so they are read as labels without "
                    "order: {labels}; if they have an order, first create the criterion '{key}' with "
                    "these words as labels of ordered points",
                    criterion=criterion.label,
                    labels=", ".join(criterion.scale["labels"]),
                    key=criterion.key,
                )
                continue
            points = ", ".join(f"{word} {place}" for place, word in criterion.scale["labels"].items())
            yield sentence(
                "the words of '{criterion}' are read as points: {points}",
                criterion=criterion.label,
                points=points,
            )
        for question, words in self.unordered.items():
            yield sentence(
                "the words of '{question}' ({words}) have no known order; to read them as scores, first "
                "create the criterion '{criterion}' with them as labels",
                question=question,
                words=", ".join(words[:6]),
                criterion=key_of(question),
            )


def word_scales_of(words_by_file: Iterable[Mapping[str, Sequence[str]]]) -> WordScales:
    """Return the scales of the words in all files; yes and no need no scale.

    Args:
        words_by_file: the words of each file by question.
    """
    pooled: dict[str, dict[str, None]] = {}
    for words in words_by_file:
        for question, chosen in words.items():
            pooled.setdefault(question, {}).update(dict.fromkeys(word.strip() for word in chosen))
    criteria, unordered = [], {}
    for question, all_words in pooled.items():
        seen = [word for word in all_words if not passes(word)]
        if all(word.lower() in WORDS for word in seen):
            continue
        labels = _spelled_once(seen)
        ordered = ordered_words(labels)
        scale: dict[str, Any]
        if ordered is not None:
            points = {str(place): word for place, word in enumerate(ordered, start=1)}
            scale = {"kind": "ordinal", "low": 1, "high": len(ordered), "labels": points}
        elif all(map(_MEANT_AS_NUMBER.search, labels)):
            continue  # each is refused as a number
        elif FEWEST_LABELS <= len(labels) <= MOST_LABELS and not any(map(why_no_label, labels)):
            scale = {"kind": "categorical", "labels": labels}
        else:
            unordered[question] = labels
            continue
        if len(seen) < len(all_words):
            scale[CANNOT_JUDGE] = True
        criteria.append(Criterion(key_of(question), question, scale))
    return WordScales(tuple(criteria), unordered)


def _spelled_once(words: Iterable[str]) -> list[str]:
    """Return the words as first spelled, each once whatever its case.

    >>> _spelled_once(["Good", "bad", "good"])
    ['Good', 'bad']
    """
    by_word: dict[str, str] = {}
    for word in words:
        by_word.setdefault(word.casefold(), word)
    return list(by_word.values())
