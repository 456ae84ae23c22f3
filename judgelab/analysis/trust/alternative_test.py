"""The alternative annotator test of a judge under one criterion, and what it says."""

from __future__ import annotations

from judgelab.analysis.trust.judge_biases import OTHER_SCALE
from judgelab.analysis.trust.judge_units import JudgeUnits
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import undefined
from judgelab.metaeval.inference.alternative_annotator import AlternativeAnnotator, alternative_annotator
from judgelab.scales import Scale
from judgelab.wording import mark

PASSES = mark("It passes the alternative annotator test (ε = {epsilon}) on {criteria}.")
FAILS = mark("It fails the alternative annotator test (ε = {epsilon}) on {criteria}.")
NOT_POSSIBLE = mark("The alternative annotator test is not possible on {criteria}: {why}.")


def scoring_on(scale: Scale) -> str:
    """Return how closeness to the raters is measured on a scale if nothing else is asked for."""
    return "accuracy" if scale.level == "nominal" else "neg_rmse"


def alternative_test(
    units: JudgeUnits, draws: ItemDraws, *, epsilon: float, scoring: str | None = None, of_pairs: bool
) -> AlternativeAnnotator:
    """Return the test of a judge on its units; undefined if its scores are not on the criterion's scale.

    `scoring` is that of the scale if not given; `of_pairs` whether the units are pairs of responses.
    """
    table, scoring = units.table, scoring or scoring_on(units.scale)
    if not units.same_scale:
        no_estimate = undefined(OTHER_SCALE, n=int(units.scored_by_both.sum()))
        return AlternativeAnnotator(no_estimate, no_estimate, None, (), {}, scoring, epsilon)
    return alternative_annotator(
        table.humans, units.all_judge_scores, names=table.human_names, scoring=scoring, epsilon=epsilon,
        item=table.item, draws=draws, of_pairs=of_pairs,
    )  # fmt: skip
