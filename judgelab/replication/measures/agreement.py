"""Agreement with the people: a coefficient at a level, as on the Agreement page."""

from __future__ import annotations

from dataclasses import replace

from judgelab.metaeval.agreement.agreement import agreement
from judgelab.metaeval.coefficients.estimates import AVERAGE
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.metaeval.core.units import unit_tables
from judgelab.replication.material import Material
from judgelab.replication.measures.base import MeasureRequest, measures
from judgelab.studies.tables import CellRecipe
from judgelab.wording import sentence

PLAIN = "agreement"
NO_SCORE = "no_score"  # a group in which the rater scored nothing


@measures.register(PLAIN)
def plain_agreement(material: Material, request: MeasureRequest) -> Estimate:
    """Return the agreement of one rater with the people."""
    recipe, criteria = request.recipe, material.criteria
    criterion = criterion_of(material, recipe)
    if criterion != AVERAGE and criterion not in criteria:
        return undefined(
            sentence("there are no ratings under a criterion '{criterion}'", criterion=criterion)
        )
    constant = str(recipe.options.get("constant_groups", "zero"))
    estimates = table(material, recipe.level or "none", recipe.coefficient, constant)
    key = (request.rater, request.rater_kind, criterion)
    if key not in estimates:
        return undefined(
            sentence("no response has both a rating and a score from {rater}", rater=request.rater)
        )
    return (
        estimates[key]
        if recipe.level != "group"
        else _of_groups(material, estimates[key], all_groups=recipe.average)
    )


def _of_groups(material: Material, estimate: Estimate, *, all_groups: bool) -> Estimate:
    """Return the mean over groups, counting those in which the rater scored nothing.

    With `all_groups` the printed mean is over all groups; a mean over some of them is not comparable.
    """
    used = estimate.groups_used
    if used is None:
        return estimate
    missing = len(material.groups_rated) - used - sum(estimate.groups_undefined.values())
    if missing > 0:
        estimate = replace(estimate, groups_undefined={**estimate.groups_undefined, NO_SCORE: missing})
    if all_groups and estimate.value is not None and used < len(material.groups_rated):
        return undefined(
            sentence(
                "only {n} of {all} groups have a value, but the printed mean includes all of them",
                n=used,
                all=len(material.groups_rated),
            ),
            n=estimate.n,
        )
    return estimate


def criterion_of(material: Material, recipe: CellRecipe) -> str:
    """Return a recipe's criterion; if it names none, the project's only one, or "average"."""
    keys = material.criteria
    if len(keys) == 1 and recipe.criterion in ("", AVERAGE):
        return keys[0]
    return recipe.criterion or AVERAGE


def table(
    material: Material, level: str, coefficient: str, constant_groups: str = "zero"
) -> dict[tuple[str, str, str], Estimate]:
    """Return the agreement of every rater by name, kind and criterion ("average" for their mean)."""

    def compute() -> dict[tuple[str, str, str], Estimate]:
        if level == "group" and not material.groups:
            return {}
        named, drawn = material.scores, material.drawn_items
        if level == "group":
            named = named[named["group"].astype(str) != ""]
            group = material.rated_items[drawn]
            drawn = group.index[group.notna() & (group.astype(str) != "")]
        scales = material.project.scales
        rows = agreement(
            named,
            scales=scales,
            levels=(level,),
            coefficients=(coefficient,),
            constant_groups=constant_groups,
            resamples=material.resamples,
            seed=material.seed,
            aggregation=material.aggregation,
            own_scale=material.own_scale,
            tables=unit_tables(named, material.aggregation, scales=scales, drawn_items=drawn),
        )
        return {(row.rater, row.rater_kind, row.criterion): row.estimate for row in rows}

    return material.once(("agreement", level, coefficient, constant_groups), compute)
