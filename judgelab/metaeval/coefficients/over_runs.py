"""A judge that was run several times: the coefficient of each run, and their mean.

The mean of the runs' results differs from the result of the mean score. Averaging the scores of runs first
removes their noise, so a judge asked five times agrees better than one asked once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from judgelab.domain import DECISION
from judgelab.metaeval.coefficients.estimates import compare_mean, mean_of_values, rows_for_rater
from judgelab.metaeval.coefficients.registry import scale_kind
from judgelab.metaeval.coefficients.settings import CoefficientSettings, StatisticKey, settings_for
from judgelab.metaeval.core.aggregation import MEAN, Aggregation
from judgelab.metaeval.core.pairing import ResampledValue
from judgelab.metaeval.core.result import AgreementRow
from judgelab.metaeval.core.targets import all_raters_target
from judgelab.metaeval.core.units import UnitTable, compared_raters, criteria_without_scores, unit_tables
from judgelab.scales import Scale

PEOPLE = ("human", DECISION)


def agreement_over_runs(
    scores: pd.DataFrame,
    *,
    scales: Mapping[str, Scale],
    level: str = "none",
    coefficient: str = "pearson",
    absolute: bool = False,
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
    aggregation: Aggregation = MEAN,
    own_scale: Collection[str] = (),
) -> list[AgreementRow]:
    """Return the coefficient of each single run (or sample) of a judge, averaged over the runs.

    Each run is compared on the units that it scored. A run whose coefficient is undefined is left out;
    `params["runs_used"]` says over how many runs the mean is and `params["runs_undefined"]` how many have
    none. Resamples draw the same items for all runs of a judge. A rater with one run has its plain agreement.

    Args:
        scores: the long frame (`SCORE_COLUMNS`); a judge's rows are told apart by `run` and `sample`.
        scales: the scale of each criterion.
        level: as in `agreement`.
        coefficient: as in `agreement`.
        absolute: average the coefficients without their signs; `params["signed"]` is their mean with them.
        constant_groups: "zero" counts a group in which only the judge is constant as 0, "drop" leaves it out.
        resamples: of the items, for the intervals; 0 for none.
        seed: of the resampling.
        aggregation: how the ratings of a response become its human score.
        own_scale: names of judges whose scores are wins, ranks or votes.
    """
    tables = unit_tables(_by_run(scores), aggregation, scales=scales)
    recipe = settings_for(
        tables, scales, levels=(level,), coefficients=(coefficient,), constant_groups=constant_groups,
        resamples=resamples, seed=seed, targets="all",
    )  # fmt: skip
    # The draws of all runs are averaged resample by resample, so they must be draws of the same items.
    recipe = replace(recipe, joint=True)
    all_tables = unit_tables(scores, aggregation, scales=scales)
    rows: list[AgreementRow] = []
    for rater, kind in compared_raters(scores, all_tables):
        own_tables = [table for table in tables if _runs_of(table, rater, kind)]
        scale_kind_of_rater = scale_kind(rater, kind, own_scale)
        measured = partial(
            _mean_over_runs,
            rater=rater,
            kind=kind,
            meant=scale_kind_of_rater,
            recipe=recipe,
            absolute=absolute,
        )
        lacking = criteria_without_scores(all_tables, (rater, kind))
        rows += rows_for_rater(own_tables, measured, rater=rater, kind=kind, recipe=recipe, lacking=lacking)
    return rows


def _by_run(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with each run and sample of a judge as a rater of its own."""
    not_people = ~scores["rater_kind"].isin(PEOPLE)
    # A metric has neither run nor sample.
    run, sample = (scores[name].astype(str).fillna("") for name in ("run", "sample"))
    place = "\x00" + run + "\x00" + sample
    return scores.assign(
        rater=scores["rater"].astype(str).where(~not_people, scores["rater"].astype(str) + place)
    )


def _runs_of(table: UnitTable, rater: str, kind: str) -> list[Any]:
    return [
        compared
        for compared in table.compared
        if compared.kind == kind and compared.name.split("\x00")[0] == rater
    ]


def _mean_over_runs(
    table: UnitTable,
    statistic: StatisticKey,
    *,
    rater: str,
    kind: str,
    meant: str,
    recipe: CoefficientSettings,
    absolute: bool,
) -> ResampledValue:
    parts = []
    for run in _runs_of(table, rater, kind):
        target = all_raters_target(table).with_scores(run.scores)
        parts.append(compare_mean(table, [target], statistic=statistic, kind=meant, recipe=recipe))
    mean = mean_of_values([_folded(part) for part in parts] if absolute else parts, what="runs")
    if absolute and mean.reason is None:
        signed = float(np.mean([part.value for part in parts if part.reason is None]))
        mean = replace(mean, notes={**mean.notes, "signed": signed})
    # A unit is scored in every run, but still counts as one unit.
    units = int(np.any([np.isfinite(run.scores) for run in _runs_of(table, rater, kind)], axis=0).sum())
    used = max((part.groups_used or 0 for part in parts), default=0)
    return replace(mean, n=units, groups_used=used if mean.groups_used is not None else None)


def _folded(part: ResampledValue) -> ResampledValue:
    """Return a run's value without its sign, with its resamples flipped accordingly."""
    if part.reason is not None or part.value >= 0:
        return part
    return replace(part, value=-part.value, draws=-part.draws)
