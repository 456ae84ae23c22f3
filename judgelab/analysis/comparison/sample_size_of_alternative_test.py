"""Sample sizes: how many more items or raters would let a judge pass the alternative annotator test."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from judgelab.analysis.comparison.sample_size_answer import STAND_IN, SampleSizeAnswer, in_pairs, most_items
from judgelab.analysis.comparison.sample_size_of_judges import check_scored
from judgelab.analysis.comparison.sample_size_words import (
    alternative_test_answer,
    answer_with_baseline,
    not_enough,
)
from judgelab.analysis.data.filter_info import ratings_text
from judgelab.analysis.data.project_scores import ProjectScores, resolve_criterion, scored_by_people
from judgelab.analysis.trust.judge_units import judge_units
from judgelab.metaeval.agreement.vs_ceiling import compare_with_ceiling
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.core.arrays import count_distinct
from judgelab.metaeval.core.result import undefined
from judgelab.metaeval.core.units import UnitTable
from judgelab.metaeval.inference import planning, planning_alternative_annotator
from judgelab.metaeval.inference.alternative_annotator import alternative_annotator, human_leads
from judgelab.wording import sentence

TablesOf = Callable[[pd.DataFrame], list[UnitTable]]


def alternative_test_sample_size(
    data: ProjectScores,
    tables: TablesOf,
    judge: str,
    *,
    criterion: str | None = None,
    epsilon: float = 0.2,
    most: int | None = None,
    resamples: int = 400,
    seed: int = 0,
) -> SampleSizeAnswer:
    """Return how many items or raters would let a judge pass the alternative annotator test.

    The answer names the best trivial baseline unless the judge is significantly better.

    `tables` gives the unit tables of scores, with the trivial baselines. Raises as `judges_sample_size`.
    """
    ratings = {"ratings": ratings_text(data.policy)}
    key = resolve_criterion(data, criterion)
    slug = data.project.slug
    check_scored(data.scores[data.scores["criterion"] == key], judge)
    no_words = pd.Series(dtype=float)  # of which nothing here depends
    units = judge_units(data, no_words, judge, key, same_scale=judge not in data.own_scale)
    scoring = "accuracy" if data.project.scales[key].level == "nominal" else "neg_rmse"
    recipe = {"scoring": scoring, "epsilon": epsilon, "seed": seed, "resamples": resamples} | ratings
    if units is None or not units.same_scale:
        reason = sentence("{judge} has no score on the scale that the raters used", judge=judge)
        plans = planning.no_plan("items", 0, reason), planning.no_plan("raters", 0, reason)
        return SampleSizeAnswer(
            slug, key, STAND_IN, judge, "", undefined(reason), None, *plans, not_enough(reason), recipe,
            data.compared is not None,
        )  # fmt: skip
    table = units.table
    of_pairs = data.compared is not None
    test = alternative_annotator(
        table.humans, units.all_judge_scores, names=table.human_names, scoring=scoring, epsilon=epsilon,
        of_pairs=of_pairs,
    )  # fmt: skip
    counted_units = np.unique(human_leads(table.humans, units.all_judge_scores, scoring).unit)
    pairs = len(counted_units) if of_pairs else None
    most = most_items(most, items=count_distinct(table.item[counted_units]), pairs=pairs)
    items_plan, raters_plan = planning_alternative_annotator.alternative_annotator_plans(
        table.humans, units.all_judge_scores, names=table.human_names, item=table.item,
        scoring=scoring, epsilon=epsilon, most=most, resamples=resamples, seed=seed, of_pairs=of_pairs,
    )  # fmt: skip
    plans = in_pairs(items_plan, pairs), raters_plan
    answer = alternative_test_answer(*plans, judge)
    if plans[0].reason is None:
        answer = answer_with_baseline(answer, judge, vs_ceiling_row(data, tables, judge, key, seed=seed))
    return SampleSizeAnswer(
        slug, key, STAND_IN, judge, "", test.winning_rate, None, *plans, answer, recipe,
        data.compared is not None,
    )  # fmt: skip


def vs_ceiling_row(
    data: ProjectScores, tables: TablesOf, judge: str, criterion: str, *, seed: int
) -> VsCeilingRow | None:
    """Return the judge's row of the comparison with the ceiling and the best baseline, as on *Trust*."""
    relevant = scored_by_people(data.scores) | (data.scores["rater"] == judge)
    of_pair = data.scores[relevant & (data.scores["criterion"] == criterion)]
    rows = compare_with_ceiling(
        of_pair, scales=data.project.scales, level=data.level, coefficients=[data.defaults.coefficient],
        seed=seed, aggregation=data.aggregation, own_scale=data.own_scale,
        tables=tables(of_pair),
    ).rows  # fmt: skip
    return next((row for row in rows if (row.rater, row.criterion) == (judge, criterion)), None)
