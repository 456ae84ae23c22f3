"""The absolute Pearson correlation of DRPE, whichever direction the scale has."""

from __future__ import annotations

from dataclasses import replace

from judgelab.metaeval.coefficients.over_runs import agreement_over_runs
from judgelab.metaeval.core.result import Estimate
from judgelab.replication.material import Material
from judgelab.replication.measures.agreement import criterion_of, plain_agreement
from judgelab.replication.measures.base import MeasureRequest, measures
from judgelab.replication.prompt_scores import PANEL, scores_by_wording


@measures.register("absolute_pearson")
def absolute_pearson(material: Material, request: MeasureRequest) -> Estimate:
    """Return |r|; for a panel asked in several wordings the mean over them, as the paper averages runs.

    `params["runs_used"]` is the number of wordings; see `absolute_pearson_of_mean` for the alternative.
    """
    judge = material.judges.get(request.rater) if request.rater_kind == "judge" else None
    if judge is None or judge.protocol != PANEL or judge.origin == "imported":
        return absolute_pearson_of_mean(material, request)
    request = _own_criterion(material, request)
    rows = material.once(("by wording", request.recipe.level), lambda: _by_wording(material, request))
    estimate = rows.get((request.rater, criterion_of(material, request.recipe)))
    if estimate is None or estimate.value is None:
        return absolute_pearson_of_mean(material, request)
    return replace(estimate, ci=_folded(estimate.ci))


@measures.register("absolute_pearson_of_mean")
def absolute_pearson_of_mean(material: Material, request: MeasureRequest) -> Estimate:
    """Return |r| of a rater's mean score, its interval folded at 0; `params["signed"]` holds r itself."""
    estimate = plain_agreement(material, _own_criterion(material, request))
    if estimate.value is None:
        return estimate
    return replace(
        estimate,
        value=abs(estimate.value),
        ci=_folded(estimate.ci),
        params={**estimate.params, "signed": estimate.value},
    )


def _own_criterion(material: Material, request: MeasureRequest) -> MeasureRequest:
    """Return the request with the project's own criterion (or average) if it lacks the study's."""
    if request.recipe.criterion in material.criteria:
        return request
    return replace(request, recipe=replace(request.recipe, criterion=""))


def _by_wording(material: Material, request: MeasureRequest) -> dict[tuple[str, str], Estimate]:
    rows = agreement_over_runs(
        scores_by_wording(material),
        scales=material.project.scales,
        level=request.recipe.level or "none",
        coefficient=request.recipe.coefficient,
        absolute=True,
        resamples=material.resamples,
        seed=material.seed,
        aggregation=material.aggregation,
        own_scale=material.own_scale,
    )
    return {(row.rater, row.criterion): row.estimate for row in rows}


def _folded(ends: tuple[float, float] | None) -> tuple[float, float] | None:
    if ends is None:
        return None
    low, high = sorted((abs(ends[0]), abs(ends[1])))
    return (0.0, high) if ends[0] <= 0 <= ends[1] else (low, high)
