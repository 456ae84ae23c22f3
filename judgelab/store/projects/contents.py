"""Read a project's content for browsing: systems, groups, items and imported files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, func, or_, select
from sqlalchemy.orm import Session

from judgelab.errors import NotFound
from judgelab.store.models import ImportRow, ItemRow, ReferenceRow, ResponseRow
from judgelab.wording import mark


class NamedCount(NamedTuple):
    """A system or group, and its number of responses or items."""

    name: str
    size: int


@dataclass(frozen=True)
class ImportedFile:
    """One imported file."""

    source: str
    counts: Mapping[str, Any]
    at: datetime


@dataclass(frozen=True)
class ItemLine:
    """One item in a list."""

    item: str
    group: str
    question: str
    responses: int
    references: int
    purpose: str


@dataclass(frozen=True)
class ItemPage:
    """One page of the items that match a search, and the total number of matches."""

    lines: Sequence[ItemLine]
    total: int


class ResponseText(NamedTuple):
    """One response to an item."""

    system: str
    text: str


@dataclass(frozen=True)
class ItemTexts:
    """An item with all its texts."""

    item: str
    question: str
    context: str
    references: Sequence[str]
    responses: Sequence[ResponseText]


def count_systems(session: Session, project_id: int) -> list[NamedCount]:
    """Return every system with its number of responses in the data; "" stands for no system."""
    rows = session.execute(
        select(ResponseRow.system, func.count())
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id, ItemRow.purpose == "data")
        .group_by(ResponseRow.system)
        .order_by(ResponseRow.system)
    )
    return [NamedCount(name, count) for name, count in rows]


def count_groups(session: Session, project_id: int) -> list[NamedCount]:
    """Return every group with its number of items; items without a group are left out."""
    rows = session.execute(
        select(ItemRow.group, func.count())
        .where(ItemRow.project_id == project_id, ItemRow.group != "", ItemRow.purpose == "data")
        .group_by(ItemRow.group)
        .order_by(ItemRow.group)
    )
    return [NamedCount(name, count) for name, count in rows]


def imported_files(session: Session, project_id: int) -> list[ImportedFile]:
    """Return the imported files, newest first."""
    rows = session.scalars(
        select(ImportRow).where(ImportRow.project_id == project_id).order_by(ImportRow.id.desc())
    )
    return [ImportedFile(row.source, row.counts, row.imported_at) for row in rows]


def item_page(
    session: Session, project_id: int, *, search: str = "", limit: int, offset: int = 0
) -> ItemPage:
    """Return the items whose id, question or group contains `search`: `limit` of them from `offset`."""
    conditions = [ItemRow.project_id == project_id, *_matches(search)]
    total = session.scalar(select(func.count()).select_from(ItemRow).where(*conditions)) or 0
    responses = _per_item(ResponseRow.item_id)
    references = _per_item(ReferenceRow.item_id)
    rows = session.execute(
        select(ItemRow.external_id, ItemRow.group, ItemRow.question, responses, references, ItemRow.purpose)
        .where(*conditions)
        .order_by(ItemRow.id)
        .limit(limit)
        .offset(offset)
    )
    return ItemPage([ItemLine(*row) for row in rows], total)


def item_texts(session: Session, project_id: int, item: str) -> ItemTexts:
    """Return one item with its references and responses; raises `NotFound`."""
    row = session.scalar(select(ItemRow).where(ItemRow.project_id == project_id, ItemRow.external_id == item))
    if row is None:
        raise NotFound(mark("item"), item)
    references = session.scalars(
        select(ReferenceRow.text).where(ReferenceRow.item_id == row.id).order_by(ReferenceRow.position)
    )
    responses = session.execute(
        select(ResponseRow.system, ResponseRow.text)
        .where(ResponseRow.item_id == row.id)
        .order_by(ResponseRow.id)
    )
    return ItemTexts(
        item=row.external_id,
        question=row.question,
        context=row.context,
        references=list(references),
        responses=[ResponseText(system, text) for system, text in responses],
    )


def _matches(search: str) -> list[ColumnElement[bool]]:
    word = search.strip()
    if not word:
        return []
    columns = (ItemRow.external_id, ItemRow.question, ItemRow.group)
    return [or_(*(column.icontains(word, autoescape=True) for column in columns))]


def _per_item(item_id: Any) -> Any:
    """Return a subquery that counts rows per item; only evaluated for the items shown."""
    return select(func.count()).where(item_id == ItemRow.id).correlate(ItemRow).scalar_subquery()
