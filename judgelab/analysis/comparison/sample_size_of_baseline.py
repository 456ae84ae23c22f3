"""Sample sizes: how many more items or pairs would show that a judge beats the best trivial baseline."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from judgelab.analysis.comparison.sample_size_answer import (
    BASELINE,
    SampleSizeAnswer,
    in_pairs,
    most_items,
)
from judgelab.analysis.comparison.sample_size_of_alternative_test import TablesOf, vs_ceiling_row
from judgelab.analysis.comparison.sample_size_of_judges import check_scored, negated
from judgelab.analysis.comparison.sample_size_words import judges_answer, not_enough
from judgelab.analysis.data.filter_info import ratings_text
from judgelab.analysis.data.project_scores import ProjectScores, resolve_criterion, scored_by_people
from judgelab.analysis.trust.agreement_statements import baseline_phrase
from judgelab.metaeval.agreement.vs_ceiling import minus_best_baseline
from judgelab.metaeval.coefficients.registry import ERRORS
from judgelab.metaeval.core.arrays import codes
from judgelab.metaeval.core.result import printed_difference, undefined
from judgelab.metaeval.inference import planning
from judgelab.wording import mark, sentence

NO_RATERS = mark("more raters would change the agreement of both, so only larger data sets are considered")


def baseline_sample_size(
    data: ProjectScores,
    tables: TablesOf,
    judge: str,
    *,
    criterion: str | None = None,
    most: int | None = None,
    resamples: int = 400,
    seed: int = 0,
) -> SampleSizeAnswer:
    """Return how many items, or pairs, would show that a judge agrees better than the best trivial baseline.

    Agreement is that of *Trust*: with all raters but one, each left out in turn. Items count if two raters
    and the judge scored a response of theirs, pairs if the raters have a majority when one of them is left
    out. `tables` gives the unit tables of scores, with the trivial baselines. Raises as `judges_sample_size`.
    """
    key = resolve_criterion(data, criterion)
    scores = data.scores[data.scores["criterion"] == key]
    check_scored(scores, judge)
    coefficient, slug = data.defaults.coefficient, data.project.slug
    recipe = {
        "level": data.level, "coefficient": coefficient, "seed": seed, "resamples": resamples,
        "ratings": ratings_text(data.policy),
    }  # fmt: skip
    no_raters = planning.no_plan("raters", 0, NO_RATERS)
    row = vs_ceiling_row(data, tables, judge, key, seed=seed)
    best = None if row is None else row.baseline
    phrase = None if best is None else baseline_phrase(best)
    of_pairs = data.compared is not None
    if row is None or best is None or phrase is None or row.estimate.value is None:
        reason = None if row is None else row.estimate.reason
        reason = reason or sentence("{judge} could not be compared with a trivial baseline", judge=judge)
        plan = planning.no_plan("items", 0, reason)
        said = undefined(reason), None, plan, no_raters, not_enough(reason)
        return SampleSizeAnswer(slug, key, BASELINE, judge, "", *said, recipe, of_pairs)
    counted = tables(_counted(scores, judge))[0]
    item = codes(counted.item)
    items = int(item.max(initial=-1)) + 1
    table = replace(counted, item=item, items=items)
    pairs = best.difference.n if of_pairs else None
    ci = best.difference.ci
    drawn = minus_best_baseline(
        table, judge, scales=data.project.scales, level=data.level, coefficient=coefficient,
        own_scale=data.own_scale,
    )  # fmt: skip
    plan = planning.difference_plan(
        drawn, items=items, settled=None if ci is None else not ci[0] <= 0 <= ci[1],
        most=most_items(most, items=items, pairs=pairs), resamples=resamples, seed=seed,
    )  # fmt: skip
    plan = in_pairs(plan, pairs)
    lead = negated(best.difference) if coefficient in ERRORS else best.difference
    answer = sentence(
        "{judge} is compared with the best trivial baseline, {baseline}. {answer}",
        judge=judge,
        answer=judges_answer(
            plan,
            lead,
            judge,
            sentence("the baseline"),
            printed=printed_difference(row.estimate, best.estimate, 2),
        ),
        baseline=phrase,
    )
    return SampleSizeAnswer(
        slug, key, BASELINE, judge, phrase, best.difference, None, plan, no_raters, answer, recipe, of_pairs,
        agreements=(row.estimate, best.estimate),
    )  # fmt: skip


def _counted(scores: pd.DataFrame, judge: str) -> pd.DataFrame:
    """Return the scores of people and the judge of responses that it and two raters scored."""
    people = scored_by_people(scores)
    raters = scores[people].groupby("response")["rater"].nunique()
    judged = scores.loc[~people & (scores["rater"] == judge), "response"]
    both = raters.index[raters >= 2].intersection(pd.Index(judged.unique()))
    return scores[(people | (scores["rater"] == judge)) & scores["response"].isin(both)]
