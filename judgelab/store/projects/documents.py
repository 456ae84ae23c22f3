"""Review pools: the texts from which an item's answer may be made."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import DocumentRow, ItemRow


class DocumentCounts(NamedTuple):
    """How many items have documents, of how many, and how many documents there are."""

    items: int
    of: int
    documents: int


def items_by_name(session: Session, project_id: int) -> dict[str, list[int]]:
    """Return the items' row ids by their name, and by every plain value of their meta data.

    A table of reviews names products, and a question's product stands in its meta data.
    """
    found: defaultdict[str, list[int]] = defaultdict(list)
    rows = session.execute(
        select(ItemRow.id, ItemRow.external_id, ItemRow.meta)
        .where(ItemRow.project_id == project_id)
        .order_by(ItemRow.id)
    ).all()
    for row_id, name, _ in rows:
        found[name].append(row_id)
    named = set(found)
    for row_id, _, meta in rows:
        for value in {str(one) for one in (meta or {}).values() if isinstance(one, str | int)} - named:
            found[value].append(row_id)
    return dict(found)


def add_documents(session: Session, texts: Iterable[tuple[int, str]]) -> tuple[int, int]:
    """Store (item, text) pairs after what the items hold; return how many are new, how many not."""
    wanted: defaultdict[int, list[str]] = defaultdict(list)
    for item_id, text in texts:
        wanted[item_id].append(text)
    known = documents_of(session, list(wanted))
    rows, same = [], 0
    for item_id, given in wanted.items():
        held = known.get(item_id, ())
        there = set(held)
        fresh = list(dict.fromkeys(text for text in given if text not in there))
        same += len(given) - len(fresh)
        rows += [
            {"item_id": item_id, "position": len(held) + place, "text": text}
            for place, text in enumerate(fresh)
        ]
    if rows:
        session.execute(insert(DocumentRow), rows)
    return len(rows), same


def documents_of(session: Session, item_ids: Collection[int]) -> dict[int, Sequence[str]]:
    """Return the documents of these items in their order; items without any are left out."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for part in in_batches(list(item_ids)):
        query = select(DocumentRow.item_id, DocumentRow.text).where(DocumentRow.item_id.in_(part))
        for item_id, text in session.execute(query.order_by(DocumentRow.item_id, DocumentRow.position)):
            found[item_id].append(text)
    return dict(found)


def count_documents(session: Session, project_id: int) -> DocumentCounts:
    """Return how far the project's review pools are."""
    mine = ItemRow.project_id == project_id
    query = select(func.count(DocumentRow.item_id.distinct()), func.count(DocumentRow.id))
    items, documents = session.execute(
        query.join(ItemRow, ItemRow.id == DocumentRow.item_id).where(mine)
    ).one()
    of = session.scalar(select(func.count()).where(mine, ItemRow.purpose == "data"))
    return DocumentCounts(items, of or 0, documents)
