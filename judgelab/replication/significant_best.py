"""The best in a row or column of a table, and whether the next best is significantly worse."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from judgelab.metaeval.coefficients.settings import CORRELATIONS
from judgelab.metaeval.inference.contrasts import contrasts
from judgelab.replication.cells import Cell
from judgelab.replication.material import Material
from judgelab.studies.tables import CellRecipe

AHEAD, FIRST = "ahead", "first"
PERMUTATIONS = 1000
MOST = 5_000  # responses; beyond, the test would take longer than the table


@dataclass(frozen=True)
class Entry:
    """A cell with its place in the table, its recipe and its material."""

    at: tuple[int, int]
    cell: Cell
    recipe: CellRecipe
    material: Material | None


def best_cells(entries: Sequence[Entry], line_of: Callable[[Entry], object]) -> dict[tuple[int, int], str]:
    """Return the best cells among those of one line and coefficient.

    "ahead" if the permutation test of the difference to the next best, on the responses both scored, has a
    p-value below .05; "first" if the difference could be chance or cannot be tested.

    Args:
        entries: the cells of a table.
        line_of: what cells that compete have in common: their row, or their column.
    """
    rivals: dict[object, list[Entry]] = {}
    for entry in entries:
        if entry.cell.value is not None and _competes(entry):
            rivals.setdefault((line_of(entry), entry.recipe.coefficient), []).append(entry)
    leads = {}
    for group in rivals.values():
        order = sorted(group, key=lambda rival: -(rival.cell.value or 0.0))
        rivals_of_best = [rival for rival in order[1:] if rival.cell.rater != order[0].cell.rater]
        if rivals_of_best:
            leads[order[0].at] = AHEAD if _is_ahead(order[0], rivals_of_best[0]) else FIRST
    return leads


def marked(cell: Cell, lead: str | None) -> Cell:
    """Return the cell with its mark."""
    return cell if lead is None else replace(cell, lead=lead)


def _competes(entry: Entry) -> bool:
    recipe = entry.recipe
    return (
        entry.cell.kind in ("judge", "metric")
        and recipe.coefficient in CORRELATIONS
        and not recipe.measure
        and recipe.dataset != "all"
    )


def _is_ahead(best: Entry, next_best: Entry) -> bool:
    material = best.material
    if material is None or material is not next_best.material or not material.resamples:
        return False
    criteria = material.criteria
    key = best.recipe.criterion or (criteria[0] if len(criteria) == 1 else "")
    if key == "average" and len(criteria) == 1:
        key = criteria[0]
    if key not in criteria:
        return False
    raters = [best.cell.rater, next_best.cell.rater]
    scores = material.scores[material.scores["criterion"] == key]
    scores = scores[(scores["rater_kind"] == "human") | scores["rater"].isin(raters)]
    if scores["response"].nunique() > MOST:
        return False
    (result,) = contrasts(
        scores,
        scales=material.project.scales,
        raters=raters,
        level=best.recipe.level or "none",
        coefficient=best.recipe.coefficient,
        constant_groups=str(best.recipe.options.get("constant_groups", "zero")),
        resamples=200,
        permutations=PERMUTATIONS,
        seed=material.seed,
        aggregation=material.aggregation,
        own_scale=material.own_scale,
    )
    contrast = result.between(*raters)
    return contrast is not None and contrast.better == best.cell.rater
