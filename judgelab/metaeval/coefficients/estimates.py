"""From compared scores to result rows: one target, several humans, several criteria."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from judgelab.metaeval.coefficients.levels import measure
from judgelab.metaeval.coefficients.many_targets import measure_each
from judgelab.metaeval.coefficients.registry import Coefficient, coefficient, prepare_scores, why_incompatible
from judgelab.metaeval.coefficients.registry import coefficient as coefficient_of
from judgelab.metaeval.coefficients.settings import CoefficientSettings, StatisticKey
from judgelab.metaeval.coefficients.system_counts import combined_counts, with_systems_named
from judgelab.metaeval.core.arrays import Floats, Ints
from judgelab.metaeval.core.pairing import PairedScores, ResampledValue
from judgelab.metaeval.core.resampling import ItemDraws, fisher_interval, percentile_interval
from judgelab.metaeval.core.result import AgreementRow, Estimate
from judgelab.metaeval.core.shares import share_interval
from judgelab.metaeval.core.targets import Target
from judgelab.metaeval.core.units import UnitTable
from judgelab.scales import Scale
from judgelab.wording import mark, sentence

AVERAGE = "average"
BY_DEFINITION = "by_definition"  # noted of a value that no sample could change
UNDEFINED = {
    "raters": mark("undefined for all {n} raters; the first: {reason}"),
    "criteria": mark("undefined for all {n} criteria; the first: {reason}"),
    "runs": mark("undefined for all {n} runs; the first: {reason}"),
}


def rows_for_rater(
    tables: Sequence[UnitTable],
    measured: Callable[[UnitTable, StatisticKey], ResampledValue],
    *,
    rater: str,
    kind: str,
    recipe: CoefficientSettings,
    lacking: Sequence[str] = (),
) -> Iterator[AgreementRow]:
    """Yield a row per statistic and criterion and, with several criteria, the row of their mean.

    The mean over some of the criteria is another figure than the mean over all: a rater without scores
    under those that are `lacking` has the row of the mean with this reason and no number.
    """
    for wanted in recipe.wanted:
        found = [(table.criterion, measured(table, wanted)) for table in tables]
        several = len({*lacking, *(criterion for criterion, _ in found)}) > 1
        if several:
            found.append((AVERAGE, _mean_of_criteria([m for _, m in found], lacking)))
        for criterion, m in found:
            estimate = to_estimate(m, wanted, mean=criterion == AVERAGE and several, recipe=recipe)
            yield AgreementRow(rater, kind, criterion, wanted.level, wanted.coefficient, estimate)


def compare_mean(
    table: UnitTable,
    targets: Sequence[Target],
    *,
    wanted: StatisticKey,
    kind: str,
    recipe: CoefficientSettings,
) -> ResampledValue:
    """Return the statistic for each target with the scores beside it, averaged over the targets."""
    beside = np.concatenate([target.beside[np.isfinite(target.beside)] for target in targets])
    why = why_not_computable(table, beside, wanted=wanted, kind=kind, recipe=recipe)
    if why:
        return ResampledValue(math.nan, why, n=len(beside))
    (parts,) = _each(table, targets, wanted=[wanted], recipe=recipe)
    return parts[0] if recipe.targets == "all" else mean_of_values(parts, what="raters")


def compare_each_target(
    table: UnitTable,
    targets: Sequence[Target],
    *,
    wanted: Sequence[StatisticKey],
    kind: str,
    recipe: CoefficientSettings,
) -> list[list[ResampledValue]]:
    """Return by statistic and target what the scores beside the target come to."""
    known = [target.beside[np.isfinite(target.beside)] for target in targets]
    why = [
        [why_not_computable(table, beside, wanted=one, kind=kind, recipe=recipe) for beside in known]
        for one in wanted
    ]
    # Statistics of the same pairs are measured together, since drawing them again is most of the work.
    alike: dict[tuple[str, bool, tuple[bool, ...]], list[int]] = {}
    for place, (one, reasons) in enumerate(zip(wanted, why, strict=True)):
        points = coefficient(one.coefficient, scale=recipe.scales.get(table.criterion)).needs == "points"
        alike.setdefault((one.level, points, tuple(map(bool, reasons))), []).append(place)
    found: dict[int, list[ResampledValue]] = {}
    for (*_, unfit_too), places in alike.items():
        fit = [target for target, lost in zip(targets, unfit_too, strict=True) if not lost]
        each = _each(table, fit, wanted=[wanted[place] for place in places], recipe=recipe)
        for place, parts in zip(places, map(iter, each), strict=True):
            found[place] = [
                next(parts) if reason is None else ResampledValue(math.nan, reason, n=len(beside))
                for reason, beside in zip(why[place], known, strict=True)
            ]
    return [found[place] for place in range(len(wanted))]


def why_not_computable(
    table: UnitTable, beside: Floats, *, wanted: StatisticKey, kind: str, recipe: CoefficientSettings
) -> str | None:
    """Return why the scores of this kind of rater cannot enter the statistic, or None when they can."""
    scale = recipe.scales.get(table.criterion)
    found = coefficient(wanted.coefficient, scale=scale)
    return why_incompatible(found, beside, kind=kind, scale=scale, level=wanted.level) or _off_scale(
        table, found
    )


def _each(
    table: UnitTable,
    targets: Sequence[Target],
    *,
    wanted: Sequence[StatisticKey],
    recipe: CoefficientSettings,
) -> list[list[ResampledValue]]:
    """Measure statistics of one level that take the same scores."""
    if not targets:
        return [[] for _ in wanted]
    scale = recipe.scales.get(table.criterion)
    coefficients = [coefficient(one.coefficient, scale=scale) for one in wanted]
    found = coefficients[0]
    unit, score, beside = (
        np.concatenate([getattr(target, part) for target in targets]) for part in ("unit", "score", "beside")
    )
    known = np.isfinite(beside) & np.isfinite(score)
    ends = np.cumsum([0, *(len(target.unit) for target in targets)])
    unit, starts = unit[known], np.concatenate([[0], np.cumsum(known)])[ends]
    pairs = PairedScores(
        prepare_scores(found, score[known], scale),
        prepare_scores(found, beside[known], scale),
        table.item[unit],
        table.system[unit],
        table.group[unit],
    )
    rule, level, draws = recipe.constant_groups, wanted[0].level, recipe.draws
    if recipe.joint:
        each = measure_each(pairs, starts, coefficients, level=level, constant_groups=rule, draws=draws)
    else:
        (_,) = targets
        each = [[measure(pairs, one, level=level, constant_groups=rule, draws=draws)] for one in coefficients]
    return [[with_systems_named(one, table.systems) for one in parts] for parts in each]


def _off_scale(table: UnitTable, found: Coefficient) -> str | None:
    """Return why human scores put together in this way cannot enter the coefficient, if they cannot."""
    if table.aggregation.on_scale or found.needs == "order":
        return None
    return sentence(
        "{coefficient} needs scores of the scale, and z-scores of raters are not", coefficient=found.name
    )


def mean_of_values(parts: Sequence[ResampledValue], *, what: str) -> ResampledValue:
    """Return the mean of the defined parts, resample by resample; undefined when no part is defined."""
    defined = [part for part in parts if part.reason is None]
    notes: dict[str, Any] = {f"{what}_used": len(defined), f"{what}_undefined": len(parts) - len(defined)}
    if any("n_missing" in part.notes for part in parts):
        notes["n_missing"] = sum(part.notes.get("n_missing", 0) for part in parts)
    notes |= combined_counts([part.notes for part in parts], summed=what != "raters")
    if defined and all(part.notes.get(BY_DEFINITION) for part in defined):
        notes[BY_DEFINITION] = True
    lost = sum((Counter(part.groups_undefined) for part in parts if part.groups_undefined), Counter[str]())
    if not defined:
        reason = sentence(UNDEFINED[what], n=len(parts), reason=parts[0].reason)
        return ResampledValue(math.nan, reason, groups_undefined=dict(lost), notes=notes)
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


def _mean_of_criteria(parts: Sequence[ResampledValue], lacking: Sequence[str]) -> ResampledValue:
    if not lacking:
        return mean_of_values(parts, what="criteria")
    return ResampledValue(math.nan, sentence("no score under {criteria}", criteria=", ".join(lacking)))


def to_estimate(
    measured: ResampledValue, wanted: StatisticKey, *, mean: bool, recipe: CoefficientSettings
) -> Estimate:
    """Return the estimate with its interval: Fisher's z for few independent units, else the resamples."""
    bare = Estimate(
        measured.value if measured.reason is None else None,
        measured.reason,
        ci_method="none: no value" if measured.reason else "none: not asked for",
        n=measured.n,
        groups_used=measured.groups_used,
        groups_undefined=measured.groups_undefined,
        params={**recipe.params(wanted.level), **measured.notes},
    )
    if bare.value is None or not recipe.draws.resamples:
        return bare
    if measured.notes.get(BY_DEFINITION):
        return replace(bare, ci_method="none: by definition")
    lone = wanted.level == "none" and measured.items == measured.n and recipe.targets == "all" and not mean
    small = fisher_interval(bare.value, measured.n, coefficient=wanted.coefficient) if lone else None
    interval = small or (
        share_interval(bare.value, measured.draws, items=measured.items)
        if measured.share
        else percentile_interval(measured.draws, items=measured.items)
    )
    if interval.undefined:
        bare = replace(bare, params={**bare.params, "resamples_undefined": interval.undefined})
    return replace(
        bare, ci=interval.ends, ci_method=interval.method, seed=None if small else recipe.draws.seed
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
    found = coefficient_of(coefficient, scale=scale)
    none = np.full(len(human), -1, dtype=np.int64)
    pairs = PairedScores(
        prepare_scores(found, human, scale), prepare_scores(found, judge, scale), item, none, none
    )
    recipe = CoefficientSettings({}, [], "zero", draws, False, "all")
    measured = measure(pairs, found, level="none", constant_groups="zero", draws=draws)
    return to_estimate(measured, StatisticKey("none", coefficient), mean=False, recipe=recipe)
