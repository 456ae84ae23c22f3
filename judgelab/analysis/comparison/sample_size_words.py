"""The sentences that answer how many more items, pairs or raters would settle a claim."""

from __future__ import annotations

from collections.abc import Mapping

from judgelab.analysis.comparison.sample_size_templates import (
    JUDGES_ANSWERS,
    MEANS_ANSWERS,
    TEST_ANSWERS,
    WINS_ANSWERS,
)
from judgelab.analysis.trust.agreement_statements import baseline_phrase
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow, beats_baseline
from judgelab.metaeval.core.result import Estimate, printed_ends
from judgelab.metaeval.inference.planning import SampleSizePlan
from judgelab.wording import sentence


def not_enough(reason: str) -> str:
    """Return the answer where the data allow no plan."""
    return sentence("Not enough data: {why}.", why=reason)


def alternative_test_answer(plan: SampleSizePlan, raters: SampleSizePlan, judge: str) -> str:
    """Return whether a judge passes the alternative annotator test, and how many items or pairs show it.

    Args:
        plan: power by number of items, or of pairs.
        raters: power by number of raters.
        judge: its name.
    """
    if plan.reason:
        return not_enough(plan.reason)
    case = _case(plan)
    if case == "none" and raters.needed is not None:
        case = "raters"
    values = {
        "n": plan.now,
        "judge": judge,
        "needed": plan.needed,
        "most": plan.largest_size,
        "raters": raters.needed,
    }
    return _filled(TEST_ANSWERS[plan.unit][case], values)


def judges_answer(
    plan: SampleSizePlan, difference: Estimate, first: str, second: str, *, printed: float | None = None
) -> str:
    """Return which of two judges agrees better with the raters, and how many items or pairs show it.

    Args:
        plan: power by number of items, or of pairs.
        difference: the first judge's agreement minus the second's; positive if the first agrees better.
        first: name of the first judge.
        second: name of the second one.
        printed: the difference of the two agreements as printed, unless it is to be printed as it is.
    """
    if plan.reason:
        return not_enough(plan.reason)
    value = difference.value or 0.0
    values = {
        "n": plan.now,
        "judge": first if value > 0 else second,
        "first": first,
        "second": second,
        "needed": plan.needed,
        "most": plan.largest_size,
        "difference": _size_of(difference, printed),
    }
    return _filled(JUDGES_ANSWERS[plan.unit][_case(plan) if value else "equal"], values)


def systems_answer(
    plan: SampleSizePlan, raters: SampleSizePlan, difference: Estimate, first: str, second: str
) -> str:
    """Return which of two systems is better, and how many items or pairs, or raters, show it.

    Args:
        plan: power by number of items, or of pairs.
        raters: power by number of raters of each response, or of each pair.
        difference: the first system's mean rating, or win rate, minus the second's.
        first: name of the first system.
        second: name of the second one.
    """
    if plan.reason:
        return not_enough(plan.reason)
    value = difference.value or 0.0
    case = _case(plan) if value else "equal"
    if case == "none" and raters.needed is not None:
        case = "raters"
    values = {
        "n": plan.now,
        "system": first if value > 0 else second,
        "first": first,
        "second": second,
        "needed": plan.needed,
        "most": plan.largest_size,
        "raters": raters.needed,
        "difference": _size_of(difference),
    }
    return _filled((WINS_ANSWERS if plan.unit == "pairs" else MEANS_ANSWERS)[case], values)


def _case(plan: SampleSizePlan) -> str:
    """Return what a plan says, a key of the answers."""
    if not plan.settled:
        return "none" if plan.needed is None else "more"
    if plan.needed is None:
        return "might not"
    return "again" if plan.needed == plan.now else "fewer or more"


def _filled(template: str, values: Mapping[str, object]) -> str:
    """Return the template with those of the values that it names."""
    return sentence(template, **{name: value for name, value in values.items() if f"{{{name}}}" in template})


def _size_of(difference: Estimate, printed: float | None = None) -> str:
    """Return a difference, or how it is `printed`, without its sign: `0.10 [−0.03, 0.22]`."""
    value, ci = difference.value or 0.0, difference.ci
    if value < 0 and ci is not None:
        ci = (-ci[1], -ci[0])
    return f"{abs(value if printed is None else printed):z.2f}{printed_ends(ci, 2)}".replace("-", "−")


def answer_with_baseline(answer: str, judge: str, row: VsCeilingRow | None) -> str:
    """Return the answer on the alternative annotator test, with the baseline that the judge does not beat.

    The test ignores baselines: a judge may pass it and agree no better than word count does.
    """
    if row is not None and beats_baseline(row):
        return answer
    baseline = None if row is None or row.baseline is None else baseline_phrase(row.baseline)
    if baseline is None:
        return sentence(
            "{answer} But {judge} could not be compared with a trivial baseline, so passing the test "
            "alone does not show that it can replace a rater.",
            answer=answer,
            judge=judge,
        )
    return sentence(
        "{answer} But {judge} is not significantly better than {baseline}, so passing the test alone does "
        "not show that it can replace a rater.",
        answer=answer,
        judge=judge,
        baseline=baseline,
    )


def why_not_comparable(left_out: Mapping[str, str], difference: Estimate | None) -> str:
    """Return why two judges cannot be compared."""
    if difference is not None and difference.reason:
        return difference.reason
    return next(iter(left_out.values()), sentence("no response or pair was scored by all these judges"))
