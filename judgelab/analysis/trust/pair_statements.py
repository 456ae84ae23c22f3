"""Sentences on a judge's choices between two responses: the raters' majority choice, order, length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from judgelab.analysis.trust.bias_statements import significant_sign
from judgelab.analysis.trust.criterion_trust import CriterionTrust
from judgelab.analysis.trust.pair_evidence import PairEvidence
from judgelab.analysis.trust.statements import CHOICE, PAIR, Statement, quoted_labels
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.multiplicity import LEVEL
from judgelab.metaeval.inference.significance import Test
from judgelab.wording import mark, sentence

LONGER_TEXTS = {
    1: mark(
        "On {criterion}, it chooses the longer response more often than the raters do: in {own} of pairs, "
        "the raters in {raters}."
    ),
    -1: mark(
        "On {criterion}, it chooses the longer response less often than the raters do: in {own} of pairs, "
        "the raters in {raters}."
    ),
}


def winner_statements(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    """Return for each criterion how often judge and raters make the other raters' majority choice."""
    statements = []
    for measured in criteria:
        row = measured.beside
        if measured.of_pairs is None or row is None or row.coefficient != "exact":
            continue
        if row.estimate.value is not None and row.raters.value is not None:
            text = sentence(
                "On {criterion}, leaving out one rater at a time, it agrees with the majority of the other "
                "raters in {share} of pairs; the rater left out, in {raters}.",
                criterion=quoted_labels([measured.label]),
                share=percentage(row.estimate), raters=percentage(row.raters),
            )  # fmt: skip
            statements.append(_statement("agreement", measured, text, None, row.estimate))
    return statements


def order_statements(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    """Return for each criterion how the order of the two responses changes the judge's choices."""
    return [statement for measured in criteria for statement in _order_statements(measured)]


def _order_statements(measured: CriterionTrust) -> Iterator[Statement]:
    order = None if measured.of_pairs is None else measured.of_pairs.order
    if order is None:
        return
    label = quoted_labels([measured.label])
    if order.first_rate.value is not None:
        text = sentence(
            "On {criterion}, it prefers the response shown first in {share} of its choices with a winner.",
            criterion=label, share=percentage(order.first_rate),
        )  # fmt: skip
        good = False if is_significant(order.first_test) else None
        yield _statement("order", measured, text, good, order.first_rate, unit=CHOICE)
    if order.consistency.value is not None:
        text = sentence(
            "On {criterion}, it chooses the same in both orders in {share} of pairs.",
            criterion=label, share=percentage(order.consistency),
        )  # fmt: skip
        yield _statement("order", measured, text, None, order.consistency)


def longer_statements(criteria: Sequence[CriterionTrust]) -> list[Statement]:
    """Return for which criteria the judge chooses the longer response more or less often than the raters."""
    statements = []
    for measured in criteria:
        longer = None if measured.of_pairs is None else measured.of_pairs.longer
        if longer is not None and is_significant(longer.test):
            sign = significant_sign(longer.difference)
            if sign:
                text = sentence(
                    LONGER_TEXTS[sign], criterion=quoted_labels([measured.label]),
                    own=percentage(longer.own), raters=percentage(longer.raters),
                )  # fmt: skip
                good = False if sign > 0 else None
                statements.append(_statement("length", measured, text, good, longer.difference))
    return statements


def tested_biases(evidence: PairEvidence | None) -> list[str]:
    """Return the names of the biases of choices that could be tested."""
    if evidence is None:
        return []
    order = evidence.order
    tests = {
        sentence("the response shown first"): None if order is None else order.first_test,
        sentence("the longer response"): evidence.longer.test,
    }
    return [name for name, test in tests.items() if test is not None and test.p is not None]


def is_significant(test: Test) -> bool:
    """Return whether a corrected p is below .05."""
    return test.adjusted is not None and test.adjusted < LEVEL


def percentage(estimate: Estimate) -> str:
    """Return a share with its interval in per cent: `72 % [69, 74]`."""
    if estimate.value is None:
        return "–"
    ends = "" if estimate.ci is None else f" [{100 * estimate.ci[0]:.0f}, {100 * estimate.ci[1]:.0f}]"
    return f"{100 * estimate.value:.0f} %{ends}"


def _statement(
    about: str,
    measured: CriterionTrust,
    text: str,
    good: bool | None,
    estimate: Estimate,
    unit: str = PAIR,
) -> Statement:
    return Statement(about, text, good, (measured.criterion,), estimate.n, unit=unit)
