"""Store review pools: the documents from which an item's answer may be written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import DocumentRow, ItemRow


class DocumentCounts(NamedTuple):
    """How many items have documents, how many items there are, and how many documents."""

    items: int
    of: int
    documents: int


def items_by_name(session: Session, project_id: int) -> dict[str, list[int]]:
    """Return the items' row ids by external id, and by every string or integer in their metadata.

    Tables of reviews name products, and a question's product is in its metadata.
    """
    by_name: defaultdict[str, list[int]] = defaultdict(list)
    rows = session.execute(
        select(ItemRow.id, ItemRow.external_id, ItemRow.meta)
        .where(ItemRow.project_id == project_id)
        .order_by(ItemRow.id)
    ).all()
    for row_id, name, _ in rows:
        by_name[name].append(row_id)
    names = set(by_name)
    for row_id, _, meta in rows:
        for value in {str(entry) for entry in (meta or {}).values() if isinstance(entry, str | int)} - names:
            by_name[value].append(row_id)
    return dict(by_name)


def add_documents(session: Session, texts: Iterable[tuple[int, str]]) -> tuple[int, int]:
    """Add (item, text) pairs to the items' documents; return how many were new and how many were not."""
    by_item: defaultdict[int, list[str]] = defaultdict(list)
    for item_id, text in texts:
        by_item[item_id].append(text)
    stored = documents_of(session, list(by_item))
    rows, unchanged = [], 0
    for item_id, texts_of_item in by_item.items():
        present = stored.get(item_id, ())
        present_texts = set(present)
        fresh = list(dict.fromkeys(text for text in texts_of_item if text not in present_texts))
        unchanged += len(texts_of_item) - len(fresh)
        rows += [
            {"item_id": item_id, "position": len(present) + place, "text": text}
            for place, text in enumerate(fresh)
        ]
    if rows:
        session.execute(insert(DocumentRow), rows)
    return len(rows), unchanged


def documents_of(session: Session, item_ids: Collection[int]) -> dict[int, Sequence[str]]:
    """Return the documents of these items in order; items without any are left out."""
    documents: defaultdict[int, list[str]] = defaultdict(list)
    for part in in_batches(list(item_ids)):
        query = select(DocumentRow.item_id, DocumentRow.text).where(DocumentRow.item_id.in_(part))
        for item_id, text in session.execute(query.order_by(DocumentRow.item_id, DocumentRow.position)):
            documents[item_id].append(text)
    return dict(documents)


def count_documents(session: Session, project_id: int) -> DocumentCounts:
    """Return the counts of the project's review pools."""
    in_project = ItemRow.project_id == project_id
    query = select(func.count(DocumentRow.item_id.distinct()), func.count(DocumentRow.id))
    items, documents = session.execute(
        query.join(ItemRow, ItemRow.id == DocumentRow.item_id).where(in_project)
    ).one()
    total = session.scalar(select(func.count()).where(in_project, ItemRow.purpose == "data"))
    return DocumentCounts(items, total or 0, documents)
