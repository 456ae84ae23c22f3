"""From compared scores to result rows: one target, several humans, several criteria."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from judgelab.domain import BASELINE
from judgelab.metaeval.coefficients.levels import in_comparison, measure
from judgelab.metaeval.coefficients.many_targets import measure_each
from judgelab.metaeval.coefficients.registry import Coefficient, coefficient, prepare_scores, why_incompatible
from judgelab.metaeval.coefficients.registry import coefficient as coefficient_of
from judgelab.metaeval.coefficients.settings import CoefficientSettings, StatisticKey
from judgelab.metaeval.coefficients.system_counts import combined_counts, with_systems_named
from judgelab.metaeval.coefficients.undefined_means import shared_reason
from judgelab.metaeval.core.arrays import Floats, Ints, count_distinct
from judgelab.metaeval.core.pairing import PairedScores, ResampledValue
from judgelab.metaeval.core.resampling import ItemDraws, fisher_interval, percentile_interval
from judgelab.metaeval.core.result import NO_VALUE, NOT_ASKED, AgreementRow, Estimate, no_interval
from judgelab.metaeval.core.shares import share_interval
from judgelab.metaeval.core.targets import Target
from judgelab.metaeval.core.units import UnitTable
from judgelab.scales import Scale
from judgelab.wording import counted, joined, sentence

AVERAGE = "average"
MOST_NAMED = 2  # criteria in a sentence; more are counted
BY_DEFINITION = "by_definition"  # marks a value that does not depend on the sample


def rows_for_rater(
    tables: Sequence[UnitTable],
    measured: Callable[[UnitTable, StatisticKey], ResampledValue],
    *,
    rater: str,
    kind: str,
    recipe: CoefficientSettings,
    lacking: Sequence[str] = (),
) -> Iterator[AgreementRow]:
    """Yield one row per statistic and criterion and, with several criteria, a row for their mean.

    A mean over some of the criteria is not comparable with the mean over all. A rater without scores under
    the `lacking` criteria therefore gets a mean row without a number, with this reason.
    """
    for statistic in recipe.statistics:
        values = [(table.criterion, measured(table, statistic)) for table in tables]
        several = len({*lacking, *(criterion for criterion, _ in values)}) > 1
        if several:
            values.append((AVERAGE, _mean_of_criteria([value for _, value in values], lacking, kind=kind)))
        for criterion, value in values:
            estimate = to_estimate(value, statistic, mean=criterion == AVERAGE and several, recipe=recipe)
            yield AgreementRow(rater, kind, criterion, statistic.level, statistic.coefficient, estimate)


def compare_mean(
    table: UnitTable,
    targets: Sequence[Target],
    *,
    statistic: StatisticKey,
    kind: str,
    recipe: CoefficientSettings,
) -> ResampledValue:
    """Return the statistic averaged over the targets, each compared with the scores beside it."""
    beside = np.concatenate([target.compared[np.isfinite(target.compared)] for target in targets])
    reason = why_not_computable(table, beside, statistic=statistic, kind=kind, recipe=recipe)
    if reason:
        return ResampledValue(math.nan, reason, n=len(beside))
    (parts,) = _each(table, targets, statistics=[statistic], recipe=recipe)
    return parts[0] if recipe.targets == "all" else mean_of_values(parts, what="raters")


def compare_each_target(
    table: UnitTable,
    targets: Sequence[Target],
    *,
    statistics: Sequence[StatisticKey],
    kind: str,
    recipe: CoefficientSettings,
) -> list[list[ResampledValue]]:
    """Return, by statistic and target, the value for the scores beside the target."""
    scores = [target.compared[np.isfinite(target.compared)] for target in targets]
    reasons_by_statistic = [
        [
            why_not_computable(table, beside, statistic=statistic, kind=kind, recipe=recipe)
            for beside in scores
        ]
        for statistic in statistics
    ]
    # Statistics of the same pairs are measured together, since drawing them again is most of the work.
    measured_together: dict[tuple[str, bool, tuple[bool, ...]], list[int]] = {}
    for number, (statistic, reasons) in enumerate(zip(statistics, reasons_by_statistic, strict=True)):
        points = (
            coefficient(statistic.coefficient, scale=recipe.scales.get(table.criterion)).needs == "points"
        )
        measured_together.setdefault((statistic.level, points, tuple(map(bool, reasons))), []).append(number)
    values: dict[int, list[ResampledValue]] = {}
    for (*_, not_computable), places in measured_together.items():
        computable = [
            target for target, reason_given in zip(targets, not_computable, strict=True) if not reason_given
        ]
        measured = _each(
            table, computable, statistics=[statistics[number] for number in places], recipe=recipe
        )
        for number, parts in zip(places, map(iter, measured), strict=True):
            values[number] = [
                next(parts) if reason is None else ResampledValue(math.nan, reason, n=len(beside))
                for reason, beside in zip(reasons_by_statistic[number], scores, strict=True)
            ]
    return [values[number] for number in range(len(statistics))]


def units_compared(table: UnitTable, targets: Sequence[Target], level: str) -> int:
    """Return how many units enter the comparison with at least one of the targets at the level.

    A unit that is compared once for each human left out counts as one.
    """
    entering = []
    for target in targets:
        unit = target.unit[np.isfinite(target.score) & np.isfinite(target.compared)]
        entering.append(unit[in_comparison(table.item[unit], table.system[unit], level)])
    return count_distinct(np.concatenate(entering)) if entering else 0


def why_not_computable(
    table: UnitTable, beside: Floats, *, statistic: StatisticKey, kind: str, recipe: CoefficientSettings
) -> str | None:
    """Return why this kind of rater's scores cannot enter the statistic, or None if they can."""
    scale = recipe.scales.get(table.criterion)
    definition = coefficient(statistic.coefficient, scale=scale)
    return why_incompatible(
        definition, beside, criterion=table.criterion, kind=kind, scale=scale, level=statistic.level
    ) or _off_scale(table, definition)


def _each(
    table: UnitTable,
    targets: Sequence[Target],
    *,
    statistics: Sequence[StatisticKey],
    recipe: CoefficientSettings,
) -> list[list[ResampledValue]]:
    """Measure statistics of one level that take the same scores."""
    if not targets:
        return [[] for _ in statistics]
    scale = recipe.scales.get(table.criterion)
    coefficients = [coefficient(statistic.coefficient, scale=scale) for statistic in statistics]
    definition = coefficients[0]
    unit, score, beside = (
        np.concatenate([getattr(target, part) for target in targets])
        for part in ("unit", "score", "compared")
    )
    finite = np.isfinite(beside) & np.isfinite(score)
    ends = np.cumsum([0, *(len(target.unit) for target in targets)])
    unit, starts = unit[finite], np.concatenate([[0], np.cumsum(finite)])[ends]
    pairs = PairedScores(
        prepare_scores(definition, score[finite], scale),
        prepare_scores(definition, beside[finite], scale),
        table.item[unit],
        table.system[unit],
        table.group[unit],
    )
    rule, level, draws = recipe.constant_groups, statistics[0].level, recipe.draws
    if recipe.joint:
        values = measure_each(pairs, starts, coefficients, level=level, constant_groups=rule, draws=draws)
    else:
        (_,) = targets
        values = [
            [measure(pairs, other, level=level, constant_groups=rule, draws=draws)] for other in coefficients
        ]
    return [[with_systems_named(value, table.systems) for value in parts] for parts in values]


def _off_scale(table: UnitTable, definition: Coefficient) -> str | None:
    """Return why human scores aggregated in this way cannot enter the coefficient, or None."""
    if table.aggregation.on_scale or definition.needs == "order":
        return None
    return sentence(
        "{coefficient} needs scores on the scale, and raters' z-scores are not", coefficient=definition.name
    )


def mean_of_values(parts: Sequence[ResampledValue], *, what: str) -> ResampledValue:
    """Return the mean of the defined parts, resample by resample; undefined when no part is defined."""
    defined = [part for part in parts if part.reason is None]
    notes: dict[str, Any] = {f"{what}_used": len(defined), f"{what}_undefined": len(parts) - len(defined)}
    counted_parts = defined or parts  # counts are of the same parts as the value and n
    if any("n_missing" in part.notes for part in counted_parts):
        notes["n_missing"] = sum(part.notes.get("n_missing", 0) for part in counted_parts)
    notes |= combined_counts([part.notes for part in counted_parts], summed=what != "raters")
    if defined and all(part.notes.get(BY_DEFINITION) for part in defined):
        notes[BY_DEFINITION] = True
    lost = sum((Counter(part.groups_undefined) for part in parts if part.groups_undefined), Counter[str]())
    if not defined:
        reason = shared_reason([part.reason for part in parts], what=what)
        return ResampledValue(np.nan, reason, n=sum(p.n for p in parts), groups_undefined=lost, notes=notes)
    grouped = [part.groups_used for part in defined if part.groups_used is not None]
    return ResampledValue(
        float(np.mean([part.value for part in defined])),
        draws=np.mean([part.draws for part in defined], axis=0),
        n=sum(part.n for part in defined),
        items=max(part.items for part in defined),
        groups_used=sum(grouped) if grouped else None,
        groups_undefined=dict(lost),
        notes=notes,
        share=all(part.share for part in defined),
    )


def _mean_of_criteria(
    parts: Sequence[ResampledValue], lacking: Sequence[str], *, kind: str
) -> ResampledValue:
    if not lacking:
        return mean_of_values(parts, what="criteria")
    if kind == BASELINE:
        others = counted(
            "not a baseline of {n} other criterion", "not a baseline of {n} other criteria", len(lacking)
        )
        return ResampledValue(math.nan, others)
    few = sentence("no score under {criteria}", criteria=joined(lacking))
    many = counted("no score under {n} criterion", "no score under {n} criteria", len(lacking))
    return ResampledValue(math.nan, few if len(lacking) <= MOST_NAMED else many)


def to_estimate(
    measured: ResampledValue, statistic: StatisticKey, *, mean: bool, recipe: CoefficientSettings
) -> Estimate:
    """Return the estimate with its interval: Fisher's z for few independent units, else the resamples."""
    estimate = Estimate(
        measured.value if measured.reason is None else None,
        measured.reason,
        ci_method=NO_VALUE if measured.reason else NOT_ASKED,
        n=measured.n,
        groups_used=measured.groups_used,
        groups_undefined=measured.groups_undefined,
        params={**recipe.params(statistic.level), **measured.notes},
    )
    if estimate.value is None or not recipe.draws.resamples:
        return estimate
    if measured.notes.get(BY_DEFINITION):
        return replace(estimate, ci_method=no_interval(sentence("by definition")))
    pooled = (
        statistic.level == "none" and measured.items == measured.n and recipe.targets == "all" and not mean
    )
    fisher = (
        fisher_interval(estimate.value, measured.n, coefficient=statistic.coefficient) if pooled else None
    )
    interval = fisher or (
        share_interval(estimate.value, measured.draws, items=measured.items)
        if measured.share
        else percentile_interval(measured.draws, items=measured.items)
    )
    if interval.undefined:
        estimate = replace(estimate, params={**estimate.params, "resamples_undefined": interval.undefined})
    return replace(
        estimate, ci=interval.ends, ci_method=interval.method, seed=None if fisher else recipe.draws.seed
    )


def pooled_estimate(
    human: Floats,
    judge: Floats,
    *,
    item: Ints,
    draws: ItemDraws,
    coefficient: str,
    scale: Scale | None = None,
) -> Estimate:
    """Return one coefficient over all units of two arrays, with its interval over items.

    Example: humans (1,2,3) and a judge (2,1,4) have a Pearson r of 0.655.
    """
    definition = coefficient_of(coefficient, scale=scale)
    no_label = np.full(len(human), -1, dtype=np.int64)
    pairs = PairedScores(
        prepare_scores(definition, human, scale),
        prepare_scores(definition, judge, scale),
        item,
        no_label,
        no_label,
    )
    recipe = CoefficientSettings({}, [], "zero", draws, False, "all")
    measured = measure(pairs, definition, level="none", constant_groups="zero", draws=draws)
    return to_estimate(measured, StatisticKey("none", coefficient), mean=False, recipe=recipe)
