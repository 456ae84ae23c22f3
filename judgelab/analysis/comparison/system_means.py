"""Mean scores of a stored project's systems: by people, by a judge, and by both together."""

from __future__ import annotations

from judgelab.analysis.comparison.measured_means import SystemMeans, measure_means
from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.scores import IN_USE
from judgelab.store.db.engine import Store


def estimate_means(
    store: Store,
    slug: str,
    judge: str | None = None,
    *,
    criterion: str | None = None,
    at_random: bool | None = None,
    policy: str = IN_USE,
    decisions: bool = False,
    comparisons: bool | None = False,
) -> SystemMeans:
    """Return the systems' means by people, by a judge, and by both together.

    Args:
        store: the database.
        slug: the project.
        judge: a judge or metric; None for the people's means alone.
        criterion: key of the criterion; may be omitted if the project has only one.
        at_random: whether the labelled items are a random sample; if not given, what was recorded
            (`record_random_sampling`).
        policy: the filter, as in `agreement_table`.
        decisions: whether adjudicated scores replace ratings, or decisions the choices of their pairs.
        comparisons: whether to return win rates from comparisons, as in `scores_or_comparisons`.

    Raises:
        NotFound: no such project, judge, criterion or filter.
        InvalidInput: the project has several criteria and none was given.
    """
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=policy, decisions=decisions)
    return measure_means(data, judge, criterion=criterion, at_random=at_random)
