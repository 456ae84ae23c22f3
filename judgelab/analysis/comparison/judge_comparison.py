"""Comparison of a project's judges with one another, for pages and commands."""

from __future__ import annotations

from collections.abc import Sequence

from judgelab.analysis.comparison.measured_comparison import PERMUTATIONS, Comparison, measure_comparison
from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.scores import IN_USE
from judgelab.store.db.engine import Store


def compare_judges(
    store: Store,
    slug: str,
    *,
    raters: Sequence[str] | None = None,
    baseline: str | None = None,
    level: str | None = None,
    coefficient: str | None = None,
    criterion: str | None = None,
    test: str = "permutation",
    correction: str = "holm",
    constant_groups: str = "zero",
    policy: str = IN_USE,
    decisions: bool = False,
    comparisons: bool | None = False,
    resamples: int = 1000,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Comparison:
    """Compare judges, metrics and juries of a project on the responses that all of them scored.

    Args:
        store: the database.
        slug: the project.
        raters: names to compare; all judges and metrics with scores if not given.
        baseline: compare the others with this one only; every pair if not given.
        level: the project's default if not given.
        coefficient: a key of `metaeval.coefficients.registry.COEFFICIENTS`; the project's default if not
            given.
        criterion: compare under this criterion only, and correct p-values over its pairs alone; all rated
            criteria if not given.
        test: one of `metaeval.inference.contrast_tests.TESTS`.
        correction: "holm", "bh", "by", "bonferroni" or "none".
        constant_groups: "zero" or "drop", as in `agreement_table`.
        policy: the filter, as in `agreement_table`.
        decisions: whether adjudicated scores replace ratings, or decisions the majority of their pairs.
        comparisons: whether to compare choices between two responses, as in `scores_or_comparisons`.
        resamples: number of resamples of the items, for intervals.
        permutations: number of permutations of the test.
        seed: seed of both.

    Raises:
        NotFound: no such project, criterion, rater or filter.
    """
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=policy, decisions=decisions)
    return measure_comparison(
        data,
        raters=raters,
        baseline=baseline,
        level=level,
        coefficient=coefficient,
        criterion=criterion,
        test=test,
        correction=correction,
        constant_groups=constant_groups,
        resamples=resamples,
        permutations=permutations,
        seed=seed,
    )
