"""Agreement with the people: a coefficient at a level, as on the page of agreement."""

from __future__ import annotations

from judgelab.metaeval.agreement import agreement
from judgelab.metaeval.estimates import AVERAGE
from judgelab.metaeval.result import Estimate, undefined
from judgelab.replay.material import Material
from judgelab.replay.measures.base import Asked, measures
from judgelab.studies.tables import Recipe
from judgelab.wording import sentence

PLAIN = "agreement"


@measures.register(PLAIN)
def plain_agreement(material: Material, asked: Asked) -> Estimate:
    """Return the agreement of one rater with the people."""
    recipe, known = asked.recipe, material.criteria
    criterion = criterion_of(material, recipe)
    if criterion != AVERAGE and criterion not in known:
        return undefined(sentence("nobody has rated under a criterion '{criterion}'", criterion=criterion))
    constant = str(recipe.options.get("constant_groups", "zero"))
    found = table(material, recipe.level or "none", recipe.coefficient, constant)
    key = (asked.rater, asked.rater_kind, criterion)
    if key not in found:
        return undefined(sentence("no response has both a rating and a score of {rater}", rater=asked.rater))
    return found[key]


def criterion_of(material: Material, recipe: Recipe) -> str:
    """Return the criterion a recipe speaks of: the project's only one, or "average", where it names none."""
    known = material.criteria
    if len(known) == 1 and recipe.criterion in ("", AVERAGE):
        return known[0]
    return recipe.criterion or AVERAGE


def table(
    material: Material, level: str, coefficient: str, constant_groups: str = "zero"
) -> dict[tuple[str, str, str], Estimate]:
    """Return the agreement of every rater by name, kind and criterion ("average" for their mean)."""

    def compute() -> dict[tuple[str, str, str], Estimate]:
        if level == "group" and not material.groups:
            return {}
        named = material.scores
        if level == "group":
            named = named[named["group"].astype(str) != ""]
        rows = agreement(
            named,
            scales=material.project.scales,
            levels=(level,),
            coefficients=(coefficient,),
            constant_groups=constant_groups,
            resamples=material.resamples,
            seed=material.seed,
            aggregation=material.aggregation,
            own_scale=material.own_scale,
        )
        return {(row.rater, row.rater_kind, row.criterion): row.estimate for row in rows}

    return material.once(("agreement", level, coefficient, constant_groups), compute)
