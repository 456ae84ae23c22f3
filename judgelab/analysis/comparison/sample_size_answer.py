"""The answer on sample size: what the present data say about a claim, and what would settle it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from judgelab.metaeval.coefficients.left_out import counts_systems
from judgelab.metaeval.core.result import Estimate, printed_difference
from judgelab.metaeval.inference.planning import SampleSizePlan
from judgelab.metaeval.inference.significance import Test
from judgelab.wording import mark, sentence

JUDGES, STAND_IN, SYSTEMS, BASELINE = "judges", "stand_in", "systems", "baseline"
_UNIT_OF_N = {STAND_IN: "raters", SYSTEMS: "items"}
# By claim; the alternative annotator test is corrected over the raters left out.
_ONE_TEST = {
    JUDGES: mark(
        "This is a single test of two judges. The page “Compare” corrects p jointly over all its tests, one "
        "for each pair of judges or metrics under each criterion, so it may not call the same difference "
        "significant."
    ),
    SYSTEMS: mark(
        "This is a single test of two systems. The page “Trust” corrects p jointly over all pairs of systems "
        "under all criteria and uses only items that its judge scored, so it may not call the same "
        "difference significant."
    ),
}
_ONE_TEST_OF_PAIRS = _ONE_TEST | {
    SYSTEMS: mark(
        "This is a single test of two systems. The page “Trust” corrects p jointly over all pairs of systems "
        "under all criteria and uses only comparisons that its judge made too, so it may not call the same "
        "difference significant."
    ),
}
_COUNTED_ITEMS = {
    JUDGES: mark("Items counted: those with ratings, and with scores from both judges."),
    BASELINE: mark(
        "Items counted: those with a response that two raters or more and the judge scored. Agreement is "
        "with all raters but one, each left out in turn, as on the page “Trust”."
    ),
    STAND_IN: mark("Items counted: those with a response that two raters or more and the judge scored."),
    SYSTEMS: mark("Items counted: those in which both systems have ratings."),
}
_COUNTED_PAIRS = {
    JUDGES: mark("Pairs counted: those with a majority of the raters and a choice by both judges."),
    BASELINE: mark(
        "Pairs counted: those with a choice by the judge and a majority of the raters when one is left out. "
        "Agreement is with all raters but one, each left out in turn, as on the page “Trust”."
    ),
    STAND_IN: mark("Pairs counted: those that two raters or more and the judge compared."),
    SYSTEMS: mark("Pairs counted: those of the two systems that raters compared."),
}
_ROUNDING = mark("The difference is that of the two agreements, each rounded to two digits.")
# By claim: why the power by raters and by items, or pairs, can differ at the current size.
_TWO_METHODS = {
    STAND_IN: sentence("More data are drawn from the items, more raters from the raters"),
    SYSTEMS: sentence(
        "The power of more data is drawn from the items, that of more raters follows from theory"
    ),
}
_DIFFER = mark("{why}, so the two can differ at the current size.")


@dataclass(frozen=True)
class SampleSizeAnswer:
    """A claim, what the present data say about it, and what would settle it.

    Attributes:
        project: the project's slug.
        criterion: key of the criterion.
        claim: "judges" (one of the two agrees better), "stand_in" (first passes the alternative annotator
            test), "systems" (people score first and second differently) or "baseline" (first agrees better
            than the best trivial baseline).
        first: the judge or system that the claim is about.
        second: the other one; "" for "stand_in", the best trivial baseline for "baseline".
        present: the present difference with its interval; the winning rate for "stand_in".
        test: the test of the claim on the present data, if two judges are compared.
        items: power by number of items; of comparisons, by number of pairs.
        raters: power by number of raters; has a reason if more raters cannot be simulated.
        answer: the answer in one sentence.
        recipe: level, coefficient, epsilon, seed, resamples.
        of_pairs: whether it is about comparisons of two responses.
        agreements: for two judges, or a judge and a baseline, the agreement of each, in this order.
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
    of_pairs: bool = False
    agreements: tuple[Estimate, Estimate] | None = None

    def printed(self, digits: int) -> Estimate:
        """Return `present`; a difference is of the agreements as printed, as on *Compare* and *Trust*."""
        if self.agreements is None or self.present.value is None:
            return self.present
        return replace(self.present, value=printed_difference(*self.agreements, digits))

    @property
    def one_test(self) -> str | None:
        """Return what to know of a claim settled by one test; None if its test is corrected."""
        return (_ONE_TEST_OF_PAIRS if self.of_pairs else _ONE_TEST).get(self.claim)

    @property
    def unit_of_n(self) -> str:
        """Return what the n of `present` counts: "responses", "systems", "items", "pairs" or "raters"."""
        if self.claim in _UNIT_OF_N:
            return _UNIT_OF_N[self.claim]
        if self.of_pairs:
            return "pairs"
        return "systems" if counts_systems(self.recipe.get("level", ""), self.present) else "responses"

    @property
    def counted(self) -> str:
        """Return which items, or pairs, are counted."""
        return (_COUNTED_PAIRS if self.of_pairs else _COUNTED_ITEMS)[self.claim]

    @property
    def rounding(self) -> str | None:
        """Return which numbers the difference is between, if it is between printed ones."""
        return None if self.agreements is None else _ROUNDING

    @property
    def two_methods(self) -> str | None:
        """Return why the power by raters can differ from that by items at the current size, or None."""
        why = _TWO_METHODS.get(self.claim)
        return None if why is None or not self.raters.steps else sentence(_DIFFER, why=why)

    def to_json(self) -> dict[str, Any]:
        """Return what `judgelab more --json` prints."""
        return {
            "project": self.project,
            "criterion": self.criterion,
            "claim": self.claim,
            "comparisons": self.of_pairs,
            "first": self.first,
            "second": self.second,
            "present": self.present.to_json(),
            "test": None if self.test is None else self.test.to_json(),
            "items": plan_json(self.items),
            "raters": plan_json(self.raters),
            "answer": str(self.answer),
            "recipe": dict(self.recipe),
        }


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


def most_items(most: int | None, *, items: int, pairs: int | None) -> int | None:
    """Return the largest number of items to try, if `most` is a number of pairs when pairs are counted."""
    return most if most is None or not pairs else max(1, most * items // pairs)


def in_pairs(plan: SampleSizePlan, pairs: int | None) -> SampleSizePlan:
    """Return a plan by number of items as one by number of pairs, of which there are `pairs` now.

    Items are drawn with all their pairs, so as many pairs go with each size as items have on average.
    Example: 40 items with 120 pairs, of which 80 are needed, become 120 pairs, of which 240 are needed.
    """
    if pairs is None:
        return plan
    ratio = pairs / plan.now if plan.now else 1.0

    def scaled(size: int) -> int:
        return round(size * ratio)

    return replace(
        plan,
        unit="pairs",
        now=pairs,
        steps=tuple(step._replace(size=scaled(step.size)) for step in plan.steps),
        needed=None if plan.needed is None else scaled(plan.needed),
        largest_size=scaled(plan.largest_size),
    )
