"""The sentences that answer how many more items, pairs or raters would settle a claim."""

from __future__ import annotations

from collections.abc import Mapping

from judgelab.analysis.trust.agreement_statements import baseline_phrase
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow, beats_baseline
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.planning import SampleSizePlan
from judgelab.wording import mark, sentence

ANSWERS = {  # by unit of the plan and by what it says
    "items": {
        "again": mark("The current {n} items settle it, and would do so again."),
        "might not": mark("The current {n} items settle it, but {most} others like them might not."),
        "fewer or more": mark("The current {n} items settle it; {needed} would in four of five repetitions."),
        "more": mark(
            "The current {n} items do not settle it; about {needed} would in four of five cases, if the "
            "current difference is the true one."
        ),
        "raters": mark(
            "The current {n} items do not settle it, nor would {most}; about {raters} raters would."
        ),
        "none": mark(
            "The current {n} items do not settle it, and neither would {most} if the current difference is "
            "the true one."
        ),
    },
    "pairs": {
        "again": mark("The current {n} pairs settle it, and would do so again."),
        "might not": mark("The current {n} pairs settle it, but {most} others like them might not."),
        "fewer or more": mark("The current {n} pairs settle it; {needed} would in four of five repetitions."),
        "more": mark(
            "The current {n} pairs do not settle it; about {needed} would in four of five cases, if the "
            "current difference is the true one."
        ),
        "raters": mark(
            "The current {n} pairs do not settle it, nor would {most}; about {raters} raters would."
        ),
        "none": mark(
            "The current {n} pairs do not settle it, and neither would {most} if the current difference is "
            "the true one."
        ),
    },
}
JUDGES_ANSWERS = {
    "items": {
        "equal": mark(
            "{n} items do not show which of the two agrees better with the raters: so far, both agree "
            "equally well."
        ),
        "again": mark(
            "{n} items show that {judge} agrees better with the raters, by {difference}; as many others "
            "would show it again."
        ),
        "might not": mark(
            "{n} items show that {judge} agrees better with the raters, by {difference}; {most} others like "
            "them might not."
        ),
        "fewer or more": mark(
            "{n} items show that {judge} agrees better with the raters, by {difference}; {needed} would in "
            "four of five repetitions."
        ),
        "more": mark(
            "{n} items do not show which of the two agrees better with the raters. So far it is {judge}, by "
            "{difference}; about {needed} items would show it in four of five cases, if that is the true "
            "difference."
        ),
        "none": mark(
            "{n} items do not show which of the two agrees better with the raters. So far it is {judge}, by "
            "{difference}; {most} items would not show it either, if that is the true difference."
        ),
    },
    "pairs": {
        "equal": mark(
            "{n} pairs do not show which of the two agrees better with the raters: so far, both agree "
            "equally well."
        ),
        "again": mark(
            "{n} pairs show that {judge} agrees better with the raters, by {difference}; as many others "
            "would show it again."
        ),
        "might not": mark(
            "{n} pairs show that {judge} agrees better with the raters, by {difference}; {most} others like "
            "them might not."
        ),
        "fewer or more": mark(
            "{n} pairs show that {judge} agrees better with the raters, by {difference}; {needed} would in "
            "four of five repetitions."
        ),
        "more": mark(
            "{n} pairs do not show which of the two agrees better with the raters. So far it is {judge}, by "
            "{difference}; about {needed} pairs would show it in four of five cases, if that is the true "
            "difference."
        ),
        "none": mark(
            "{n} pairs do not show which of the two agrees better with the raters. So far it is {judge}, by "
            "{difference}; {most} pairs would not show it either, if that is the true difference."
        ),
    },
}

WINS_ANSWERS = {
    "equal": mark("{n} pairs do not show which of the two wins more often: so far, both win equally often."),
    "again": mark(
        "{n} pairs show that {system} wins more often, by {difference}; as many others would show it again."
    ),
    "might not": mark(
        "{n} pairs show that {system} wins more often, by {difference}; {most} others like them might not."
    ),
    "fewer or more": mark(
        "{n} pairs show that {system} wins more often, by {difference}; {needed} would in four of five "
        "repetitions."
    ),
    "more": mark(
        "{n} pairs do not show which of the two wins more often. So far it is {system}, by {difference}; "
        "about {needed} pairs would show it in four of five cases, if that is the true difference."
    ),
    "raters": mark(
        "{n} pairs do not show which of the two wins more often. So far it is {system}, by {difference}; "
        "{most} pairs would not show it either, but about {raters} raters of each would, if that is the true "
        "difference."
    ),
    "none": mark(
        "{n} pairs do not show which of the two wins more often. So far it is {system}, by {difference}; "
        "{most} pairs would not show it either, if that is the true difference."
    ),
}


def answer_sentence(plan: SampleSizePlan, raters: SampleSizePlan) -> str:
    """Return the answer in one sentence.

    Args:
        plan: power by number of items, or of pairs.
        raters: power by number of raters.
    """
    if plan.reason:
        return sentence("Not enough data: {why}.", why=plan.reason)
    case = _case(plan)
    if case == "none" and raters.needed is not None:
        case = "raters"
    values = {"n": plan.now, "needed": plan.needed, "most": plan.largest_size, "raters": raters.needed}
    return _filled(ANSWERS[plan.unit][case], values)


def judges_answer(plan: SampleSizePlan, difference: Estimate, first: str, second: str) -> str:
    """Return which of two judges agrees better with the raters, and how many items or pairs show it.

    Args:
        plan: power by number of items, or of pairs.
        difference: the first judge's agreement minus the second's; positive if the first agrees better.
        first: name of the first judge.
        second: name of the second one.
    """
    if plan.reason:
        return sentence("Not enough data: {why}.", why=plan.reason)
    value = difference.value or 0.0
    values = {
        "n": plan.now,
        "judge": first if value > 0 else second,
        "needed": plan.needed,
        "most": plan.largest_size,
        "difference": _size_of(difference),
    }
    return _filled(JUDGES_ANSWERS[plan.unit][_case(plan) if value else "equal"], values)


def wins_answer(
    plan: SampleSizePlan, raters: SampleSizePlan, difference: Estimate, first: str, second: str
) -> str:
    """Return which of two systems wins more often, and how many pairs, or raters, show it.

    Args:
        plan: power by number of pairs.
        raters: power by number of raters of each pair.
        difference: the first system's win rate minus the second's.
        first: name of the first system.
        second: name of the second one.
    """
    if plan.reason:
        return sentence("Not enough data: {why}.", why=plan.reason)
    value = difference.value or 0.0
    case = _case(plan) if value else "equal"
    if case == "none" and raters.needed is not None:
        case = "raters"
    values = {
        "n": plan.now,
        "system": first if value > 0 else second,
        "needed": plan.needed,
        "most": plan.largest_size,
        "raters": raters.needed,
        "difference": _size_of(difference),
    }
    return _filled(WINS_ANSWERS[case], values)


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


def _size_of(difference: Estimate) -> str:
    """Return a difference without its sign: `0.10 [−0.03, 0.22]`."""
    value, ci = difference.value or 0.0, difference.ci
    if value < 0 and ci is not None:
        ci = (-ci[1], -ci[0])
    interval = "" if ci is None else f" [{ci[0]:z.2f}, {ci[1]:z.2f}]"
    return f"{abs(value):z.2f}{interval}".replace("-", "−")


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
        "{answer} But {judge} is not measurably better than {baseline}, so passing the test alone does "
        "not show that it can replace a rater.",
        answer=answer,
        judge=judge,
        baseline=baseline,
    )


def why_not_comparable(left_out: Mapping[str, str], difference: Estimate | None) -> str:
    """Return why two judges cannot be compared."""
    if difference is not None and difference.reason:
        return difference.reason
    return next(iter(left_out.values()), sentence("no unit was scored by all compared judges"))
