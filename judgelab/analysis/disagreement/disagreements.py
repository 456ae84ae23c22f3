"""Differences between a judge and people, by response."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from judgelab.analysis.agreement.agreement_table import paired_scores
from judgelab.analysis.data.scores import IN_USE
from judgelab.metaeval.judges.large_disagreements import large_disagreement_from, score_difference
from judgelab.scales import Scale
from judgelab.store.db.engine import Store
from judgelab.store.frames import details
from judgelab.store.frames.details import ResponseDetail
from judgelab.store.judging.judges import judges_on_own_scale
from judgelab.store.projects.projects import find_project


@dataclass(frozen=True)
class DifferenceSizes:
    """How large the differences between a judge and the raters are.

    Attributes:
        n: how many responses both scored.
        large: the smallest difference that counts as large (`large_disagreement_from`).
        n_large: how many responses have a difference of at least that.
        largest: the largest difference in either direction; 0 without responses.
        n_largest: how many responses have it.
        n_smaller: how many responses have a smaller difference than a large one, but not none.
    """

    n: int
    large: float
    n_large: int
    largest: float
    n_largest: int
    n_smaller: int


def difference_sizes(differences: pd.Series[float], scale: Scale) -> DifferenceSizes:
    """Return how many of the differences on this scale are large, and how many are the largest."""
    sizes = differences.abs()
    large, largest = large_disagreement_from(scale), float(sizes.max()) if len(sizes) else 0.0
    n_large, n_largest = (int((sizes >= size - 1e-9).sum()) for size in (large, largest))
    n_smaller = int(((sizes > 1e-9) & (sizes < large - 1e-9)).sum())
    return DifferenceSizes(len(sizes), large, n_large, largest, n_largest, n_smaller)


def disagreement_table(
    store: Store,
    slug: str,
    *,
    rater: str,
    criterion: str,
    policy: str = IN_USE,
) -> pd.DataFrame:
    """Return responses by absolute difference of judge and human score, largest first.

    Scores on a judge's own scale (ranks, wins) are rescaled to the criterion's scale for the difference: the
    lowest score to the lowest point, the highest to the highest. Columns: response, item, question, system,
    group, human, judge, difference, raters (number of people). The difference of two labels without an order
    is 1 if they are not the same.
    """
    scored = paired_scores(store, slug, rater=rater, criterion=criterion, policy=policy)
    scored = scored.rename(columns={"score": "judge"})
    with store.reading() as session:
        project = find_project(session, slug)
        own_scale = rater in judges_on_own_scale(session, project.id)
    judge_scores = _rescaled(scored["judge"], project.scale(criterion)) if own_scale else scored["judge"]
    scored["difference"] = score_difference(judge_scores, scored["human"], project.scale(criterion))
    order = scored["difference"].abs().sort_values(ascending=False, kind="stable").index
    columns = ["response", "item", "question", "system", "group", "human", "judge", "difference", "raters"]
    return scored.loc[order, columns].reset_index(drop=True)


def _rescaled(scores: pd.Series[float], scale: Scale) -> pd.Series[float]:
    low, high = scores.min(), scores.max()
    if not high > low:
        return scores * 0.0 + (scale.low + scale.high) / 2
    return scale.low + (scores - low) * (scale.high - scale.low) / (high - low)


def response_detail(store: Store, slug: str, response_id: int) -> ResponseDetail:
    """Return one response with all ratings, judgments and metrics; raises `NotFound`."""
    with store.reading() as session:
        return details.response_detail(session, find_project(session, slug).id, response_id)
