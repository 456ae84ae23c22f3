"""Agreement about sets of labels: how alike a judge's sets are to the majority's, and about which labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from judgelab.metaeval.core.arrays import Floats
from judgelab.metaeval.core.label_sets import has_label, jaccard, majority_sets, masi_alpha
from judgelab.metaeval.core.units import UnitTable
from judgelab.scales import Scale
from judgelab.scales.categorical import Categorical


@dataclass(frozen=True)
class LabelAgreement:
    """A judge's yes or no about one label, compared with the raters' majority.

    Attributes:
        given: how many responses have the label by the judge.
        by_raters: how many have it by the majority of the raters.
        accuracy: share of responses on which both say the same.
        f1: F1 score of the label; None if neither gives it.
        kappa: Cohen's kappa; None if both are constant.
        true_positive_rate: share of the raters' responses with the label to which the judge gave it.
    """

    label: str
    given: int
    by_raters: int
    accuracy: float
    f1: float | None
    kappa: float | None
    true_positive_rate: float | None


@dataclass(frozen=True)
class SetAgreement:
    """A judge's sets of labels under one criterion, compared with the raters' majority by label.

    Attributes:
        n: responses with a set by both.
        jaccard: mean Jaccard index over these responses; None without any.
        exact: share of equal sets.
        labels: each label by itself.
    """

    judge: str
    criterion: str
    n: int
    jaccard: float | None
    exact: float | None
    labels: tuple[LabelAgreement, ...]


@dataclass(frozen=True)
class SetsOfCriterion:
    """What is known about a criterion with sets of labels.

    Attributes:
        alpha: Krippendorff's alpha of the raters with MASI's distance; None if no two rated a response.
        tied: by label, how many rated responses are left out because half of their raters gave it.
    """

    criterion: str
    alpha: float | None
    tied: dict[str, int]
    judges: tuple[SetAgreement, ...]


def label_sets(tables: Iterable[UnitTable], scales: Mapping[str, Scale]) -> tuple[SetsOfCriterion, ...]:
    """Return the agreement about sets of labels, for each criterion that has them."""
    return tuple(
        _of_criterion(table, scale)
        for table in tables
        if isinstance(scale := scales.get(table.criterion), Categorical) and scale.several
    )


def _of_criterion(table: UnitTable, scale: Categorical) -> SetsOfCriterion:
    rated, units, n = table.humans, len(table.item), len(scale.labels)
    alpha = masi_alpha(rated.unit, rated.score) if len(rated.score) else float("nan")
    has = has_label(rated.score, n)
    tied = {
        label: int(majority_sets(rated.unit, has[:, place], units=units, labels=1)[1].sum())
        for place, label in enumerate(scale.labels)
    }
    judges = [
        _of_judge(rater.name, table.criterion, rater.scores, table.human_score, scale.labels)
        for rater in table.compared
        if rater.kind == "judge"
    ]
    return SetsOfCriterion(table.criterion, _number(alpha), tied, tuple(judges))


def _of_judge(name: str, criterion: str, scores: Floats, human: Floats, labels: list[str]) -> SetAgreement:
    both = np.isfinite(scores) & np.isfinite(human)
    judged, majority = scores[both], human[both]
    by_label = [
        _of_label(label, own, right)
        for label, own, right in zip(
            labels, has_label(judged, len(labels)).T, has_label(majority, len(labels)).T, strict=True
        )
    ]
    return SetAgreement(
        name,
        criterion,
        int(both.sum()),
        _number(jaccard(judged, majority).mean()) if both.any() else None,
        float((judged == majority).mean()) if both.any() else None,
        tuple(by_label) if both.any() else (),
    )


def _of_label(label: str, own: Any, right: Any) -> LabelAgreement:
    hits, given, wanted, n = int((own & right).sum()), int(own.sum()), int(right.sum()), len(own)
    accuracy = float((own == right).mean())
    chance = (given * wanted + (n - given) * (n - wanted)) / n**2
    return LabelAgreement(
        label,
        given,
        wanted,
        accuracy,
        2 * hits / (given + wanted) if given + wanted else None,
        (accuracy - chance) / (1 - chance) if chance < 1 else None,
        hits / wanted if wanted else None,
    )


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
