"""The judges compared under a criterion, and the units they are compared on."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from judgelab.errors import InvalidInput
from judgelab.metaeval.coefficients.registry import Coefficient, coefficient, scale_kind, why_incompatible
from judgelab.metaeval.coefficients.settings import CoefficientSettings
from judgelab.metaeval.core.arrays import Bools
from judgelab.metaeval.core.units import UnitTable
from judgelab.metaeval.inference.contrast_tests import ComparedJudge
from judgelab.wording import sentence


@dataclass(frozen=True)
class ComparisonSet:
    """The judges compared under one criterion, the units, and the pairs."""

    table: UnitTable
    judges: Sequence[ComparedJudge]
    left_out: Mapping[str, str]
    each: Sequence[Bools]
    common: Bools
    pairs: Sequence[tuple[int, int]]


def comparison_set(
    table: UnitTable,
    recipe: CoefficientSettings,
    raters: Sequence[str] | None,
    baseline: str | None,
    own_scale: Collection[str],
) -> ComparisonSet:
    """Return the judges that can be compared under the table's criterion, and the others with reasons."""
    statistic, scale = recipe.statistics[0], recipe.scales.get(table.criterion)
    definition = coefficient_of(table, recipe)
    judges, left_out = [], {}
    for rater in table.compared:
        if raters is not None and rater.name not in raters:
            continue
        scores = rater.scores[np.isfinite(rater.scores)]
        kind = scale_kind(rater.name, rater.kind, own_scale)
        reason = (
            why_incompatible(
                definition,
                scores,
                criterion=table.criterion,
                kind=kind,
                scale=scale,
                level=statistic.level,
            )
            if len(scores)
            else None
        )
        if reason or not len(scores):
            left_out[rater.name] = reason or sentence("no score under this criterion")
        else:
            judges.append(ComparedJudge(rater.name, rater.kind, rater.scores))
    for name in raters or ():
        if name not in left_out and all(judge.name != name for judge in judges):
            left_out[name] = sentence("no score under this criterion")
    if baseline is not None and raters is not None and baseline not in raters:
        raise InvalidInput(
            sentence("the baseline {name} is not among the compared judges and metrics", name=baseline)
        )
    human = np.isfinite(table.human_score)
    scored = [np.isfinite(judge.scores) & human for judge in judges]
    common = np.logical_and.reduce(scored) if scored else np.zeros(len(table.item), dtype=bool)
    pairs = [
        (i, j)
        for i, j in combinations(range(len(judges)), 2)
        if baseline is None or baseline in (judges[i].name, judges[j].name)
    ]
    return ComparisonSet(table, judges, left_out, scored, common, pairs)


def coefficient_of(table: UnitTable, recipe: CoefficientSettings) -> Coefficient:
    """Return the requested coefficient as it applies to the table's criterion."""
    return coefficient(recipe.statistics[0].coefficient, scale=recipe.scales.get(table.criterion))
