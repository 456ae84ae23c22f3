"""The papers' printed tables: every number with the recipe for its counterpart in a project.

A file in `published/` has the tables of one study. Tables, columns and rows each have a part of the recipe; a
cell's recipe combines them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from typing import Any

from judgelab.errors import InternalError


@dataclass(frozen=True)
class CellRecipe:
    """How to compute one number; empty fields are left to the other parts of the recipe.

    Args:
        judge: key of the study's judge preset.
        judge_options: further options the judge must have ("list_source" and "list_pattern" are those of
            its reference lists).
        model: the paper's model, a key in the file's `models`.
        metric: name of a metric instead of a judge.
        metric_options: options the metric must have been computed with.
        human: whether the number is about the human raters.
        names: names of imported judges or metrics that can be used for this one.
        criterion: key of the criterion, "average" or "combined"; empty for the only one, or the average.
        level: one of `metaeval.core.pairing.LEVELS`.
        coefficient: as `metaeval.coefficients` names it.
        group: possible names of the group; empty for all groups.
        system: possible names of the system.
        dataset: the data set, a key in the file's `datasets`; "all" for the mean over them.
        average: whether the row is the mean over the groups above it.
        measure: name in `replication.measures`; empty for plain agreement.
        options: further options of the measure.
    """

    judge: str = ""
    judge_options: Mapping[str, Any] = field(default_factory=dict)
    model: str = ""
    metric: str = ""
    metric_options: Mapping[str, Any] = field(default_factory=dict)
    human: bool = False
    names: tuple[str, ...] = ()
    criterion: str = ""
    level: str = ""
    coefficient: str = ""
    group: tuple[str, ...] = ()
    system: tuple[str, ...] = ()
    dataset: str = ""
    average: bool = False
    measure: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)

    def merged_with(self, other: CellRecipe) -> CellRecipe:
        """Return this recipe with the nonempty fields of `other`; options are merged."""
        merged = {f.name: getattr(other, f.name) or getattr(self, f.name) for f in fields(CellRecipe)}
        merged["options"] = {**self.options, **other.options}
        merged["judge_options"] = {**self.judge_options, **other.judge_options}
        merged["metric_options"] = {**self.metric_options, **other.metric_options}
        return CellRecipe(**merged)

    @property
    def names_rater(self) -> bool:
        """Return whether the recipe names a judge, a metric or the human raters."""
        return bool(self.judge or self.metric or self.human or self.names)


@dataclass(frozen=True)
class Column:
    """A column: the heading above it, its own heading, and its part of the recipe."""

    group_heading: str
    label: str
    recipe: CellRecipe


@dataclass(frozen=True)
class TableRow:
    """A row: its heading, its part of the recipe, its values (None if not printed), and notes by column."""

    label: str
    recipe: CellRecipe
    values: tuple[float | None, ...]
    notes: Mapping[int, str]
    section: str = ""


@dataclass(frozen=True)
class PublishedTable:
    """One table as printed.

    Args:
        number: the paper's number of the table ("2", "figure 6").
        title: what it shows, in our words.
        head: heading of the column with row names.
        decimals: digits after the decimal point as printed.
        scale: factor from our numbers to the printed ones (100 for per cent).
        recipe: the part of the recipe common to all cells.
        extend: what a project may add: "group", "system", "rater", "criterion".
        models: regular expressions (case ignored) by the paper's name of a model.
        datasets: possible names of each data set.
        note: what a reader must know about the printed numbers.
        common: whether its rows are settings of one judge, compared on the responses that all of them scored.
    """

    study: str
    number: str
    title: str
    head: str
    decimals: int
    scale: float
    recipe: CellRecipe
    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    extend: tuple[str, ...] = ()
    models: Mapping[str, str] = field(default_factory=dict)
    datasets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    note: str = ""
    common: bool = False

    def recipe_of(self, row: TableRow, column: Column) -> CellRecipe:
        """Return the complete recipe of a cell; the row takes precedence."""
        return self.recipe.merged_with(column.recipe).merged_with(row.recipe)

    def value(self, row: str, column: str, over: str = "") -> float | None:
        """Return a printed number by the headings of its row and column."""
        place = next(
            i for i, c in enumerate(self.columns) if c.label == column and over in ("", c.group_heading)
        )
        return next(r for r in self.rows if r.label == row).values[place]


@cache
def published_tables(study: str) -> tuple[PublishedTable, ...]:
    """Return the tables of a study in the paper's order; empty if there are none."""
    path = files("judgelab.studies") / "published" / f"{study}.toml"
    if not path.is_file():
        return ()
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    datasets = {name: tuple(names) for name, names in read.get("datasets", {}).items()}
    return tuple(_table(study, table, read.get("models", {}), datasets) for table in read["table"])


def _table(
    study: str, read: Mapping[str, Any], models: Mapping[str, str], datasets: Mapping[str, tuple[str, ...]]
) -> PublishedTable:
    columns = tuple(
        Column(entry.get("over", ""), entry["label"], _recipe(entry.get("recipe", {})))
        for entry in read["columns"]
    )
    return PublishedTable(
        study=study,
        number=read["number"],
        title=read["title"],
        head=read["head"],
        decimals=read["decimals"],
        scale=float(read.get("scale", 1)),
        recipe=_recipe(read.get("recipe", {})),
        columns=columns,
        rows=tuple(_row(entry, len(columns), f"{study} {read['number']}") for entry in read["rows"]),
        extend=tuple(read.get("extend", ())),
        models=models,
        datasets=datasets,
        note=read.get("note", ""),
        common=bool(read.get("common", False)),
    )


def _row(read: Mapping[str, Any], width: int, where: str) -> TableRow:
    values = read["values"]
    if len(values) != width:
        raise InternalError(f"{where}, row {read['label']}: {len(values)} values for {width} columns")
    return TableRow(
        label=read["label"],
        recipe=_recipe(read.get("recipe", {})),
        values=tuple(None if value == "" else float(value) for value in values),
        notes={int(place): note for place, note in read.get("notes", {}).items()},
        section=read.get("section", ""),
    )


def _recipe(read: Mapping[str, Any]) -> CellRecipe:
    return CellRecipe(**{name: _as_tuple(value) for name, value in read.items()})


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
