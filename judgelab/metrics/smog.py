"""SMOG: the years of schooling a text requires of its reader, by its long words.

G. H. McLaughlin, "SMOG grading: a new readability formula", 1969: 1.043 * sqrt(30 * words of three and more
syllables / sentences) + 3.1291.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from judgelab.metrics.base import NO_WORD, Metric, MetricInput, MetricScore, metrics
from judgelab.metrics.sentences import sentences
from judgelab.metrics.syllables import syllables
from judgelab.wording import mark
from judgelab.words import MAX_UNSEEN, share_non_ascii

WORD = re.compile(r"[a-z]+(?:['’][a-z]+)?")
NOT_ENGLISH = mark("the response contains non-English letters")
LONG = 3  # syllables


class Smog(Metric):
    """SMOG grade."""

    name = "smog"
    title = mark("SMOG grade")
    summary = mark(
        "Years of schooling a reader needs, based on the number of words with three or more syllables per "
        "sentence."
    )
    limits = mark("For English only; designed for texts of at least 30 sentences and rough for shorter ones.")
    best: ClassVar[float | None] = None
    needs_references = False
    higher_is_better: ClassVar[bool] = False

    def score(self, batch: Sequence[MetricInput], options: Mapping[str, Any]) -> list[MetricScore]:
        """Return the grade of each response, 3.13 and more; none without an English word."""
        return [_grade(entry.response) for entry in batch]


def _grade(text: str) -> MetricScore:
    words = WORD.findall(text.lower())
    if share_non_ascii(text) > MAX_UNSEEN:
        return MetricScore(None, NOT_ENGLISH)
    if not words:
        return MetricScore(None, NO_WORD)
    long = sum(syllables(word) >= LONG for word in words)
    return MetricScore(1.043 * math.sqrt(30 * long / max(1, len(sentences(text)))) + 3.1291)


metrics.register("smog")(Smog())
