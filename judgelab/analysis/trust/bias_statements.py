"""Sentences on a judge's biases, each with the judge's value, the raters' value and their difference."""

from __future__ import annotations

from collections.abc import Sequence

from judgelab.analysis.trust.criterion_trust import CriterionTrust
from judgelab.analysis.trust.judge_biases import JudgeBiases
from judgelab.analysis.trust.statements import Statement, criterion_keys, criterion_labels, n_range
from judgelab.metaeval.core.resampling import no_variation_reason
from judgelab.metaeval.core.result import Estimate, printed_difference, printed_ends
from judgelab.metaeval.inference.multiplicity import LEVEL
from judgelab.metaeval.judges.biases import BiasEstimate
from judgelab.wording import joined, mark, sentence

FIGURES = mark("{own}, the raters {raters}, difference {apart}")
LENIENCY_TEXTS = {
    1: mark("It scores higher than the raters on {criteria} (mean: {figures})."),
    -1: mark("It scores lower than the raters on {criteria} (mean: {figures})."),
}
SPREAD_TEXTS = {
    1: mark("Its scores vary more than a single rater's on {criteria} (standard deviation: {figures})."),
    -1: mark("Its scores vary less than a single rater's on {criteria} (standard deviation: {figures})."),
}
NO_BIAS = mark("On {criterion}, no bias of the judge is significant; tested: {tested}.")
ONE_SCORE = mark("It gives every response the same score on {criteria}.")
# By the sign of the judge's own lead for its family: a lead that may be chance is not called a preference.
OWN_FAMILY_TEXTS = {
    1: mark(
        "It scores responses of its own model family higher than the others, more so than the raters, on "
        "{criteria} (lead: {figures})."
    ),
    0: mark(
        "It does not significantly favour its own model family, but scores it higher than the raters do, "
        "on {criteria} (lead: {figures})."
    ),
    -1: mark(
        "It scores responses of its own model family lower than the others, less so than the raters, on "
        "{criteria} (lead: {figures})."
    ),
}


def bias_statements(criteria: Sequence[JudgeBiases]) -> list[Statement]:
    """Return sentences on leniency (scoring higher or lower than the raters) and on the use of the scale."""
    statements = []
    for direction, template in LENIENCY_TEXTS.items():
        matching = [criterion for criterion in criteria if _direction(criterion.leniency) == direction]
        if matching:
            statements.append(
                _statement(
                    "habits", template, matching, [matched.leniency for matched in matching], good=False
                )
            )
    one_score = [
        criterion
        for criterion in criteria
        if no_variation_reason(criterion.spread.own) and criterion.spread.own.value == 0
    ]
    if one_score:
        text = sentence(ONE_SCORE, criteria=criterion_labels(one_score))
        statements.append(Statement("habits", text, False, criterion_keys(one_score), **n_range(one_score)))
    for direction, template in SPREAD_TEXTS.items():
        matching = [
            criterion
            for criterion in criteria
            if criterion not in one_score and _direction(criterion.spread) == direction
        ]
        if matching:
            statements.append(
                _statement("habits", template, matching, [matched.spread for matched in matching], good=None)
            )
    return statements


def shows_differences(criteria: Sequence[JudgeBiases]) -> bool:
    """Return whether a sentence of `bias_statements` has a difference of two numbers."""
    return any(_direction(bias) for criterion in criteria for bias in (criterion.leniency, criterion.spread))


def family_statements(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    """Return sentences on self-preference: where the judge favours its own family more than the raters do."""
    statements = []
    for sign, template in OWN_FAMILY_TEXTS.items():
        matching, biases = [], []
        for criterion in criteria:
            bias = None if criterion.family is None else criterion.family.favour
            if bias is not None and _direction(bias) > 0 and significant_sign(bias.own) == sign:
                matching.append(criterion)
                biases.append(bias)
        if matching:
            good = False if sign > 0 else None
            statements.append(_statement("family", template, matching, biases, good=good))
    return statements


def significant_sign(estimate: Estimate) -> int:
    """Return 1 if the whole interval is above 0, -1 if below, else 0."""
    if estimate.ci is None:
        return 0
    return int(estimate.ci[0] > 0) - int(estimate.ci[1] < 0)


def _direction(bias: BiasEstimate) -> int:
    """Return 1 if the judge is significantly above the raters, -1 if below, else 0.

    Both the corrected p-value and the interval must agree.
    """
    p = bias.test.adjusted
    return significant_sign(bias.difference) if p is not None and p < LEVEL else 0


def _statement(
    about: str,
    template: str,
    criteria: Sequence[JudgeBiases],
    biases: Sequence[BiasEstimate],
    *,
    good: bool | None,
) -> Statement:
    figures_texts = [
        sentence(
            FIGURES,
            own=_number_with_interval(bias.own.value, bias.own),
            raters=_number_with_interval(bias.raters.value, bias.raters),
            apart=_number_with_interval(
                printed_difference(bias.own, bias.raters, 2), bias.difference, sign="+"
            ),
        )
        for bias in biases
    ]
    if len(criteria) > 1:
        figures_texts = [
            joined([criterion.label, figures], " ")
            for criterion, figures in zip(criteria, figures_texts, strict=True)
        ]
    text = sentence(template, criteria=criterion_labels(criteria), figures=joined(figures_texts, "; "))
    return Statement(about, text, good, criterion_keys(criteria), **n_range(criteria))


def _number_with_interval(value: float | None, estimate: Estimate, *, sign: str = "") -> str:
    number = "–" if value is None else f"{value:{sign}.2f}"
    return f"{number}{printed_ends(estimate.ci, 2)}".replace("-", "−")
