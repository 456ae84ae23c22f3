"""Judges compared with the human ceiling and the trivial baselines on the same targets."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from judgelab.domain import BASELINE
from judgelab.metaeval.agreement.baselines import NAMES, SEVERAL
from judgelab.metaeval.agreement.ceiling import CEILING, LeaveOneOut
from judgelab.metaeval.agreement.judge_values import (
    JudgeValues,
    averaged_over_humans,
    judge_values,
    no_values,
)
from judgelab.metaeval.agreement.vs_ceiling_rows import (
    BestBaseline,
    VsCeilingRow,
    without_worse_length_baseline,
)
from judgelab.metaeval.coefficients.estimates import (
    AVERAGE,
    rows_for_rater,
)
from judgelab.metaeval.coefficients.registry import scale_kind
from judgelab.metaeval.coefficients.settings import CoefficientSettings, StatisticKey, settings_for
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import AgreementRow
from judgelab.metaeval.core.units import UnitTable, compared_raters, criteria_without_scores, unit_tables
from judgelab.scales import Scale


@dataclass(frozen=True)
class CeilingComparison:
    """Judges and metrics compared with the humans and, from the same measurements, the human ceiling.

    Args:
        rows: one per judge or metric, coefficient and criterion, then those of each trivial baseline.
    """

    rows: list[VsCeilingRow]
    tables: Sequence[UnitTable]
    left_out: Mapping[str, LeaveOneOut]
    recipe: CoefficientSettings

    def ceiling(self) -> list[AgreementRow]:
        """Return the human ceiling of the same statistics."""
        ceilings = {criterion: left_out.ceiling() for criterion, left_out in self.left_out.items()}
        return list(
            rows_for_rater(
                self.tables,
                lambda table, statistic: ceilings[table.criterion][self.recipe.statistics.index(statistic)],
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
    """Return judges and metrics compared with the humans, and the human ceiling.

    For each human left out, judge and human are measured against the same target, the mean of the other
    humans, on the same units and in the same resamples. A difference whose interval contains 0 could be
    chance. A human for whom either value is undefined is left out of both. Undefined, with the reason, when
    no unit has two human ratings. Tables with word counts also give the trivial baselines; where no unit has
    two ratings, judge and best baseline are measured against the only ones.

    Arguments as in `agreement`. For judges named in `own_scale`, coefficients that need the scale are
    undefined.
    """
    tables = unit_tables(scores, aggregation, scales=scales) if tables is None else tables
    recipe = settings_for(
        tables, scales, levels=[level], coefficients=coefficients, constant_groups=constant_groups,
        resamples=resamples, seed=seed, targets="leave_one_out",
    )  # fmt: skip
    left_out = {table.criterion: LeaveOneOut(table, recipe.statistics, recipe) for table in tables}
    rows = []
    for name, kind in compared_raters(scores, tables):
        scale_kind_of_rater = scale_kind(name, kind, own_scale)
        of_rater = [
            (table, rater.scores)
            for table in tables
            for rater in table.compared
            if (rater.name, rater.kind) == (name, kind)
        ]
        measured = {
            table.criterion: judge_values(left_out[table.criterion], values, kind=scale_kind_of_rater)
            for table, values in of_rater
        }
        lacking = criteria_without_scores(tables, (name, kind))
        rows += _rows([table for table, _ in of_rater], measured, name, kind, recipe=recipe, lacking=lacking)
    return CeilingComparison([*rows, *_baselines(tables, left_out, recipe)], tables, left_out, recipe)


def minus_best_baseline(
    table: UnitTable,
    judge: str,
    *,
    scales: Mapping[str, Scale],
    level: str,
    coefficient: str,
    own_scale: Collection[str] = (),
) -> Callable[[ItemDraws], Floats]:
    """Return a function that resamples a judge's lead over the best trivial baseline, for planning.

    Each resample has the best of the baselines in it, as in `compare_with_ceiling`. `table` has the judge and
    the baselines; the other arguments are as there.
    """
    recipe = settings_for(
        [table], scales, levels=[level], coefficients=[coefficient], constant_groups="zero", resamples=0,
        seed=0, targets="leave_one_out",
    )  # fmt: skip
    rater = next(rater for rater in table.compared if rater.name == judge)
    kind = scale_kind(rater.name, rater.kind, own_scale)

    def draw(draws: ItemDraws) -> Floats:
        left_out = LeaveOneOut(table, recipe.statistics, replace(recipe, draws=draws))
        return judge_values(left_out, rater.scores, kind=kind)[0].judge_minus_best.draws

    return draw


def _rows(
    tables: Sequence[UnitTable],
    measured: Mapping[str, Sequence[JudgeValues]],
    name: str,
    kind: str,
    *,
    recipe: CoefficientSettings,
    lacking: Sequence[str],
) -> list[VsCeilingRow]:
    def part(number: int) -> list[AgreementRow]:
        def of(table: UnitTable, statistic: StatisticKey) -> ResampledValue:
            value = measured[table.criterion][recipe.statistics.index(statistic)][number]
            assert isinstance(value, ResampledValue)
            return value

        return list(rows_for_rater(tables, of, rater=name, kind=kind, recipe=recipe, lacking=lacking))

    names: dict[tuple[str, str], str] = {}
    for number_of_statistic, statistic in enumerate(recipe.statistics):
        of_criteria = {criterion: values[number_of_statistic].name for criterion, values in measured.items()}
        baseline_names = set(of_criteria.values())
        of_criteria.setdefault(AVERAGE, baseline_names.pop() if len(baseline_names) == 1 else SEVERAL)
        names |= {(criterion, statistic.coefficient): name for criterion, name in of_criteria.items()}
    rows = []
    for judge, raters, gap, best, over, trivial in zip(*map(part, range(6)), strict=True):
        row = VsCeilingRow(
            name,
            kind,
            judge.criterion,
            judge.level,
            judge.coefficient,
            judge.estimate,
            raters.estimate,
            gap.estimate,
        )
        if baseline_name := names[judge.criterion, judge.coefficient]:
            baseline = BestBaseline(baseline_name, best.estimate, over.estimate, trivial.estimate)
            row = replace(row, baseline=baseline)
        rows.append(row)
    return rows


def _baselines(
    tables: Sequence[UnitTable], left_out: Mapping[str, LeaveOneOut], recipe: CoefficientSettings
) -> list[VsCeilingRow]:
    """Return the rows of the trivial baselines themselves, on all units that two humans rated."""
    rows = []
    for place, statistic in enumerate(recipe.statistics):
        baselines = {criterion: humans.baselines[place] for criterion, humans in left_out.items()}
        settings = replace(recipe, statistics=[statistic])
        for key in dict.fromkeys(key for humans in baselines.values() for key in humans.keys):
            measurable = [table for table in tables if key in baselines[table.criterion].keys]
            measured = {}
            for table in measurable:
                humans = left_out[table.criterion]
                units_by_human = [
                    baselines[table.criterion].measurable(key, target) for target in humans.targets
                ]
                measured[table.criterion] = [
                    averaged_over_humans(
                        humans, place, humans.trivial(units_by_human)[place][key], units_by_human
                    )._replace(name="")
                    if humans.targets
                    else no_values(int(np.isfinite(table.human_score).sum()))
                ]
            lacking = [table.criterion for table in tables if table.criterion not in measured]
            rows += _rows(measurable, measured, NAMES[key], BASELINE, recipe=settings, lacking=lacking)
    return without_worse_length_baseline(rows)
