"""Biases of a judge under one criterion, compared with the raters: leniency, spread, length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pandas as pd

from judgelab.analysis.data.project_scores import ProjectScores
from judgelab.analysis.trust.judge_units import JudgeUnits, units_by_judge
from judgelab.metaeval.core.resampling import ItemDraws, item_draws
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.inference.multiplicity import with_correction
from judgelab.metaeval.judges.biases import (
    BiasEstimate,
    Deviation,
    leniency,
    rater_deviation,
    spread,
    undefined_bias,
)
from judgelab.metaeval.judges.system_orders import CORRECTION
from judgelab.metaeval.judges.verbosity import Verbosity, length_correlation, undefined_verbosity, verbosity
from judgelab.scales import why_no_order
from judgelab.wording import sentence

RESAMPLES = 1000
OTHER_SCALE = sentence("this rater's values are not on the criterion's scale")


@dataclass(frozen=True)
class JudgeBiases:
    """The biases under one criterion.

    Attributes:
        criterion: its key.
        label: its name for people.
        n: responses that both people and the judge scored.
        leniency: mean scores of judge and raters.
        spread: standard deviations of the judge and of a single rater.
        verbosity: how the scores of both depend on length.
        no_order: whether the criterion's labels have no order, so that there are no biases.
    """

    criterion: str
    label: str
    n: int
    leniency: BiasEstimate
    spread: BiasEstimate
    verbosity: Verbosity
    no_order: bool = field(default=False, kw_only=True)


Biases = TypeVar("Biases", bound=JudgeBiases)


@dataclass(frozen=True)
class HumanBiasParts:
    """The raters' side of the biases, shared by all judges that scored the same units.

    Attributes:
        deviation: standard deviation of a single rater.
        length: correlation of the raters' scores with length; None if no unit has a text.
    """

    deviation: Deviation
    length: Estimate | None


def human_bias_parts(units: JudgeUnits, draws: ItemDraws) -> HumanBiasParts:
    """Return the raters' side of the biases on the units that they and a judge scored."""
    table, has_text = units.table, bool((units.words > 0).any())
    ratings = table.humans.where(units.scored_by_both[table.humans.unit])
    return HumanBiasParts(
        rater_deviation(ratings, unit_item=table.item, draws=draws),
        length_correlation(units.human_scores, units.words, item=units.item, draws=draws)
        if has_text
        else None,
    )


def biases_on_units(
    criterion: str, label: str, units: JudgeUnits, draws: ItemDraws, raters: HumanBiasParts | None = None
) -> JudgeBiases:
    """Return the biases on the units that both scored, with p-values not yet corrected.

    `raters` is the result of `human_bias_parts` for the same units and draws; computed if not given.
    """
    n = int(units.scored_by_both.sum())
    if not units.scale.ordered:
        no_order = why_no_order(label)
        no_bias = undefined_bias(no_order, n=n)
        return JudgeBiases(
            criterion, label, n, no_bias, no_bias, undefined_verbosity(no_order, n=n), no_order=True
        )
    raters = raters or human_bias_parts(units, draws)
    level = use = undefined_bias(OTHER_SCALE, n=n)
    if units.same_scale:
        ends = (units.scale.low, units.scale.high)
        level = leniency(units.human_scores, units.judge_scores, item=units.item, ends=ends)
        use = spread(units.judge_scores, raters.deviation, item=units.item, draws=draws)
    length = verbosity(
        units.human_scores,
        units.judge_scores,
        units.words,
        item=units.item,
        draws=draws,
        same_scale=units.same_scale,
        human_length=raters.length,
    )
    return JudgeBiases(criterion, label, n, level, use, length)


def biases_by_judge(
    data: ProjectScores,
    words: pd.Series[Any],
    judges: Sequence[str],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, dict[str, JudgeBiases]]:
    """Return each judge's biases by criterion, with p-values corrected over its criteria as on *Trust*.

    `words` is the number of words of each response.
    """
    same_scale = {judge: judge not in data.own_scale for judge in judges}
    habits: dict[str, dict[str, JudgeBiases]] = {judge: {} for judge in judges}
    for criterion in data.project.criteria:
        raters_by_units: dict[bytes, HumanBiasParts] = {}
        for judge, units in units_by_judge(data, words, same_scale, criterion.key).items():
            draws = item_draws(units.table.items, resamples, seed)
            scored = units.scored_by_both.tobytes()
            if scored not in raters_by_units:
                raters_by_units[scored] = human_bias_parts(units, draws)
            habits[judge][criterion.key] = biases_on_units(
                criterion.key, criterion.label, units, draws, raters_by_units[scored]
            )
    return {judge: with_corrected_biases(by_criterion) for judge, by_criterion in habits.items()}


def with_corrected_biases(by_criterion: Mapping[str, Biases]) -> dict[str, Biases]:
    """Return the biases with the p-values of each kind corrected over the criteria (Holm)."""
    verbosity_tests, leniency_tests, spread_tests = (
        with_correction([estimate.test for estimate in estimates], CORRECTION)
        for estimates in (
            [biases.verbosity for biases in by_criterion.values()],
            [biases.leniency for biases in by_criterion.values()],
            [biases.spread for biases in by_criterion.values()],
        )
    )
    return {
        key: replace(
            biases,
            verbosity=replace(biases.verbosity, test=verbosity_test),
            leniency=replace(biases.leniency, test=leniency_test),
            spread=replace(biases.spread, test=spread_test),
        )
        for (key, biases), verbosity_test, leniency_test, spread_test in zip(
            by_criterion.items(), verbosity_tests, leniency_tests, spread_tests, strict=True
        )
    }
