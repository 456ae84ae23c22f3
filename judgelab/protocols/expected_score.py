"""The expected score as an option of a protocol."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from judgelab.domain import Reading
from judgelab.options import Option
from judgelab.protocols.core.base import Refusal
from judgelab.protocols.core.expected import Token, expectation, score_weights
from judgelab.protocols.reading.grammar import Grammar
from judgelab.scales import Scale
from judgelab.wording import mark, sentence

TOP_LOGPROBS = 20  # endpoints give at most so many
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
    """Return the reading with the expected score instead of the stated one, as the options say."""
    weights = score_weights(tokens, labels, stated.scores[criterion], reads) if tokens else {}
    mass = sum(weights.values())
    if weights and mass * 100 >= options["least_mass"]:
        return replace(stated, scores={criterion: expectation(weights)}, weights=weights)
    if options["expected"] == "or_stated":
        return stated
    if not tokens:
        return replace(stated, scores={}, reason=sentence("the endpoint gave no log-probabilities"))
    reason = sentence(
        "the log-probabilities cover {seen} % of the scores, less than {least} %",
        seen=f"{math.floor(mass * 1000 + 1e-6) / 10:g}",  # rounded down, so that 79.99 is not shown as 80
        least=options["least_mass"],
    )
    return replace(stated, scores={}, reason=reason)


def no_labels(grammar: Grammar, scale: Scale, options: Mapping[str, Any]) -> Refusal | None:
    """Return why the scale has no expected score, or None."""
    if options["expected"] == "no" or grammar.labels(scale):
        return None
    return Refusal(sentence("for an expected score, it needs a scale with points"), "expected=no")
