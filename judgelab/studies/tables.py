"""Tables as they were printed: every number with the recipe that makes its counterpart in a project.

A file of `published/` holds the tables of one study. A table has columns and rows; both carry a part of the
recipe, and a cell's recipe is the table's, its column's and its row's put together.
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
    """How one number is made; what is empty is left to the other parts of the recipe.

    Args:
        judge: key of the study's judge preset whose agreement it is.
        judge_options: further options the judge must have ("list_source" and "list_pattern" are those of
            its reference lists).
        model: the paper's model, a key of the file's `models`.
        metric: name of a metric in the judge's place.
        metric_options: options the metric's numbers must have been made with.
        human: whether it is about the people themselves.
        names: names under which an imported judge or metric stands for this one.
        criterion: key of the criterion, "average" or "combined"; empty for the only one, or the average.
        level: one of `metaeval.pairing.LEVELS`.
        coefficient: as `metaeval.coefficients` names it.
        group: names that a group goes by; empty for all.
        system: names that a system goes by.
        dataset: the data set, a key of the file's `datasets`; "all" for the mean over them.
        average: whether the row is the mean over the groups above it.
        measure: name in `replication.measures`; empty for plain agreement.
        options: what else the measure needs.
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
        """Return this recipe with everything that `other` says; options of both, the other's first."""
        merged = {f.name: getattr(other, f.name) or getattr(self, f.name) for f in fields(CellRecipe)}
        merged["options"] = {**self.options, **other.options}
        merged["judge_options"] = {**self.judge_options, **other.judge_options}
        merged["metric_options"] = {**self.metric_options, **other.metric_options}
        return CellRecipe(**merged)

    @property
    def names_rater(self) -> bool:
        """Whether it says whose scores it is about."""
        return bool(self.judge or self.metric or self.human or self.names)


@dataclass(frozen=True)
class Column:
    """A column: what stands above it, its own head, and its part of the recipe."""

    over: str
    label: str
    recipe: CellRecipe


@dataclass(frozen=True)
class Row:
    """A row: its head, its part of the recipe, a value a column (None: not printed), and notes by column."""

    label: str
    recipe: CellRecipe
    values: tuple[float | None, ...]
    notes: Mapping[int, str]
    section: str = ""


@dataclass(frozen=True)
class PublishedTable:
    """One table as printed.

    Args:
        number: as the paper numbers it ("2", "figure 6").
        title: what it shows, in our words.
        head: head of the column of row names.
        decimals: digits after the point as printed.
        scale: what our number is multiplied by to stand beside the printed one (100 for per cent).
        recipe: what all cells share.
        extend: what a project may add of its own: "group", "system", "rater", "criterion".
        models: patterns (regular expressions, case ignored) by the paper's name of a model.
        datasets: names that a data set goes by.
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
    rows: tuple[Row, ...]
    extend: tuple[str, ...] = ()
    models: Mapping[str, str] = field(default_factory=dict)
    datasets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    note: str = ""
    common: bool = False

    def recipe_of(self, row: Row, column: Column) -> CellRecipe:
        """Return the whole recipe of a cell; the row has the last word."""
        return self.recipe.merged_with(column.recipe).merged_with(row.recipe)

    def value(self, row: str, column: str, over: str = "") -> float | None:
        """Return a printed number by the heads of its row and column."""
        place = next(i for i, c in enumerate(self.columns) if c.label == column and over in ("", c.over))
        return next(r for r in self.rows if r.label == row).values[place]


@cache
def published_tables(study: str) -> tuple[PublishedTable, ...]:
    """Return the tables of a study in the paper's order; empty where none was printed."""
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


def _row(read: Mapping[str, Any], width: int, where: str) -> Row:
    values = read["values"]
    if len(values) != width:
        raise InternalError(f"{where}, row {read['label']}: {len(values)} values for {width} columns")
    return Row(
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
