"""Agreement about sets of labels: how alike a judge's sets are to the majority's, and about which labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from judgelab.metaeval.core.arrays import Bools, Floats, Ints
from judgelab.metaeval.core.label_sets import has_label, jaccard, majority_sets, masi_alpha
from judgelab.metaeval.core.resampling import ItemDraws, item_draws, percentile_interval
from judgelab.metaeval.core.result import NOT_ASKED, Estimate, undefined
from judgelab.metaeval.core.shares import share_over_items
from judgelab.metaeval.core.units import ScoredRater, UnitTable
from judgelab.scales import Scale
from judgelab.scales.categorical import Categorical
from judgelab.wording import sentence


@dataclass(frozen=True)
class LabelAgreement:
    """A judge's yes or no about one label, compared with the raters' majority.

    Attributes:
        given: how many responses have the label by the judge.
        by_raters: how many have it by the majority of the raters.
        accuracy: share of responses on which both say the same.
        f1: F1 score of the label; undefined if neither gives it.
        kappa: Cohen's kappa; undefined if both are constant.
        true_positive_rate: share of the raters' responses with the label to which the judge gave it.

    Intervals resample items, as everywhere.
    """

    label: str
    given: int
    by_raters: int
    accuracy: Estimate
    f1: Estimate
    kappa: Estimate
    true_positive_rate: Estimate


@dataclass(frozen=True)
class SetAgreement:
    """A judge's sets of labels under one criterion, compared with the raters' majority by label.

    Attributes:
        n: responses with a set by both.
        jaccard: mean Jaccard index over these responses; undefined without any.
        exact: share of equal sets.
        labels: each label by itself.
    """

    judge: str
    criterion: str
    n: int
    jaccard: Estimate
    exact: Estimate
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


def label_sets(
    tables: Iterable[UnitTable], scales: Mapping[str, Scale], *, resamples: int, seed: int
) -> tuple[SetsOfCriterion, ...]:
    """Return the agreement about sets of labels, for each criterion that has them.

    Intervals resample items, with the draws of the coefficients of the same tables.
    """
    return tuple(
        _of_criterion(table, scale, item_draws(table.items, resamples, seed))
        for table in tables
        if isinstance(scale := scales.get(table.criterion), Categorical) and scale.several
    )


def _of_criterion(table: UnitTable, scale: Categorical, draws: ItemDraws) -> SetsOfCriterion:
    rated, units, n = table.humans, len(table.item), len(scale.labels)
    alpha = masi_alpha(rated.unit, rated.score) if len(rated.score) else float("nan")
    has = has_label(rated.score, n)
    tied = {
        label: int(majority_sets(rated.unit, has[:, place], units=units, labels=1)[1].sum())
        for place, label in enumerate(scale.labels)
    }
    judges = [
        _of_judge(rater, table, scale.labels, draws) for rater in table.compared if rater.kind == "judge"
    ]
    return SetsOfCriterion(table.criterion, float(alpha) if np.isfinite(alpha) else None, tied, tuple(judges))


def _of_judge(rater: ScoredRater, table: UnitTable, labels: Sequence[str], draws: ItemDraws) -> SetAgreement:
    both = np.isfinite(rater.scores) & np.isfinite(table.human_score)
    n = int(both.sum())
    if not n:
        nothing = undefined(sentence("no response has a set by both"))
        return SetAgreement(rater.name, table.criterion, 0, nothing, nothing, ())
    judged, majority, item = rater.scores[both], table.human_score[both], table.item[both]
    return SetAgreement(
        rater.name,
        table.criterion,
        n,
        _share(jaccard(judged, majority), np.ones(n), item, draws),
        _share(judged == majority, np.ones(n), item, draws),
        tuple(
            _of_label(label, own, right, item, draws)
            for label, own, right in zip(
                labels, has_label(judged, len(labels)).T, has_label(majority, len(labels)).T, strict=True
            )
        ),
    )


def _of_label(label: str, own: Bools, right: Bools, item: Ints, draws: ItemDraws) -> LabelAgreement:
    both = own & right
    return LabelAgreement(
        label,
        int(own.sum()),
        int(right.sum()),
        _share(own == right, np.ones(len(own)), item, draws),
        _share(2 * both, own.astype(float) + right, item, draws),
        _kappa(own, right, item, draws),
        _share(both, right, item, draws),
    )


def _share(part: Bools | Ints | Floats, whole: Bools | Floats, item: Ints, draws: ItemDraws) -> Estimate:
    if not whole.any():
        return undefined(sentence("no response has the label"))
    return share_over_items(part.astype(float), whole.astype(float), item, draws)


def _kappa(own: Bools, right: Bools, item: Ints, draws: ItemDraws) -> Estimate:
    """Return Cohen's kappa of two answers yes or no; each resample has the chance of its own answers."""
    n = len(own)
    columns = np.column_stack([np.ones(n), own, right, own & right]).astype(float)
    value = float(_kappa_of(columns.sum(axis=0)))
    if not np.isfinite(value):
        return undefined(sentence("judge and raters are constant"), n=n)
    if not draws.resamples:
        return Estimate(value, n=n, ci_method=NOT_ASKED)
    drawn = np.concatenate([_kappa_of(weights @ columns) for weights in draws.of_units(item)])
    interval = percentile_interval(drawn, items=len(np.unique(item)))
    return Estimate(value, ci=interval.ends, ci_method=interval.method, n=n, seed=draws.seed)


def _kappa_of(sums: Floats) -> Floats:
    """Return kappa from n and the numbers of the judge's, the raters' and both sides' yes."""
    n, given, wanted, hits = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        equal = (n - given - wanted + 2 * hits) / n
        chance = (given * wanted + (n - given) * (n - wanted)) / n**2
        return np.where(chance < 1, (equal - chance) / (1 - chance), np.nan)
