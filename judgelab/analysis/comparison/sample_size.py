"""Sample sizes: how many more items, pairs or raters would settle a claim about judges."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from judgelab.analysis.comparison.sample_size_answer import (
    JUDGES,
    STAND_IN,
    SampleSizeAnswer,
    in_pairs,
    most_items,
)
from judgelab.analysis.comparison.sample_size_words import (
    alternative_test_answer,
    answer_with_baseline,
    judges_answer,
    not_enough,
    why_not_comparable,
)
from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.filter_info import ratings_text
from judgelab.analysis.data.project_scores import ProjectScores, resolve_criterion, scored_by_people
from judgelab.analysis.data.scores import IN_USE, build_unit_tables
from judgelab.analysis.trust.judge_units import judge_units
from judgelab.errors import NotFound
from judgelab.metaeval.agreement.vs_ceiling import compare_with_ceiling
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.core.arrays import count_distinct
from judgelab.metaeval.core.result import Estimate, printed_difference, undefined
from judgelab.metaeval.inference import planning, planning_alternative_annotator
from judgelab.metaeval.inference.alternative_annotator import alternative_annotator, human_leads
from judgelab.metaeval.inference.contrasts import contrasts
from judgelab.metaeval.inference.differences import difference_draws
from judgelab.store.db.engine import Store
from judgelab.store.frames import snapshots
from judgelab.wording import mark, sentence

NO_RATERS = {  # by whether it is about comparisons
    False: sentence("more raters would change both judges' agreement, so only the number of items is varied"),
    True: sentence("more raters would change both judges' agreement, so only the number of pairs is varied"),
}


def sample_size_for_judges(
    store: Store,
    slug: str,
    first: str,
    second: str,
    *,
    criterion: str | None = None,
    level: str | None = None,
    coefficient: str | None = None,
    policy: str = IN_USE,
    comparisons: bool | None = False,
    most: int | None = None,
    resamples: int = 400,
    seed: int = 0,
) -> SampleSizeAnswer:
    """Return how many items would settle which of two judges agrees better with the people.

    Level and coefficient are the project's defaults if not given. The claim is settled if the difference is
    more than 1.96 standard errors from 0. `most` is the largest number of items to try, by default ten times
    the present number. With `comparisons`, as in `scores_or_comparisons`, agreement is that of choices
    between two responses, and pairs are counted instead of items.

    Raises:
        NotFound: no such project, judge or criterion.
        InvalidInput: the project has several criteria and none was given.
    """
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=policy)
    ratings = {"ratings": ratings_text(data.policy)}
    key = resolve_criterion(data, criterion)
    scores = data.scores[data.scores["criterion"] == key]
    for name in (first, second):
        check_scored(scores, name)
    people = scored_by_people(scores)
    scores = scores[people | scores["rater"].isin((first, second))]
    measured_level = level or data.level
    coefficient = coefficient or data.defaults.coefficient
    options: dict[str, Any] = {
        "scales": data.project.scales, "level": measured_level, "coefficient": coefficient,
        "aggregation": data.aggregation,
    }  # fmt: skip
    recipe = {
        "level": measured_level,
        "coefficient": coefficient,
        "seed": seed,
        "resamples": resamples,
    } | ratings
    no_raters_plan = planning.no_plan("raters", 0, NO_RATERS[data.compared is not None])
    result = next(
        iter(
            contrasts(
                scores,
                raters=(first, second),
                correction="none",
                own_scale=data.own_scale,
                seed=seed,
                drawn_items=data.rated_items.index,
                **options,
            )
        ),
        None,
    )
    contrast = result.contrasts[0] if result is not None and result.contrasts else None
    if result is None or contrast is None or contrast.difference.value is None:
        reason = why_not_comparable(
            result.left_out if result is not None else {},
            contrast.difference if contrast is not None else None,
        )
        plan = planning.no_plan("items", 0, reason)
        answer = not_enough(reason)
        return SampleSizeAnswer(
            slug, key, JUDGES, first, second, undefined(reason), None, plan, no_raters_plan, answer, recipe,
            data.compared is not None,
        )  # fmt: skip
    resampled = difference_draws(scores, first, second, **options)
    pairs = None if data.compared is None else contrast.difference.n
    most = most_items(most, items=resampled.items, pairs=pairs)
    ci = contrast.difference.ci
    settled = None if ci is None else not ci[0] <= 0 <= ci[1]
    plan = planning.difference_plan(
        resampled.draw, items=resampled.items, settled=settled, most=most, resamples=resamples, seed=seed
    )
    plan = in_pairs(plan, pairs)
    # The contrast orders its pair by name; the claim is about `first`.
    estimates = {row.rater: row.estimate for row in result.placed}
    agreements = estimates[first], estimates[second]
    difference = contrast.difference if contrast.first == first else negated(contrast.difference)
    return SampleSizeAnswer(
        slug,
        key,
        JUDGES,
        first,
        second,
        difference,
        contrast.test,
        plan,
        no_raters_plan,
        judges_answer(
            plan,
            negated(difference) if coefficient in ERRORS else difference,
            first,
            second,
            printed=printed_difference(*agreements, 2),
        ),
        recipe,
        data.compared is not None,
        agreements=agreements,
    )


def sample_size_for_alternative_test(
    store: Store,
    slug: str,
    judge: str,
    *,
    criterion: str | None = None,
    epsilon: float = 0.2,
    policy: str = IN_USE,
    comparisons: bool | None = False,
    most: int | None = None,
    resamples: int = 400,
    seed: int = 0,
) -> SampleSizeAnswer:
    """Return how many items or raters would let a judge pass the alternative annotator test.

    The answer names the best trivial baseline unless the judge is significantly better.

    Raises as `sample_size_for_judges`.
    """
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=policy)
    ratings = {"ratings": ratings_text(data.policy)}
    key = resolve_criterion(data, criterion)
    check_scored(data.scores[data.scores["criterion"] == key], judge)
    words = snapshots.word_counts(store, data.project.id)
    units = judge_units(data, words, judge, key, same_scale=judge not in data.own_scale)
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
        answer = answer_with_baseline(answer, judge, vs_ceiling_row(store, data, judge, key, seed=seed))
    return SampleSizeAnswer(
        slug, key, STAND_IN, judge, "", test.winning_rate, None, *plans, answer, recipe,
        data.compared is not None,
    )  # fmt: skip


def vs_ceiling_row(
    store: Store, data: ProjectScores, judge: str, criterion: str, *, seed: int
) -> VsCeilingRow | None:
    """Return the judge's row of the comparison with the ceiling and the best baseline, as on *Trust*."""
    relevant = scored_by_people(data.scores) | (data.scores["rater"] == judge)
    of_pair = data.scores[relevant & (data.scores["criterion"] == criterion)]
    rows = compare_with_ceiling(
        of_pair, scales=data.project.scales, level=data.level, coefficients=[data.defaults.coefficient],
        seed=seed, aggregation=data.aggregation, own_scale=data.own_scale,
        tables=build_unit_tables(store, data, of_pair),
    ).rows  # fmt: skip
    return next((row for row in rows if (row.rater, row.criterion) == (judge, criterion)), None)


def check_scored(scores: pd.DataFrame, name: str) -> None:
    """Raise `NotFound` if no judge or metric of this name has a score."""
    others = sorted(set(scores.loc[~scored_by_people(scores), "rater"].unique()))
    if name not in others:
        raise NotFound(mark("judge or metric"), name, others)


def negated(estimate: Estimate) -> Estimate:
    """Return the estimate with the opposite sign."""
    ci = None if estimate.ci is None else (-estimate.ci[1], -estimate.ci[0])
    return replace(estimate, value=None if estimate.value is None else -estimate.value, ci=ci)
