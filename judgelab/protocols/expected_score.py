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
        "Use the mean of all possible scores, weighted by their log-probabilities as in G-Eval, instead "
        "of the stated score; if the log-probabilities do not suffice, use no score (only) or the stated "
        "one (or_stated)."
    ),
)
LEAST_MASS = Option(
    "least_mass",
    "int",
    80,
    help=mark(
        "Minimum percentage of the probability that the scores must cover together; with less, there is "
        "no expected score."
    ),
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
        return replace(stated, scores={}, reason=sentence("the endpoint returned no log-probabilities"))
    reason = sentence(
        "the scores cover {seen} % of the probability, less than {least} %",
        seen=f"{math.floor(mass * 1000 + 1e-6) / 10:g}",  # rounded down, so that 79.99 is not shown as 80
        least=options["least_mass"],
    )
    return replace(stated, scores={}, reason=reason)


def no_labels(grammar: Grammar, scale: Scale, options: Mapping[str, Any]) -> Refusal | None:
    """Return why the scale has no expected score, or None."""
    if options["expected"] == "no" or grammar.labels(scale):
        return None
    return Refusal(sentence("an expected score needs a scale with points"), "expected=no")
