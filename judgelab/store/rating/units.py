"""The units that raters are assigned: one per response, per pair of responses, or per item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    Integer,
    Select,
    String,
    bindparam,
    case,
    cast,
    func,
    insert,
    literal,
    select,
    true,
    update,
)
from sqlalchemy.orm import Session, aliased

from judgelab.errors import InvalidInput
from judgelab.store.db.import_ledger import in_batches
from judgelab.store.db.prepared_statements import run
from judgelab.store.models import ItemRow, Project, ResponseRow, Unit
from judgelab.wording import sentence

KIND_OF_FORM: Mapping[str, str] = {
    "pointwise": "response",
    "pairwise": "pair",
    "ranking": "list",
    "best_worst": "list",
}


@dataclass(frozen=True)
class UnitInfo:
    """A unit with the responses on its screen, in the order of their row ids."""

    id: int
    kind: str
    item_id: int
    responses: tuple[int, ...]


_UNITS = select(Unit.id, Unit.kind, Unit.item_id, Unit.response_id, Unit.other_id).where(
    Unit.id.in_(bindparam("units", expanding=True))
)
_MEMBERS = (
    select(ResponseRow.item_id, ResponseRow.id)
    .where(ResponseRow.item_id.in_(bindparam("items", expanding=True)))
    .order_by(ResponseRow.id)
)


def check_form(settings: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` if the settings name an unknown rating form."""
    form = settings.get("form", "pointwise")
    if form not in KIND_OF_FORM:
        raise InvalidInput(
            sentence(
                "'{form}' is not a form of rating; choose one of {forms}.",
                form=str(form),
                forms=", ".join(KIND_OF_FORM),
            )
        )


def form_of(session: Session, project_id: int) -> str:
    """Return the project's rating form: `pointwise`, `pairwise`, `ranking` or `best_worst`."""
    return str(session.get_one(Project, project_id).settings.get("form", "pointwise"))


def offer_units(session: Session, project_id: int) -> None:
    """Add the units that the project's form lacks, and offer only units of that kind.

    Called after responses are added and after the form is changed. Units of another kind stay, with
    their answers.
    """
    kind = KIND_OF_FORM[form_of(session, project_id)]
    columns = ["project_id", "item_id", "kind", "key", "response_id", "other_id", "offered"]
    # Ordered on purpose: PostgreSQL returns unordered rows as stored on disk, where new rows fill gaps of
    # deleted ones, and raters who follow the order of the file get units by id.
    missing = _MISSING[kind](project_id)
    session.execute(insert(Unit).from_select(columns, missing, include_defaults=False))
    session.execute(
        update(Unit)
        .where(Unit.project_id == project_id, Unit.offered != (Unit.kind == kind))
        .values(offered=Unit.kind == kind)
    )


@dataclass(frozen=True)
class UnitContent:
    """The content of a unit; `responses` is empty for a list."""

    item_id: int
    kind: str
    responses: tuple[int, ...] = ()

    @property
    def key(self) -> str:
        """Return the unit's key, which is unique within its project."""
        if self.kind == "list":
            return f"i{self.item_id}"
        return {"response": "r", "pair": "p"}[self.kind] + "-".join(map(str, self.responses))


def find_or_add(session: Session, project_id: int, contents: Sequence[UnitContent]) -> dict[str, int]:
    """Return the row id of each unit by its key; missing ones are added, offered if they fit the form."""
    by_key = {content.key: content for content in contents}
    row_ids = _by_key(session, project_id, list(by_key))
    kind = KIND_OF_FORM[form_of(session, project_id)]
    fresh = [
        _row(project_id, content, offered=content.kind == kind)
        for key, content in by_key.items()
        if key not in row_ids
    ]
    if fresh:
        session.execute(insert(Unit), fresh)
        row_ids |= _by_key(session, project_id, [row["key"] for row in fresh])
    return row_ids


def renew_keys(session: Session, project_id: int) -> None:
    """Set the keys of a project's units, which contain row ids, after its rows were copied."""
    first, other = cast(Unit.response_id, String), cast(Unit.other_id, String)
    keys = {
        "response": literal("r") + first,
        "pair": literal("p") + first + literal("-") + other,
        "list": literal("i") + cast(Unit.item_id, String),
    }
    renewed = update(Unit).where(Unit.project_id == project_id).values(key=case(keys, value=Unit.kind))
    session.execute(renewed, execution_options={"synchronize_session": False})


def unit_infos(session: Session, unit_ids: Sequence[int]) -> dict[int, UnitInfo]:
    """Return the units by row id; a list has the current responses of its item."""
    rows = run(session, _UNITS, units=list(unit_ids)).all()
    lists = {row.item_id for row in rows if row.kind == "list"}
    members: dict[int, list[int]] = {item: [] for item in lists}
    for item, response in run(session, _MEMBERS, items=list(lists)) if lists else ():
        members[item].append(response)
    return {row.id: UnitInfo(row.id, row.kind, row.item_id, _responses(row, members)) for row in rows}


def _by_key(session: Session, project_id: int, keys: Sequence[str]) -> dict[str, int]:
    row_ids: dict[str, int] = {}
    for part in in_batches(keys):
        query = select(Unit.key, Unit.id).where(Unit.project_id == project_id, Unit.key.in_(part))
        row_ids.update({key: row_id for key, row_id in session.execute(query)})
    return row_ids


def _row(project_id: int, content: UnitContent, *, offered: bool) -> dict[str, Any]:
    first, other, *_ = (*content.responses, None, None)
    return {
        "project_id": project_id,
        "item_id": content.item_id,
        "kind": content.kind,
        "key": content.key,
        "response_id": first,
        "other_id": other,
        "offered": offered,
    }


def _responses(row: Any, members: Mapping[int, Sequence[int]]) -> tuple[int, ...]:
    if row.kind == "list":
        return tuple(members[row.item_id])
    return tuple(id_ for id_ in (row.response_id, row.other_id) if id_ is not None)


def _missing_responses(project_id: int) -> Select[int, int, str, str, int, int | None, bool]:
    existing = select(Unit.id).where(Unit.response_id == ResponseRow.id, Unit.kind == "response")
    return (
        select(
            ResponseRow.project_id,
            ResponseRow.item_id,
            literal("response", String),
            literal("r") + cast(ResponseRow.id, String),
            ResponseRow.id,
            literal(None, Integer),
            true(),
        )
        .where(ResponseRow.project_id == project_id, ~existing.exists())
        .order_by(ResponseRow.id)
    )


def _missing_pairs(project_id: int) -> Select[int, int, str, str, int, int | None, bool]:
    other = aliased(ResponseRow)
    existing = select(Unit.id).where(
        Unit.response_id == ResponseRow.id, Unit.other_id == other.id, Unit.kind == "pair"
    )
    return (
        select(
            ResponseRow.project_id,
            ResponseRow.item_id,
            literal("pair", String),
            literal("p") + cast(ResponseRow.id, String) + literal("-") + cast(other.id, String),
            ResponseRow.id,
            other.id,
            true(),
        )
        .join(other, (other.item_id == ResponseRow.item_id) & (other.id > ResponseRow.id))
        .where(ResponseRow.project_id == project_id, ~existing.exists())
        .order_by(ResponseRow.id, other.id)
    )


def _missing_lists(project_id: int) -> Select[int, int, str, str, int, int | None, bool]:
    existing = select(Unit.id).where(Unit.item_id == ItemRow.id, Unit.kind == "list")
    several = (
        select(ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id)
        .group_by(ResponseRow.item_id)
        .having(func.count() > 1)
    )
    return (
        select(
            ItemRow.project_id,
            ItemRow.id,
            literal("list", String),
            literal("i") + cast(ItemRow.id, String),
            literal(None, Integer),
            literal(None, Integer),
            true(),
        )
        .where(ItemRow.project_id == project_id, ItemRow.id.in_(several), ~existing.exists())
        .order_by(ItemRow.id)
    )


_MISSING = {"response": _missing_responses, "pair": _missing_pairs, "list": _missing_lists}
