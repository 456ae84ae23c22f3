"""The expected score as an option of a protocol: when it is taken, and when it is not."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from judgelab.domain import Reading
from judgelab.options import Option
from judgelab.protocols.core.base import Refusal
from judgelab.protocols.core.expected import Token, expectation, weights_of
from judgelab.protocols.reading.grammar import Grammar
from judgelab.scales import Scale
from judgelab.wording import mark, sentence

TOP_LOGPROBS = 20  # the most that endpoints give
EXPECTED = Option(
    "expected",
    "choice",
    "no",
    ("no", "only", "or_stated"),
    mark(
        "Take the mean of the scores by their log-probabilities, as G-Eval does, instead of the one written; "
        "where they do not say enough, take none (only) or the written one (or stated)."
    ),
)
LEAST_MASS = Option(
    "least_mass",
    "int",
    80,
    help=mark("Percent of the probability that the scores must cover together; below it says too little."),
    only_with="expected",
)


def expected_reading(
    stated: Reading,
    tokens: Sequence[Token],
    criterion: str,
    labels: Mapping[str, float],
    options: Mapping[str, Any],
    reads: Callable[[str], float | None],
) -> Reading:
    """Return the reading with the expected score in place of the stated one, or what is wanted instead."""
    weights = weights_of(tokens, labels, stated.scores[criterion], reads) if tokens else {}
    mass = sum(weights.values())
    if weights and mass * 100 >= options["least_mass"]:
        return replace(stated, scores={criterion: expectation(weights)}, weights=weights)
    if options["expected"] == "or_stated":
        return stated
    if not tokens:
        return replace(stated, scores={}, reason=sentence("the endpoint gave no log-probabilities"))
    reason = sentence(
        "the log-probabilities cover {seen} % of the scores, less than {least} %",
        seen=f"{math.floor(mass * 1000 + 1e-6) / 10:g}",  # 79.99 is no 80: it was not enough
        least=options["least_mass"],
    )
    return replace(stated, scores={}, reason=reason)


def no_labels(grammar: Grammar, scale: Scale, options: Mapping[str, Any]) -> Refusal | None:
    """Return why there is no expected score on the scale, or None."""
    if options["expected"] == "no" or grammar.labels(scale):
        return None
    return Refusal(sentence("for an expected score, it needs a scale with points"), "expected=no")
