"""Rows and columns that a project adds to a paper's table: its groups, systems, raters and criteria."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from judgelab.replication.datasets import OWN, DatasetPlace
from judgelab.replication.matching import find_rater, model_of, place_of, slots
from judgelab.replication.material import Material
from judgelab.studies import Study
from judgelab.studies.tables import CellRecipe, Column, PublishedTable, TableRow, published_tables
from judgelab.wording import listed, mark, sentence

THIS_PROJECT = "this project"
MOST_NAMED = 3  # rows in the name of their mean
MEAN_OF_ROWS = mark("Mean of {rows}")


@dataclass(frozen=True)
class AddedRow:
    """A row of the table, and whether the project added it."""

    row: TableRow
    is_added: bool = False


def own_columns(
    table: PublishedTable, study: Study, places: Sequence[DatasetPlace], model: str | None
) -> Iterator[Column]:
    """Yield the columns that the project adds: data of its own, its criteria, its other raters."""
    if any(place.dataset == OWN for place in places):
        yield from _own_dataset(table)
    if "criterion" in table.extend:
        yield from _own_criteria(table, places[0].material)
    if "rater" in table.extend and any(column.recipe.names_rater for column in table.columns):
        first = next(column for column in table.columns if column.recipe.names_rater)
        labels = (
            [c.label for c in table.columns if c.group_heading == first.group_heading]
            if first.group_heading
            else []
        )
        for name, kind in _others(table, study, places, model):
            recipe = _of_rater(name, kind)
            if len(labels) < 2 or "system" in table.extend:
                yield Column("", name, recipe)
                continue
            for column in (c for c in table.columns if c.group_heading == first.group_heading):
                yield Column(name, column.label, replace(recipe, coefficient=column.recipe.coefficient))


def own_rows(
    table: PublishedTable,
    study: Study,
    places: Sequence[DatasetPlace],
    model: str | None,
    columns: Sequence[Column],
) -> Iterator[AddedRow]:
    """Yield the published rows with those that the project adds."""
    added = [place.material for place in places if place.dataset in ("", OWN)]
    rows = list(table.rows)
    means = [row for row in rows if row.recipe.average]
    for row in rows:
        if not row.recipe.average:
            yield AddedRow(row)
    if added and "system" in table.extend:
        named_systems = [name for row in rows for name in row.recipe.system]
        for name in (n for n in added[0].systems if not place_of([n], named_systems)):
            yield AddedRow(_row(name, CellRecipe(system=(name,))), is_added=True)
    if "rater" in table.extend and any(row.recipe.names_rater for row in table.rows):
        for name, kind in _others(table, study, places, model):
            yield AddedRow(_row(name, _of_rater(name, kind)), is_added=True)
    if added and "group" in table.extend:
        yield from _groups(rows, added[0])
        yield from _means(means, rows, added[0], len(columns))
    else:
        yield from (AddedRow(row) for row in means)


def _own_dataset(table: PublishedTable) -> Iterator[Column]:
    first = next(iter(table.datasets))
    named = [column for column in table.columns if column.recipe.dataset]
    if not named:
        return
    for column in (c for c in named if c.recipe.dataset == named[0].recipe.dataset):
        label = THIS_PROJECT if column.label in table.datasets else column.label
        over = "" if label == THIS_PROJECT else column.group_heading.replace(first, THIS_PROJECT)
        yield Column(over, label, replace(column.recipe, dataset=OWN))


def _own_criteria(table: PublishedTable, material: Material) -> Iterator[Column]:
    published = {column.recipe.criterion for column in table.columns}
    first = table.columns[0]
    for key in material.criteria:
        if key in published:
            continue
        label = material.project.criterion(key).label
        for column in (c for c in table.columns if c.group_heading == first.group_heading):
            yield Column(label, column.label, replace(column.recipe, criterion=key))


def _groups(rows: Sequence[TableRow], material: Material) -> Iterator[AddedRow]:
    published = [name for row in rows for name in row.recipe.group]
    for name in (n for n in material.groups if not place_of([n], published)):
        yield AddedRow(_row(name, CellRecipe(group=(name,), level="none")), is_added=True)


def _means(
    means: Sequence[TableRow], rows: Sequence[TableRow], material: Material, width: int
) -> Iterator[AddedRow]:
    """Yield the mean over groups; if only some of the paper's groups exist, their own mean as well."""
    grouped = [row for row in rows if row.recipe.group]
    present = [row for row in grouped if place_of(material.groups, row.recipe.group)]
    if present and len(present) < len(grouped):
        yield from _mean_of_these(present)
        means = [replace(row, recipe=replace(row.recipe, group=("-",))) for row in means]
    yield from (AddedRow(row) for row in means)


def _mean_of_these(rows: Sequence[TableRow]) -> Iterator[AddedRow]:
    if len(rows) < 2:
        return
    values = [_mean([row.values[k] for row in rows]) for k in range(len(rows[0].values))]
    names = tuple(n for row in rows for n in row.recipe.group)
    label = _mean_label([row.label for row in rows])
    yield AddedRow(
        TableRow(label, CellRecipe(group=names, level="group", average=True), tuple(values), {}),
        is_added=True,
    )


def _mean_label(labels: Sequence[str]) -> str:
    """Return the name of the row that averages these rows; labels with a comma or `and` are quoted."""
    if len(labels) > MOST_NAMED:
        return sentence("Mean of the {n} shared rows", n=len(labels))
    if any("," in label or " and " in label for label in labels):
        labels = [f"“{label}”" for label in labels]
    return sentence(MEAN_OF_ROWS, rows=listed(labels))


def _mean(values: Sequence[float | None]) -> float | None:
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined and len(defined) == len(values) else None


def _others(
    table: PublishedTable, study: Study, places: Sequence[DatasetPlace], model: str | None
) -> Iterator[tuple[str, str]]:
    """Yield the raters of the block that no row or column of the table matches, metrics first."""
    in_table = set()
    for place in places:
        # A judge that matches another table of the study is not added to this one.
        for published in published_tables(table.study):
            for slot in slots(published):
                rater = find_rater(slot, published, study, place.material, model)
                in_table |= {rater.rater, *rater.others}
    raters: dict[str, str] = {}
    for place in places:
        for name, kind in place.material.raters.items():
            judge = place.material.judges.get(name)
            # A learned judge has no model: it is shown with the others for every model.
            if judge and judge.origin != "learned" and model_of(judge) != (model or ""):
                continue
            raters.setdefault(name, kind)
    order = sorted(raters, key=lambda name: (raters[name] != "metric", name))
    yield from ((name, raters[name]) for name in order if name not in in_table)


def _of_rater(name: str, kind: str) -> CellRecipe:
    return CellRecipe(metric=name) if kind == "metric" else CellRecipe(names=(name,))


def _row(label: str, recipe: CellRecipe) -> TableRow:
    return TableRow(label, recipe, (), {})
