"""The answer on sample size: what the present data say about a claim, and what would settle it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from judgelab.analysis.trust.agreement_statements import baseline_phrase
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow, beats_baseline
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.planning import SampleSizePlan
from judgelab.metaeval.inference.significance import Test
from judgelab.wording import mark, sentence

JUDGES, STAND_IN, SYSTEMS = "judges", "stand_in", "systems"
# By claim; the alternative annotator test is corrected over the raters left out.
ONE_TEST = {
    JUDGES: mark(
        "This is one test of one pair. Compare corrects p over all pairs of judges, so it may not call the "
        "same difference significant."
    ),
    SYSTEMS: mark(
        "This is one test of one pair. Trust corrects p over all pairs of systems and uses only items that "
        "its judge scored, so it may not call the same difference significant."
    ),
}


@dataclass(frozen=True)
class SampleSizeAnswer:
    """A claim, what the present data say about it, and what would settle it.

    Attributes:
        project: the project's slug.
        criterion: key of the criterion.
        claim: "judges" (one of the two agrees better), "stand_in" (first passes the alternative annotator
            test) or "systems" (people score first and second differently).
        first: the judge or system that the claim is about.
        second: the other one; "" for "stand_in".
        present: the present difference with its interval; the winning rate for "stand_in".
        test: the test of the claim on the present data; None for "stand_in".
        items: power by number of items.
        raters: power by number of raters; has a reason if more raters cannot be simulated.
        answer: the answer in one sentence.
        recipe: level, coefficient, epsilon, seed, resamples.
    """

    project: str
    criterion: str
    claim: str
    first: str
    second: str
    present: Estimate
    test: Test | None
    items: SampleSizePlan
    raters: SampleSizePlan
    answer: str
    recipe: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab more --json` prints."""
        return {
            "project": self.project,
            "criterion": self.criterion,
            "claim": self.claim,
            "first": self.first,
            "second": self.second,
            "present": self.present.to_json(),
            "test": None if self.test is None else self.test.to_json(),
            "items": plan_json(self.items),
            "raters": plan_json(self.raters),
            "answer": str(self.answer),
            "recipe": dict(self.recipe),
        }


def answer_sentence(items: SampleSizePlan, raters: SampleSizePlan) -> str:
    """Return the answer in one sentence."""
    if items.reason:
        return sentence("Not enough data: {why}.", why=items.reason)
    if items.settled and items.needed == items.now:
        return sentence("The current {n} items settle it, and would do so again.", n=items.now)
    if items.settled:
        if items.needed is None:
            return sentence(
                "The current {n} items settle it, but {most} others like them might not.",
                n=items.now,
                most=items.largest_size,
            )
        return sentence(
            "The current {n} items settle it; {needed} would in four of five repetitions.",
            n=items.now, needed=items.needed,
        )  # fmt: skip
    if items.needed is not None:
        return sentence(
            "The current {n} items do not settle it; about {needed} would in four of five cases, if the "
            "current difference is the true one.",
            n=items.now, needed=items.needed,
        )  # fmt: skip
    if raters.needed is not None:
        return sentence(
            "The current {n} items do not settle it, nor would {most}; about {raters} raters would.",
            n=items.now, most=items.largest_size, raters=raters.needed,
        )  # fmt: skip
    return sentence(
        "The current {n} items do not settle it, and neither would {most} if the current difference is "
        "the true one.",
        n=items.now, most=items.largest_size,
    )  # fmt: skip


def judges_answer(plan: SampleSizePlan, difference: Estimate, first: str, second: str) -> str:
    """Return which of two judges agrees better with the raters, and how many items show it.

    Args:
        plan: power by number of items.
        difference: the first judge's agreement minus the second's; positive if the first agrees better.
        first: name of the first judge.
        second: name of the second one.
    """
    if plan.reason:
        return sentence("Not enough data: {why}.", why=plan.reason)
    value = difference.value or 0.0
    if not value:
        return sentence(
            "{n} items do not show which of the two agrees better with the raters: so far, both agree "
            "equally well.",
            n=plan.now,
        )
    template = mark(
        "{n} items do not show which of the two agrees better with the raters. So far it is {judge}, by "
        "{difference}; {most} items would not show it either, if that is the true difference."
    )
    if plan.settled and plan.needed == plan.now:
        template = mark(
            "{n} items show that {judge} agrees better with the raters, by {difference}; as many others "
            "would show it again."
        )
    elif plan.settled and plan.needed is None:
        template = mark(
            "{n} items show that {judge} agrees better with the raters, by {difference}; {most} others like "
            "them might not."
        )
    elif plan.settled:
        template = mark(
            "{n} items show that {judge} agrees better with the raters, by {difference}; {needed} would in "
            "four of five repetitions."
        )
    elif plan.needed is not None:
        template = mark(
            "{n} items do not show which of the two agrees better with the raters. So far it is {judge}, by "
            "{difference}; about {needed} items would show it in four of five cases, if that is the true "
            "difference."
        )
    return sentence(
        template, n=plan.now, judge=first if value > 0 else second,
        needed=plan.needed, most=plan.largest_size, difference=_size_of(difference),
    )  # fmt: skip


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


def plan_json(plan: SampleSizePlan) -> dict[str, Any]:
    """Return a plan as plain JSON values."""
    return {
        "unit": plan.unit,
        "now": plan.now,
        "settled": plan.settled,
        "needed": plan.needed,
        "most_tried": plan.largest_size,
        "power_wanted": plan.target_power,
        "reason": plan.reason,
        "steps": [{"size": step.size, "power": step.power.value, "n": step.power.n} for step in plan.steps],
    }


def why_not_comparable(left_out: Mapping[str, str], difference: Estimate | None) -> str:
    """Return why two judges cannot be compared."""
    if difference is not None and difference.reason:
        return difference.reason
    return next(iter(left_out.values()), sentence("no unit was scored by all compared judges"))
