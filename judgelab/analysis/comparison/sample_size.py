"""Sample sizes of a stored project: how many more items, pairs or raters would settle a claim.

In all of these, `policy` and `comparisons` are as in `scores_or_comparisons`, what they raise for an unknown
project or filter is `NotFound`, and the rest is as in the functions that they call.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from judgelab.analysis.comparison.sample_size_answer import SampleSizeAnswer
from judgelab.analysis.comparison.sample_size_of_alternative_test import alternative_test_sample_size
from judgelab.analysis.comparison.sample_size_of_baseline import baseline_sample_size
from judgelab.analysis.comparison.sample_size_of_judges import judges_sample_size
from judgelab.analysis.comparison.sample_size_of_systems import systems_sample_size
from judgelab.analysis.data.compared_scores import scores_or_comparisons
from judgelab.analysis.data.scores import IN_USE, build_unit_tables
from judgelab.store.db.engine import Store


def sample_size_for_judges(
    store: Store,
    slug: str,
    first: str,
    second: str,
    *,
    policy: str = IN_USE,
    comparisons: bool | None = False,
    **options: Any,
) -> SampleSizeAnswer:
    """Return how many items would settle which of two judges agrees better with the people."""
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=policy)
    return judges_sample_size(data, first, second, **options)


def sample_size_for_alternative_test(
    store: Store,
    slug: str,
    judge: str,
    *,
    policy: str = IN_USE,
    comparisons: bool | None = False,
    **options: Any,
) -> SampleSizeAnswer:
    """Return how many items or raters would let a judge pass the alternative annotator test."""
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=policy)
    return alternative_test_sample_size(data, partial(build_unit_tables, store, data), judge, **options)


def sample_size_for_baseline(
    store: Store,
    slug: str,
    judge: str,
    *,
    policy: str = IN_USE,
    comparisons: bool | None = False,
    **options: Any,
) -> SampleSizeAnswer:
    """Return how many items or pairs would show that a judge agrees better than the best baseline."""
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=policy)
    return baseline_sample_size(data, partial(build_unit_tables, store, data), judge, **options)


def sample_size_for_systems(
    store: Store,
    slug: str,
    first: str,
    second: str,
    *,
    policy: str = IN_USE,
    comparisons: bool | None = False,
    **options: Any,
) -> SampleSizeAnswer:
    """Return how many items, or raters per response, would show that people score two systems differently."""
    data = scores_or_comparisons(store, slug, comparisons=comparisons, policy=policy)
    return systems_sample_size(data, first, second, **options)
