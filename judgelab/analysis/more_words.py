"""What the present data and a plan say about a claim, in one sentence."""

from __future__ import annotations

from typing import Any

from judgelab.analysis.standing_words import alone
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow, beats_baseline
from judgelab.metaeval.inference.planning import SampleSizePlan
from judgelab.wording import sentence


def answer_of(items: SampleSizePlan, raters: SampleSizePlan) -> str:
    """Return the answer in one sentence."""
    if items.reason:
        return sentence("This cannot be said: {why}.", why=items.reason)
    if items.settled and items.needed == items.now:
        return sentence("The present {n} items settle it, and would again.", n=items.now)
    if items.settled:
        if items.needed is None:
            return sentence(
                "The present {n} items settle it, but {most} others like them might not.",
                n=items.now,
                most=items.most,
            )
        return sentence(
            "The present {n} items settle it; {needed} would in four of five repetitions.",
            n=items.now, needed=items.needed,
        )  # fmt: skip
    if items.needed is not None:
        return sentence(
            "The present {n} items do not settle it; about {needed} would in four of five cases, if the "
            "present figure is the true one.",
            n=items.now, needed=items.needed,
        )  # fmt: skip
    if raters.needed is not None:
        return sentence(
            "The present {n} items do not settle it, nor would {most}; about {raters} raters would.",
            n=items.now, most=items.most, raters=raters.needed,
        )  # fmt: skip
    return sentence(
        "The present {n} items do not settle it, and neither would {most} if the present figure is the true "
        "one.",
        n=items.now, most=items.most,
    )  # fmt: skip


def beside_baseline(said: str, judge: str, row: VsCeilingRow | None) -> str:
    """Return the answer about a judge that is to stand in, with the trivial baseline it does not beat.

    The alternative annotator test knows no baselines: a judge may pass it that agrees no better than a count
    of words does.
    """
    if row is not None and beats_baseline(row):
        return said
    best = None if row is None or row.baseline is None else alone(row.baseline)
    if best is None:
        return sentence(
            "{answer} But {judge} could not be set beside a trivial baseline, so passing the test alone does "
            "not show that it can stand in for a rater.",
            answer=said,
            judge=judge,
        )
    return sentence(
        "{answer} But {judge} does not measurably agree better with the raters than {baseline}, so passing "
        "the test alone does not show that it can stand in for a rater.",
        answer=said,
        judge=judge,
        baseline=best,
    )


def plan_json(plan: SampleSizePlan) -> dict[str, Any]:
    """Return a plan as plain JSON values."""
    return {
        "unit": plan.unit,
        "now": plan.now,
        "settled": plan.settled,
        "needed": plan.needed,
        "most_tried": plan.most,
        "power_wanted": plan.wanted,
        "reason": plan.reason,
        "steps": [{"size": one.size, "power": one.power.value, "n": one.power.n} for one in plan.steps],
    }
