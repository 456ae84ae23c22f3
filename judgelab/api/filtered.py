"""A quality filter applied to loaded scores, as the app applies it to those of a project."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from judgelab.analysis.data.filter_info import UNSAVED, FilterInfo
from judgelab.analysis.data.pair_filter import FilteredChoices, keep_choices
from judgelab.analysis.data.project_scores import ProjectScores, aggregation_on
from judgelab.annotation.filters.apply_filter import apply_filter
from judgelab.annotation.filters.policy import FilterPolicy
from judgelab.errors import InvalidInput
from judgelab.metaeval.core.aggregation import MAJORITY


def filter_note(data: ProjectScores) -> str:
    """Return which filter was applied and how many ratings it keeps; "" without one."""
    if data.policy is None or data.outcome is None:
        return ""
    unsaved = data.policy.version == UNSAVED
    name = "the quality filter given" if unsaved else f"quality filter {data.policy.description}"
    return f"{name} keeps {len(data.outcome.kept):,} of {data.humans['score'].notna().sum():,} ratings"


def filtered_data(data: ProjectScores, policy: FilterPolicy) -> ProjectScores:
    """Return the scores that a filter keeps, with its outcome; a filter applied earlier no longer counts.

    Raises:
        InvalidInput: it is no filter, or one that cannot be applied to these scores.
    """
    _check(data, policy)
    compared = data.compared
    outcome = apply_filter(data.humans, policy, scales=data.project.scales, compared=compared is not None)
    if compared is None:
        others = data.scores[data.scores["rater_kind"] != "human"]
        kept = pd.concat([outcome.kept, others], ignore_index=True)
    else:
        choices = FilteredChoices(data.humans, compared.pairs, outcome)
        kept, compared = keep_choices(data.with_examples, compared, choices)
    aggregation = policy.aggregation if compared is None else MAJORITY
    return replace(
        data,
        scores=kept,
        outcome=outcome,
        policy=FilterInfo(
            "filter", UNSAVED, policy, in_use=True, locked_at=None, created_at=datetime.now(UTC)
        ),
        aggregation=aggregation_on(data.project, aggregation),
        compared=compared,
    )


def _check(data: ProjectScores, policy: Any) -> None:
    if not isinstance(policy, FilterPolicy):
        if isinstance(getattr(policy, "filter", None), FilterPolicy):
            raise InvalidInput("filter is a result of jl.filter_raters; write filter=result.filter.")
        given = repr(policy) if isinstance(policy, (str, int, float)) else f"a {type(policy).__name__}"
        raise InvalidInput(f"filter is {given}; write filter=jl.Filter(threshold=0.4).")
    if policy.control != "agreement":
        raise InvalidInput(
            f"control='{policy.control}' needs degraded copies of responses, which only a project of the app "
            "has; write jl.Filter(control='agreement')."
        )
    if data.compared is not None and data.outcome is not None:
        raise InvalidInput(
            "these comparisons are filtered already; filter those that are not (.scores('none'))."
        )
