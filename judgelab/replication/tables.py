"""A paper's tables filled in from projects: one block of rows per model that a project asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from judgelab import __version__
from judgelab.analysis.data.scores import IN_USE
from judgelab.errors import InvalidInput, NotFound
from judgelab.metaeval.core.result import Estimate, undefined
from judgelab.replication import project_additions
from judgelab.replication.cells import Block, Cell, Common, Head, Line, ReplayedTable
from judgelab.replication.datasets import DatasetPlace, dataset_places, whole_mean
from judgelab.replication.matching import MatchedRater, find_rater, is_named, models_in, place_of
from judgelab.replication.material import Material, load
from judgelab.replication.measures import MeasureRequest, measures
from judgelab.replication.measures.agreement import PLAIN, criterion_of
from judgelab.replication.significant_best import Entry, best_cells, marked
from judgelab.store.db.engine import Store
from judgelab.store.judging.unscored_counts import NONE_MISSING, UnscoredCounts, sum_missing
from judgelab.studies import Study, studies
from judgelab.studies.tables import CellRecipe, Column, PublishedTable, TableRow, published_tables
from judgelab.wording import joined, mark, sentence

ALL = "all"
NOT_HERE = sentence("no data: this project does not contain that data set")
NO_GROUP = sentence("no data")


def study_tables(
    store: Store,
    slugs: Sequence[str],
    *,
    study: str | None = None,
    numbers: Sequence[str] = (),
    policy: str = IN_USE,
    resamples: int = 1000,
    seed: int = 0,
) -> list[ReplayedTable]:
    """Return the tables of a study filled in from one project, or from one for each of its data sets.

    Args:
        store: where the projects are.
        slugs: the projects.
        study: name of the study; that of the first project when not given.
        numbers: only these tables.
        policy: the quality rule for people's ratings.
        resamples: resamples of the intervals.
        seed: of the resampling.

    Raises:
        NotFound: no such project, study or table.
        InvalidInput: the study has no tables.
    """
    materials = [load(store, slug, policy=policy, resamples=resamples, seed=seed) for slug in slugs]
    return [replay(table, materials) for table in tables_of(study or materials[0].project.study, numbers)]


def tables_of(study: str, numbers: Sequence[str] = ()) -> list[PublishedTable]:
    """Return the published tables of a study, or those with these numbers; see `study_tables`."""
    study_info = studies.get(study)
    tables = {table.number: table for table in published_tables(study)}
    if not tables:
        raise InvalidInput(
            sentence("the study '{study}' has no published tables to reproduce.", study=study_info.name)
        )
    for number in numbers:
        if number not in tables:
            raise NotFound(mark("table"), number, tables)
    return [tables[number] for number in numbers or tables]


def replay(table: PublishedTable, materials: Sequence[Material]) -> ReplayedTable:
    """Return one published table with the projects' numbers."""
    study = studies.get(table.study)
    models: list[str | None] = []
    for material in materials:
        models += [model for model in models_in(table, study, material) if model not in models]
    places = dataset_places(table, materials)
    first = materials[0]
    return ReplayedTable(
        study=table.study,
        number=table.number,
        title=table.title,
        head=table.head,
        decimals=table.decimals,
        note=table.note,
        blocks=tuple(_block(_BlockBuilder(table, study, places, model)) for model in models or [None]),
        common=table.common,
        recipe={
            "projects": [material.project.slug for material in materials],
            "policy": None if first.policy is None else first.policy.name,
            "resamples": first.resamples,
            "seed": first.seed,
            "version": __version__,
        },
    )


@dataclass(frozen=True)
class _BlockBuilder:
    """What the cells of one block share."""

    table: PublishedTable
    study: Study
    places: Sequence[DatasetPlace]
    model: str | None

    def cell(self, recipe: CellRecipe, published: float | None, note: str = "") -> Cell:
        """Return one cell; the mean over data sets is computed from the cells of each."""
        if recipe.dataset == ALL:
            parts = [self.cell(replace(recipe, dataset=name), None) for name in self.table.datasets]
            cell = self._cell(recipe, published, note, whole_mean(parts), MatchedRater())
            cell = replace(cell, lost=sum_missing(part.lost for part in parts))
            return replace(cell, stand_in=next((part.stand_in for part in parts if part.stand_in), ""))
        place = next(
            (candidate for candidate in self.places if recipe.dataset in ("", candidate.dataset)), None
        )
        if place is None:
            return self._cell(recipe, published, note, undefined(NOT_HERE), MatchedRater())
        matched = MatchedRater()
        if recipe.names_rater:
            matched = find_rater(recipe, self.table, self.study, place.material, self.model)
            if matched.reason:
                return self._cell(recipe, published, note, undefined(matched.reason), matched, place)
        return self._cell(recipe, published, note, _estimate(place.material, recipe, matched), matched, place)

    def _cell(
        self,
        recipe: CellRecipe,
        published: float | None,
        note: str,
        estimate: Estimate,
        matched: MatchedRater,
        place: DatasetPlace | None = None,
    ) -> Cell:
        return Cell(
            published=published,
            estimate=estimate,
            scale=self.table.scale,
            decimals=self.table.decimals,
            rater=matched.rater,
            kind=matched.kind,
            note=note,
            other_settings=matched.other_settings,
            level=recipe.level,
            others=matched.others,
            project=place.material.project.slug if place else "",
            stand_in=_stand_in(place.material, recipe, matched) if place else "",
            lost=_lost(place.material, recipe, matched) if place else NONE_MISSING,
        )


def _lost(material: Material, recipe: CellRecipe, matched: MatchedRater) -> UnscoredCounts:
    """Return how many judgments of the cell's judge have no score, in its group and of its system."""
    if matched.kind != "judge":
        return NONE_MISSING
    narrowed = _narrowed(material, recipe) or material
    systems = place_of(narrowed.systems, recipe.system) if recipe.system else ()
    return narrowed.without_score(matched.rater, criterion_of(narrowed, recipe), systems)


def _stand_in(material: Material, recipe: CellRecipe, matched: MatchedRater) -> str:
    """Return what replaces a model's or people's scores: see `Cell.stand_in`."""
    if material.project.settings.get("demo"):
        return "demo"
    judge = material.judges.get(matched.rater) if matched.kind == "judge" else None
    if judge is None or judge.origin not in ("scripted", "imported"):
        return ""
    # Scores published by a paper's authors are recognised by name: they are the paper's own.
    return "" if judge.origin == "imported" and is_named(judge.name, recipe.names) else judge.origin


def _estimate(material: Material, recipe: CellRecipe, matched: MatchedRater) -> Estimate:
    narrowed = _narrowed(material, recipe)
    if narrowed is None:
        return undefined(NO_GROUP)
    if recipe.system:
        recipe = replace(recipe, system=place_of(narrowed.systems, recipe.system))
        if not recipe.system:
            return undefined(NO_GROUP)
    name = recipe.measure or PLAIN
    if name not in measures.names():
        return undefined(sentence("JudgeLab does not compute this figure"))
    measure = measures.get(name)
    return measure(narrowed, MeasureRequest(recipe, matched.rater, matched.kind, matched.others))


def _narrowed(material: Material, recipe: CellRecipe) -> Material | None:
    """Return the material of the recipe's group, None if the project has no such group."""
    if not recipe.group:
        return material
    groups = place_of(material.groups, recipe.group)
    return material.of_groups(groups) if groups else None


def _on_common(shared: _BlockBuilder) -> _BlockBuilder:
    """Return the block with each place limited to what all the judges of the table scored there."""
    table = shared.table
    places = []
    recipes = [table.recipe_of(row, column) for row in table.rows for column in table.columns]
    by_group = any(recipe.group for recipe in recipes)
    for place in shared.places:
        of_place = [recipe for recipe in recipes if recipe.dataset in ("", place.dataset) and recipe.judge]
        raters = {
            find_rater(recipe, table, shared.study, place.material, shared.model).rater for recipe in of_place
        }
        places.append(replace(place, material=place.material.of_common(raters - {""}, by_group=by_group)))
    return replace(shared, places=places)


def _block(shared: _BlockBuilder) -> Block:
    if shared.table.common:
        shared = _on_common(shared)
    columns = list(shared.table.columns) + list(_own_columns(shared))
    rows = [*project_additions.own_rows(shared.table, shared.study, shared.places, shared.model, columns)]
    lines = [_line(shared, row, columns) for row in rows]
    leads = _leads(shared, rows, columns, lines)
    return Block(
        model=shared.model,
        columns=tuple(_head(shared, column) for column in columns),
        lines=tuple(
            replace(line, cells=tuple(marked(cell, leads.get((r, c))) for c, cell in enumerate(line.cells)))
            for r, line in enumerate(lines)
        ),
        common=tuple(
            Common(place.dataset, *counts) for place in shared.places if (counts := place.material.common)
        ),
    )


def _leads(
    shared: _BlockBuilder,
    rows: Sequence[project_additions.AddedRow],
    columns: Sequence[Column],
    lines: Sequence[Line],
) -> dict[tuple[int, int], str]:
    """Return the best cells: among the columns of a row if these are raters, else down a column."""
    entries = []
    for r, (row, line) in enumerate(zip(rows, lines, strict=True)):
        for c, (column, cell) in enumerate(zip(columns, line.cells, strict=True)):
            recipe = shared.table.recipe_of(row.row, column)
            place = next(
                (candidate for candidate in shared.places if recipe.dataset in ("", candidate.dataset)), None
            )
            material = None if place is None else _narrowed(place.material, recipe)
            entries.append(Entry((r, c), cell, recipe, material))
    across = any(column.recipe.names_rater for column in columns)
    return best_cells(entries, lambda entry: entry.at[0] if across else entry.at[1])


def _own_columns(shared: _BlockBuilder) -> Iterator[Column]:
    yield from project_additions.own_columns(shared.table, shared.study, shared.places, shared.model)


def _line(shared: _BlockBuilder, row: project_additions.AddedRow, columns: Sequence[Column]) -> Line:
    encoder = _encoder(shared, row.row.recipe)
    return Line(
        label=joined([row.row.label, encoder], "") if encoder else row.row.label,
        section=row.row.section,
        is_added=row.is_added,
        cells=tuple(
            shared.cell(shared.table.recipe_of(row.row, column), _value(row.row, k), row.row.notes.get(k, ""))
            for k, column in enumerate(columns)
        ),
    )


def _head(shared: _BlockBuilder, column: Column) -> Head:
    named = _encoder(shared, column.recipe)
    if column.group_heading and column.recipe.coefficient:
        return Head(column.group_heading + named, column.label)
    return Head(column.group_heading, column.label + named)


def _encoder(shared: _BlockBuilder, recipe: CellRecipe) -> str:
    """Return the encoder that a metric was computed with here, since papers often used another."""
    if not recipe.metric:
        return ""
    encoders = set()
    for place in shared.places:
        matched = find_rater(recipe, shared.table, shared.study, place.material, shared.model)
        encoders.add(place.material.encoder(matched.rater))
    encoders -= {""}
    return f" (here with {', '.join(sorted(encoders))})" if encoders else ""


def _value(row: TableRow, column: int) -> float | None:
    return row.values[column] if column < len(row.values) else None
