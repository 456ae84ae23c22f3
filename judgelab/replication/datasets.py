"""Which projects or groups contain which of a paper's data sets, and the mean over all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.metaeval.coefficients.system_counts import combined_counts
from judgelab.metaeval.core.result import Estimate, no_interval, undefined
from judgelab.replication.cells import Cell
from judgelab.replication.matching import dataset_groups, place_of
from judgelab.replication.material import STUDY_DATASET, Material
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project, update_project
from judgelab.studies.tables import PublishedTable
from judgelab.wording import sentence

OWN = "own"  # the data set of a project that holds none of the paper's


@dataclass(frozen=True)
class DatasetPlace:
    """A data set of the paper ("" if the table has only one) and the material that contains it."""

    dataset: str
    material: Material


def set_dataset(store: Store, slug: str, dataset: str) -> None:
    """Store which of the paper's data sets the project holds."""
    with store.writing() as session:
        project = find_project(session, slug)
        settings: dict[str, Any] = {**project.settings, STUDY_DATASET: dataset}
        update_project(session, project.id, settings=settings)


def dataset_places(table: PublishedTable, materials: Sequence[Material]) -> list[DatasetPlace]:
    """Return the material of each data set, in the order of the projects.

    A data set is recognised by the project's setting, its groups' names, or its own name. A project that
    contains none of them, in a table with several, is a data set of its own.
    """
    if not table.datasets:
        return [DatasetPlace("", material) for material in materials]
    places: list[DatasetPlace] = []
    for material in materials:
        of_material = _held(table, material)
        places += of_material or [DatasetPlace(OWN, material)]
    return places


def _held(table: PublishedTable, material: Material) -> list[DatasetPlace]:
    setting = material.project.settings.get(STUDY_DATASET)
    if setting in table.datasets:
        return [DatasetPlace(str(setting), material)]
    if setting == OWN:
        return []
    groups = dataset_groups(table, material)
    if groups:
        return [DatasetPlace(name, material.of_groups(names)) for name, names in groups.items()]
    words = f" {' '.join(material.project.name.casefold().replace('-', ' ').split())} "
    for name, names in table.datasets.items():
        if place_of([material.project.slug, material.project.name], names) or any(
            f" {name_of_dataset.replace('-', ' ')} " in words for name_of_dataset in names
        ):
            return [DatasetPlace(name, material)]
    return []


def _counts(parts: Sequence[Estimate]) -> dict[str, Any]:
    """Return the summed counts of what the numbers of several data sets leave out."""
    missing = sum(estimate.params.get("n_missing", 0) for estimate in parts)
    counts = combined_counts([estimate.params for estimate in parts], summed=True)
    return {**counts, **({"n_missing": missing} if missing else {})}


def whole_mean(cells: Sequence[Cell]) -> Estimate:
    """Return the mean of a row's numbers over data sets; undefined if one of them is missing.

    Data sets are independent, so each end of the interval is as far from the mean as the root of the sum of
    squared distances of the intervals' ends (Zou and Donner 2008), divided by their number.
    """
    values = [cell.estimate.value for cell in cells]
    if not values or any(value is None for value in values):
        missing = sum(value is None for value in values)
        return undefined(sentence("{n} of {all} data sets have no value", n=missing, all=len(values)))
    mean = sum(float(v) for v in values if v is not None) / len(values)
    n = sum(cell.estimate.n for cell in cells)
    params = _counts([cell.estimate for cell in cells])
    ends = [(e.value, *e.ci) for e in (cell.estimate for cell in cells) if e.ci and e.value is not None]
    if len(ends) < len(cells):
        return Estimate(
            mean, ci_method=no_interval(sentence("not every data set has an interval")), n=n, params=params
        )
    below = math.sqrt(sum((value - low) ** 2 for value, low, _ in ends)) / len(ends)
    above = math.sqrt(sum((high - value) ** 2 for value, _, high in ends)) / len(ends)
    return Estimate(
        mean,
        ci=(mean - below, mean + above),
        ci_method=sentence("combined from the intervals of independent data sets"),
        n=n,
        params=params,
    )
