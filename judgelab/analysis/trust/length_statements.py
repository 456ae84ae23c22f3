"""Sentences on length bias: whether length affects the judge's scores differently from the raters'."""

from __future__ import annotations

from collections.abc import Sequence

from judgelab.analysis.trust.bias_statements import significant_sign
from judgelab.analysis.trust.judge_biases import JudgeBiases
from judgelab.analysis.trust.statements import Statement, criterion_keys, criterion_labels, n_range
from judgelab.wording import mark, sentence

SIGNIFICANT = 0.05
# By the signs of the difference of the slopes, of the judge's own slope and of the raters' own; 0 if it may
# be chance. A difference is attributed to the judge only if its own scores depend on length.
LENGTH_TEXTS = {
    (1, 1, 1): mark("Length raises its scores more than the raters' on {criteria}."),
    (1, 1, 0): mark("It prefers longer responses than the raters do on {criteria}."),
    (1, 1, -1): mark("It prefers longer responses on {criteria}; the raters prefer shorter ones."),
    (1, 0, -1): mark("Length does not affect its scores on {criteria}; the raters prefer shorter responses."),
    (1, -1, -1): mark("It prefers shorter responses on {criteria}, less than the raters do."),
    (-1, -1, -1): mark("Length lowers its scores more than the raters' on {criteria}."),
    (-1, -1, 0): mark("It prefers shorter responses than the raters do on {criteria}."),
    (-1, -1, 1): mark("It prefers shorter responses on {criteria}; the raters prefer longer ones."),
    (-1, 0, 1): mark("Length does not affect its scores on {criteria}; the raters prefer longer responses."),
    (-1, 1, 1): mark("It prefers longer responses on {criteria}, less than the raters do."),
}
LENGTH_UNCLEAR = mark(
    "Length is related differently to its scores and to the raters' on {criteria}, but neither relation "
    "alone is significant."
)


def length_statements(criteria: Sequence[JudgeBiases]) -> list[Statement]:
    """Return one sentence per way in which length affects judge and raters differently."""
    by_signs: dict[tuple[int, int, int], list[JudgeBiases]] = {}
    for criterion in criteria:
        p = criterion.verbosity.test.adjusted
        if p is not None and p < SIGNIFICANT:
            bias = criterion.verbosity
            direction = 1 if (bias.slope.value or 0.0) > 0 else -1
            by_signs.setdefault(
                (direction, significant_sign(bias.own), significant_sign(bias.raters)), []
            ).append(criterion)
    return [
        Statement(
            "length",
            sentence(LENGTH_TEXTS.get(signs, LENGTH_UNCLEAR), criteria=criterion_labels(matching)),
            False if signs[1] else None,
            criterion_keys(matching),
            **n_range(matching),
        )
        for signs, matching in sorted(by_signs.items(), reverse=True)
    ]
