"""Judges and metrics compared with the human ceiling on the same targets, and confusion matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from judgelab.analysis.data.scores import IN_USE, build_unit_tables, project_scores
from judgelab.metaeval.agreement.vs_ceiling import compare_with_ceiling
from judgelab.metaeval.agreement.vs_ceiling_rows import VsCeilingRow
from judgelab.metaeval.core.resampling import ItemDraws
from judgelab.metaeval.core.result import Estimate
from judgelab.metaeval.core.shares import share_over_items
from judgelab.scales import Scale
from judgelab.store.db.engine import Store

MOST_POINTS = 11  # with more, a scatter plot is easier to read


@dataclass(frozen=True)
class ConfusionMatrix:
    """Confusion matrix of human and judge scores, both rounded half up to points of the scale.

    Attributes:
        counts: numbers of responses; rows are the people's points, columns the judge's, lowest first.
        exact_agreement: share of responses on which both are equal.
        adjacent_agreement: share of responses on which they differ by at most one step of the scale.
    """

    counts: pd.DataFrame
    exact_agreement: Estimate
    adjacent_agreement: Estimate

    @property
    def total(self) -> int:
        """Return the number of responses."""
        return int(self.counts.to_numpy().sum())


def vs_ceiling_table(
    store: Store,
    slug: str,
    *,
    level: str,
    coefficient: str,
    policy: str = IN_USE,
    aggregate: str | None = None,
    decisions: bool = False,
    criterion: str | None = None,
    constant_groups: str = "zero",
    resamples: int = 1000,
    seed: int = 0,
) -> list[VsCeilingRow]:
    """Return every judge, metric and trivial baseline compared with the human ceiling on the same targets.

    `aggregate` overrides how the filter aggregates ratings. With `decisions`, a decided score is the target
    of its response, for the judge and for each human.
    """
    data = project_scores(store, slug, policy=policy, aggregate=aggregate, decisions=decisions)
    scores = data.scores if criterion is None else data.scores[data.scores["criterion"] == criterion]
    return compare_with_ceiling(
        scores,
        scales=data.project.scales,
        level=level,
        coefficients=[coefficient],
        constant_groups=constant_groups,
        resamples=resamples,
        seed=seed,
        aggregation=data.aggregation,
        own_scale=data.own_scale,
        tables=build_unit_tables(store, data, scores),
    ).rows


def confusion_matrix(
    pairs: pd.DataFrame, scale: Scale, *, resamples: int = 1000, seed: int = 0
) -> ConfusionMatrix | None:
    """Return the confusion matrix of `agreement_table.paired_scores`.

    None if the scale has no points or more than `MOST_POINTS`. The shares have intervals from resampling
    items.
    """
    points = np.array([point.value for point in scale.points()])
    if not 0 < len(points) <= MOST_POINTS:
        return None
    human = nearest_points(pairs["human"], points)
    judge = nearest_points(pairs["score"], points)
    counts = pd.crosstab(human, judge).reindex(
        index=range(len(points)), columns=range(len(points)), fill_value=0
    )
    counts.index, counts.columns = pd.Index(points), pd.Index(points)
    distance = np.abs(human - judge)
    item, names = pd.factorize(pairs["item"])
    draws = ItemDraws(len(names), resamples, seed)
    same, near = (
        share_over_items(close.astype(float), np.ones(len(item)), item, draws)
        for close in (distance == 0, distance <= 1)
    )
    return ConfusionMatrix(counts, same, near)


def pairs_in_cell(pairs: pd.DataFrame, scale: Scale, *, human: float, judge: float) -> pd.DataFrame:
    """Return the pairs of scores in one cell of the matrix."""
    points = np.array([point.value for point in scale.points()])
    human_matches = points[nearest_points(pairs["human"], points)] == human
    judge_matches = points[nearest_points(pairs["score"], points)] == judge
    in_the_cell: pd.DataFrame = pairs[human_matches & judge_matches]
    return in_the_cell


def nearest_points(scores: pd.Series[float], points: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the index of the nearest point for each score; the upper point if both are equally near."""
    between = (points[1:] + points[:-1]) / 2
    return np.searchsorted(between, scores.to_numpy(dtype=float), side="right")
