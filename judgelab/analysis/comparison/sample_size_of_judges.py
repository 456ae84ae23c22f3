"""Sample sizes: how many more items or pairs would settle which of two judges agrees better with people."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pandas as pd

from judgelab.analysis.comparison.sample_size_answer import JUDGES, SampleSizeAnswer, in_pairs, most_items
from judgelab.analysis.comparison.sample_size_words import judges_answer, not_enough, why_not_comparable
from judgelab.analysis.data.filter_info import ratings_text
from judgelab.analysis.data.project_scores import ProjectScores, resolve_criterion, scored_by_people
from judgelab.errors import NotFound
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.core.result import Estimate, printed_difference, undefined
from judgelab.metaeval.inference import planning
from judgelab.metaeval.inference.contrasts import contrasts
from judgelab.metaeval.inference.differences import difference_draws
from judgelab.wording import mark, sentence

NO_RATERS = {  # by whether it is about comparisons
    False: sentence("more raters would change both judges' agreement, so only the number of items is varied"),
    True: sentence("more raters would change both judges' agreement, so only the number of pairs is varied"),
}


def judges_sample_size(
    data: ProjectScores,
    first: str,
    second: str,
    *,
    criterion: str | None = None,
    level: str | None = None,
    coefficient: str | None = None,
    most: int | None = None,
    resamples: int = 400,
    seed: int = 0,
) -> SampleSizeAnswer:
    """Return how many items would settle which of two judges agrees better with the people.

    Level and coefficient are the project's defaults if not given. The claim is settled if the difference is
    more than 1.96 standard errors from 0. `most` is the largest number of items to try, by default ten times
    the present number. Of comparisons, agreement is that of choices between two responses, and pairs are
    counted instead of items.

    Raises:
        NotFound: no such judge or criterion.
        InvalidInput: there are several criteria and none was given.
    """
    ratings = {"ratings": ratings_text(data.policy)}
    key = resolve_criterion(data, criterion)
    scores = data.scores[data.scores["criterion"] == key]
    slug = data.project.slug
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


def check_scored(scores: pd.DataFrame, name: str) -> None:
    """Raise `NotFound` if no judge or metric of this name has a score."""
    others = sorted(set(scores.loc[~scored_by_people(scores), "rater"].unique()))
    if name not in others:
        raise NotFound(mark("judge or metric"), name, others)


def negated(estimate: Estimate) -> Estimate:
    """Return the estimate with the opposite sign."""
    ci = None if estimate.ci is None else (-estimate.ci[1], -estimate.ci[0])
    return replace(estimate, value=None if estimate.value is None else -estimate.value, ci=ci)
