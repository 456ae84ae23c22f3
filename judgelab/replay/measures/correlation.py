"""The absolute Pearson correlation of DRPE: how close, whichever way round the scale runs."""

from __future__ import annotations

from dataclasses import replace

from judgelab.metaeval.result import Estimate
from judgelab.replay.material import Material
from judgelab.replay.measures.agreement import plain_agreement
from judgelab.replay.measures.base import Asked, measures


@measures.register("absolute_pearson")
def absolute_pearson(material: Material, asked: Asked) -> Estimate:
    """Return |r| with the interval of r folded at 0; `params["signed"]` holds r itself.

    A project without the study's criterion is read under its own, or the average of its own.
    """
    if asked.recipe.criterion not in material.criteria:
        asked = replace(asked, recipe=replace(asked.recipe, criterion=""))
    found = plain_agreement(material, asked)
    if found.value is None:
        return found
    return replace(
        found, value=abs(found.value), ci=_folded(found.ci), params={**found.params, "signed": found.value}
    )


def _folded(ends: tuple[float, float] | None) -> tuple[float, float] | None:
    if ends is None:
        return None
    low, high = sorted((abs(ends[0]), abs(ends[1])))
    return (0.0, high) if ends[0] <= 0 <= ends[1] else (low, high)
