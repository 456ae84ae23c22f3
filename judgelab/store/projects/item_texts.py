"""Find the items that have references or a context."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select

from judgelab.domain import FROM_RESPONSE
from judgelab.store.db.engine import Session
from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import ItemRow, ReferenceRow


def items_with_references(session: Session, item_ids: Collection[int]) -> set[int]:
    """Return those of the items that have a reference other than one of their responses."""
    return {
        item
        for part in in_batches(sorted(item_ids))
        for item in session.scalars(
            select(ReferenceRow.item_id)
            .where(ReferenceRow.item_id.in_(part), ReferenceRow.origin != FROM_RESPONSE)
            .distinct()
        )
    }


def items_with_context(session: Session, item_ids: Collection[int]) -> set[int]:
    """Return those of the items that have a context or source text."""
    return {
        item
        for part in in_batches(sorted(item_ids))
        for item in session.scalars(select(ItemRow.id).where(ItemRow.id.in_(part), ItemRow.context != ""))
    }
