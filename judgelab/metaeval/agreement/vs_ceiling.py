"""Judges beside the human ceiling and the trivial baselines: on the same targets, with differences."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from judgelab.domain import BASELINE
from judgelab.metaeval.agreement.baselines import NAMES, SEVERAL
from judgelab.metaeval.agreement.ceiling import CEILING, LeaveOneOut
from judgelab.metaeval.agreement.vs_ceiling_rows import (
    BestBaseline,
    VsCeilingRow,
    without_worse_length_baseline,
)
from judgelab.metaeval.coefficients.estimates import (
    AVERAGE,
    BY_DEFINITION,
    compare_each_target,
    mean_of_values,
    rows_for_rater,
)
from judgelab.metaeval.coefficients.registry import scale_kind
from judgelab.metaeval.coefficients.settings import CoefficientSettings, StatisticKey, settings_for
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.arrays import Bools, Floats, count_distinct, stable_difference
from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.metaeval.core.result import AgreementRow
from judgelab.metaeval.core.units import UnitTable, compared_raters, criteria_without_scores, unit_tables
from judgelab.scales import Scale
from judgelab.wording import sentence


class _JudgeValues(NamedTuple):
    """A judge, the raters, the best baseline, and their differences: `over` is judge − best.

    `trivial` is best − raters; `name` is that of the best baseline, "" where there is none.
    """

    own: ResampledValue
    raters: ResampledValue
    apart: ResampledValue
    best: ResampledValue
    over: ResampledValue
    trivial: ResampledValue
    name: str


@dataclass(frozen=True)
class CeilingComparison:
    """Judges and metrics beside the humans and, from the same measurements, the human ceiling.

    Args:
        rows: one per judge or metric, coefficient and criterion, then those of each trivial baseline.
    """

    rows: list[VsCeilingRow]
    tables: Sequence[UnitTable]
    left_out: Mapping[str, LeaveOneOut]
    recipe: CoefficientSettings

    def ceiling(self) -> list[AgreementRow]:
        """Return the human ceiling of the same statistics."""
        each = {criterion: one.ceiling() for criterion, one in self.left_out.items()}
        return list(
            rows_for_rater(
                self.tables,
                lambda table, wanted: each[table.criterion][self.recipe.wanted.index(wanted)],
                rater=CEILING,
                kind="human",
                recipe=self.recipe,
            )
        )


def compare_with_ceiling(
    scores: pd.DataFrame,
    *,
    scales: Mapping[str, Scale],
    level: str,
    coefficients: Sequence[str],
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
    aggregation: Aggregation = MEAN,
    own_scale: Collection[str] = (),
    tables: Sequence[UnitTable] | None = None,
) -> CeilingComparison:
    """Return judges and metrics beside the humans, and the human ceiling, each human left out only once.

    For each human, judge and human meet the same target, the mean of the other humans, on the same units
    and in the same resamples; a difference whose interval holds 0 could be chance. A human for whom either
    is undefined is left out of both. Undefined, with the reason, when no unit has two human ratings. Tables
    that know the words of their units give the trivial baselines, too.
    Arguments as in `agreement`: what needs the scale is undefined for judges named in `own_scale`.
    """
    tables = unit_tables(scores, aggregation) if tables is None else tables
    recipe = settings_for(
        tables, scales, levels=[level], coefficients=coefficients, constant_groups=constant_groups,
        resamples=resamples, seed=seed, targets="leave_one_out",
    )  # fmt: skip
    left_out = {table.criterion: LeaveOneOut(table, recipe.wanted, recipe) for table in tables}
    rows = []
    for name, kind in compared_raters(scores, tables):
        meant = scale_kind(name, kind, own_scale)
        of_rater = [
            (table, rater.scores)
            for table in tables
            for rater in table.compared
            if (rater.name, rater.kind) == (name, kind)
        ]
        measured = {
            table.criterion: _of_judge(left_out[table.criterion], values, kind=meant)
            for table, values in of_rater
        }
        lacking = criteria_without_scores(tables, (name, kind))
        rows += _rows([table for table, _ in of_rater], measured, name, kind, recipe=recipe, lacking=lacking)
    return CeilingComparison([*rows, *_baselines(tables, left_out, recipe)], tables, left_out, recipe)


def _rows(
    tables: Sequence[UnitTable],
    measured: Mapping[str, Sequence[_JudgeValues]],
    name: str,
    kind: str,
    *,
    recipe: CoefficientSettings,
    lacking: Sequence[str],
) -> list[VsCeilingRow]:
    def part(number: int) -> list[AgreementRow]:
        def of(table: UnitTable, wanted: StatisticKey) -> ResampledValue:
            found = measured[table.criterion][recipe.wanted.index(wanted)][number]
            assert isinstance(found, ResampledValue)
            return found

        return list(rows_for_rater(tables, of, rater=name, kind=kind, recipe=recipe, lacking=lacking))

    names: dict[tuple[str, str], str] = {}
    for place, wanted in enumerate(recipe.wanted):
        of_criteria = {criterion: each[place].name for criterion, each in measured.items()}
        every = set(of_criteria.values())
        of_criteria.setdefault(AVERAGE, every.pop() if len(every) == 1 else SEVERAL)
        names |= {(criterion, wanted.coefficient): name for criterion, name in of_criteria.items()}
    rows = []
    for own, raters, gap, best, over, trivial in zip(*map(part, range(6)), strict=True):
        row = VsCeilingRow(
            name, kind, own.criterion, own.level, own.coefficient, own.estimate, raters.estimate, gap.estimate
        )
        if beside := names[own.criterion, own.coefficient]:
            least = BestBaseline(beside, best.estimate, over.estimate, trivial.estimate)
            row = replace(row, baseline=least)
        rows.append(row)
    return rows


def _of_judge(left_out: LeaveOneOut, scores: Floats, *, kind: str) -> list[_JudgeValues]:
    """Measure the rater, and its distance from the human left out, over all humans that allow both.

    One entry per statistic.
    """
    table, recipe, targets = left_out.table, left_out.recipe, left_out.targets
    if not targets:
        return [_none(int(np.isfinite(scores).sum()))] * len(recipe.wanted)
    beside = [target.with_scores(scores) for target in targets]
    judged = compare_each_target(table, beside, wanted=recipe.wanted, kind=kind, recipe=recipe)
    where = [np.isfinite(target.beside) for target in beside]
    return [_together(left_out, place, parts, where) for place, parts in enumerate(judged)]


def _none(n: int) -> _JudgeValues:
    none = ResampledValue(math.nan, sentence("no unit has two human ratings"), n=n)
    return _JudgeValues(none, none, none, none, none, none, "")


def _together(
    left_out: LeaveOneOut, statistic: int, judged: Sequence[ResampledValue], where: Sequence[Bools]
) -> _JudgeValues:
    """Average what was measured over the humans left out, each on the units of `where`."""
    humans = left_out.measured(where)[statistic]
    usable = [
        place
        for place, (own, theirs) in enumerate(zip(judged, humans, strict=True))
        if own.reason is None and theirs.reason is None
    ]
    taken = usable or range(len(judged))
    units = [target.unit[here] for target, here in zip(left_out.targets, where, strict=True)]
    met = count_distinct(np.concatenate(units))

    def mean(parts: Sequence[ResampledValue]) -> ResampledValue:
        return replace(mean_of_values([parts[place] for place in taken], what="raters"), n=met)

    own, raters = mean(judged), mean(humans)
    gap = _minus(own, raters) if usable else mean(list(map(_minus, judged, humans)))
    trivial = left_out.trivial(where)[statistic]
    if not trivial:
        return _JudgeValues(own, raters, gap, gap, gap, gap, "")
    best = left_out.baselines[statistic].best({key: mean(parts) for key, parts in trivial.items()})
    return _JudgeValues(
        own, raters, gap, best.measured, _minus(own, best.measured), _minus(best.measured, raters), best.name
    )


def _baselines(
    tables: Sequence[UnitTable], left_out: Mapping[str, LeaveOneOut], recipe: CoefficientSettings
) -> list[VsCeilingRow]:
    """Return the rows of the trivial baselines themselves, on all units that two humans rated."""
    rows = []
    for place, wanted in enumerate(recipe.wanted):
        baselines = {criterion: one.baselines[place] for criterion, one in left_out.items()}
        alone = replace(recipe, wanted=[wanted])
        for key in dict.fromkeys(key for one in baselines.values() for key in one.keys):
            having = [table for table in tables if key in baselines[table.criterion].keys]
            measured = {}
            for table in having:
                one = left_out[table.criterion]
                where = [baselines[table.criterion].measurable(key, target) for target in one.targets]
                measured[table.criterion] = [
                    _together(one, place, one.trivial(where)[place][key], where)._replace(name="")
                    if one.targets
                    else _none(int(np.isfinite(table.human_score).sum()))
                ]
            lacking = [table.criterion for table in tables if table.criterion not in measured]
            rows += _rows(having, measured, NAMES[key], BASELINE, recipe=alone, lacking=lacking)
    return without_worse_length_baseline(rows)


def _minus(one: ResampledValue, other: ResampledValue) -> ResampledValue:
    """Return the difference, resample by resample; the draws of both hold the same items."""
    reason = one.reason or other.reason
    if reason is not None:
        return ResampledValue(math.nan, reason, n=one.n)
    value, draws = float(stable_difference(one.value, other.value)), stable_difference(one.draws, other.draws)
    notes = {name: note for name, note in one.notes.items() if name != BY_DEFINITION}
    return replace(one, value=value, draws=draws, notes=notes, share=False)
