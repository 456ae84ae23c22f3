"""The building blocks of an export's tables: columns under readable names, and the joins behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, case, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from judgelab.store.models import CriterionRow, ItemRow, Person, ResponseRow, Unit

Kind = Literal["text", "int", "float", "bool", "json", "time", "bytes"]
Column = InstrumentedAttribute[Any] | ColumnElement[Any]

RESPONSE: dict[str, Column] = {"item_id": ItemRow.external_id, "response_id": ResponseRow.external_id}
OTHER = aliased(ResponseRow)
# Only a pair names a second response and a list names none; those cells stay empty.
UNIT_COLUMNS: dict[str, Column] = {**RESPONSE, "other_id": OTHER.external_id, "unit": Unit.kind}


@dataclass(frozen=True)
class ExportTable:
    """One file of an export: its columns with their kinds, and the query behind them.

    `added` maps the columns that exports of version 1 lack to their default values; `later` does so for
    exports before version 3, `latest` for those before version 5, `newest` for those before version 9.
    """

    name: str
    kinds: Mapping[str, Kind]
    query: Callable[[int], Select[Any]]
    added: Mapping[str, Any] = field(default_factory=dict)
    later: Mapping[str, Any] = field(default_factory=dict)
    latest: Mapping[str, Any] = field(default_factory=dict)
    newest: Mapping[str, Any] = field(default_factory=dict)

    def lacking(self, version: int) -> dict[str, Any]:
        """Return the columns that an export of this version lacks, with their default values."""
        since = ((2, self.added), (3, self.later), (5, self.latest), (9, self.newest))
        return {
            name: value
            for introduced_in, defaults in since
            if version < introduced_in
            for name, value in defaults.items()
        }


def export_table(
    name: str,
    columns: Mapping[str, Column],
    kinds: Mapping[str, Kind],
    joined: Callable[[Select[Any]], Select[Any]],
    of_project: Column,
    order: Column,
    added: Mapping[str, Any] | None = None,
    later: Mapping[str, Any] | None = None,
    latest: Mapping[str, Any] | None = None,
    newest: Mapping[str, Any] | None = None,
) -> ExportTable:
    """Return the table of these columns; `kinds` names those that are not text."""

    def query(project_id: int) -> Select[Any]:
        selected = select(*(column.label(label) for label, column in columns.items()))
        return joined(selected).where(of_project == project_id).order_by(order)

    kinds_by_label = {label: kinds.get(label, "text") for label in columns}
    return ExportTable(name, kinds_by_label, query, added or {}, later or {}, latest or {}, newest or {})


def own_columns(table: type[Any], *names: str) -> dict[str, Column]:
    """Return columns labelled with their database names."""
    return {name: getattr(table, name) for name in names}


def known_blinding(table: type[Any]) -> Column:
    """Return whether raters were blind: unknown of imported work, as its file does not say."""
    return case((table.origin == "import", None), else_=table.blind)


def join_response(query: Select[Any], table: Any) -> Select[Any]:
    """Join the response that a row is about, and its item."""
    query = query.select_from(table).join(ResponseRow, ResponseRow.id == table.response_id)
    return query.join(ItemRow, ItemRow.id == ResponseRow.item_id)


def join_unit(query: Select[Any], table: Any) -> Select[Any]:
    """Join the unit that a row is about, with its item and the one or two responses that it names."""
    query = query.select_from(table).join(Unit, Unit.id == table.unit_id)
    query = query.join(ItemRow, ItemRow.id == Unit.item_id)
    query = query.outerjoin(ResponseRow, ResponseRow.id == Unit.response_id)
    return query.outerjoin(OTHER, OTHER.id == Unit.other_id)


def join_comparison(query: Select[Any], table: Any) -> Select[Any]:
    """Join the item of a comparison, its criterion, and who made it."""
    query = query.select_from(table).join(ItemRow, ItemRow.id == table.item_id)
    query = query.join(CriterionRow, CriterionRow.id == table.criterion_id)
    return query.join(Person, Person.id == table.person_id)
