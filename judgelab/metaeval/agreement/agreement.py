"""How far each judge and each metric agrees with the human raters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from judgelab.domain import BASELINE
from judgelab.metaeval.agreement.baselines import NAMES, Baselines
from judgelab.metaeval.agreement.ceiling import human_ceiling
from judgelab.metaeval.agreement.vs_ceiling_rows import without_worse_length_baseline
from judgelab.metaeval.coefficients.estimates import (
    compare_mean,
    mean_of_values,
    rows_for_rater,
    units_compared,
)
from judgelab.metaeval.coefficients.registry import scale_kind
from judgelab.metaeval.coefficients.settings import (
    CORRELATIONS,
    CoefficientSettings,
    StatisticKey,
    check_known,
    settings_for,
)
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.metaeval.core.result import NOT_CONVERGED, TIED, AgreementRow
from judgelab.metaeval.core.targets import Target, all_raters_target, leave_one_out_targets
from judgelab.metaeval.core.units import UnitTable, compared_raters, criteria_without_scores, unit_tables
from judgelab.scales import Scale
from judgelab.wording import mark, sentence

__all__ = ["AgreementRow", "agreement", "human_ceiling"]

TARGETS: dict[str, Callable[[UnitTable], list[Target]]] = {
    "all": lambda table: [all_raters_target(table)],
    "leave_one_out": leave_one_out_targets,
}


def agreement(
    scores: pd.DataFrame,
    *,
    scales: Mapping[str, Scale],
    levels: Sequence[str] = ("none",),
    coefficients: Sequence[str] = CORRELATIONS,
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
    aggregation: Aggregation = MEAN,
    targets: str = "all",
    own_scale: Collection[str] = (),
    tables: Sequence[UnitTable] | None = None,
) -> list[AgreementRow]:
    """Return one row per judge or metric, criterion, level and coefficient.

    The human score of a unit aggregates its raters (the mean unless told otherwise); a judge's score is the
    mean over its runs. Units that the judge did not score are left out and counted (`n_missing`). With
    several criteria, a row "average" holds the mean of the criteria's coefficients; it is undefined for a
    rater that scored only some of them. Undefined values are None with a reason.

    Args:
        scores: the long frame (`SCORE_COLUMNS`) with humans, judges and metrics; humans already filtered.
        scales: the scale of each criterion; kappa, qwk, exact, alpha and mae need it.
        levels: "none" pools all units; "item", "sys" and "group" average within items, systems and groups;
            "system" compares the means of systems, each over all it has; "system_paired" those over the items
            that every system has.
        coefficients: names as in `coefficients.COEFFICIENTS`.
        constant_groups: "zero" counts a group in which only the judge is constant as 0, "drop" leaves it out.
        resamples: resamples of the items for the intervals; 0 for none. Fewer are drawn beyond 20,000 items.
        seed: seed of the resampling.
        aggregation: how the ratings of a unit become its human score; resamples take raters' spreads and
            error rates ("z_mean", "dawid_skene", "mace") as found on all items.
        targets: "all" compares with the mean of all humans; "leave_one_out" with the mean of all but one, for
            each human in turn, which is what `human_ceiling` is to be compared with.
        own_scale: names of judges whose scores are wins, ranks or votes: what needs the scale is undefined.
        tables: `unit_tables` of the scores, if they have been computed already.
    """
    check_known(targets, TARGETS, mark("kind of targets"))
    tables = unit_tables(scores, aggregation, scales=scales) if tables is None else tables
    recipe = settings_for(
        tables, scales, levels=levels, coefficients=coefficients, constant_groups=constant_groups,
        resamples=resamples, seed=seed, targets=targets,
    )  # fmt: skip
    rows: list[AgreementRow] = []
    for rater, kind in compared_raters(scores, tables):
        scores_by_criterion = {
            t.criterion: c.scores for t in tables for c in t.compared if (c.name, c.kind) == (rater, kind)
        }
        rated = [table for table in tables if table.criterion in scores_by_criterion]
        scale_kind_of_rater = scale_kind(rater, kind, own_scale)
        measured = partial(_measured, beside=scores_by_criterion, kind=scale_kind_of_rater, recipe=recipe)
        criteria_lacking = criteria_without_scores(tables, (rater, kind))
        rows += rows_for_rater(
            rated, measured, rater=rater, kind=kind, recipe=recipe, lacking=criteria_lacking
        )
    return [*rows, *_baselines(tables, recipe)]


def _baselines(tables: Sequence[UnitTable], recipe: CoefficientSettings) -> list[AgreementRow]:
    """Return the rows of the trivial baselines, for tables that know their units' word counts."""
    values = {
        (table.criterion, statistic): _of_baselines(table, statistic, recipe)
        for table in tables
        for statistic in recipe.statistics
    }
    rows: list[AgreementRow] = []
    for key in dict.fromkeys(key for by_baseline in values.values() for key in by_baseline):
        for statistic in recipe.statistics:
            tables_with_baseline = [table for table in tables if key in values[table.criterion, statistic]]
            if tables_with_baseline:
                rows += rows_for_rater(
                    tables_with_baseline,
                    lambda table, statistic, key=key: values[table.criterion, statistic][key],  # type: ignore[misc]
                    rater=NAMES[key],
                    kind=BASELINE,
                    recipe=replace(recipe, statistics=[statistic]),
                    lacking=[
                        table.criterion for table in tables if key not in values[table.criterion, statistic]
                    ],
                )
    return without_worse_length_baseline(rows)


def _of_baselines(
    table: UnitTable, statistic: StatisticKey, recipe: CoefficientSettings
) -> dict[str, ResampledValue]:
    baselines, targets = Baselines(table, statistic, recipe), TARGETS[recipe.targets](table)
    if not targets:
        undefined_value = ResampledValue(np.nan, sentence("no response or pair has two human ratings"))
        return dict.fromkeys(baselines.keys, undefined_value)
    return {
        key: parts[0] if recipe.targets == "all" else mean_of_values(parts, what="raters")
        for key, parts in baselines.each(targets).items()
    }


def _measured(
    table: UnitTable,
    statistic: StatisticKey,
    *,
    beside: Mapping[str, Floats],
    kind: str,
    recipe: CoefficientSettings,
) -> ResampledValue:
    scores = beside[table.criterion]
    scored = int(np.isfinite(scores).sum())
    own_targets = TARGETS[recipe.targets](table)
    targets = [target.with_scores(scores) for target in own_targets]
    rated, both = (units_compared(table, each, "none") for each in (own_targets, targets))
    notes = {"n_missing": rated - both}
    if recipe.targets == "all" and table.tied:
        notes[TIED] = table.tied
    if recipe.targets == "all" and not table.converged:
        notes[NOT_CONVERGED] = 1
    if not targets:
        return ResampledValue(
            np.nan, sentence("no response or pair has two human ratings"), n=scored, notes=notes
        )
    value = compare_mean(table, targets, statistic=statistic, kind=kind, recipe=recipe)
    if recipe.targets != "all" and value.reason is None:
        value = replace(value, n=units_compared(table, targets, statistic.level))
    return replace(value, notes={**value.notes, **notes})
