"""Read items for models and people who write material for a study: question, source and references."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.domain import FROM_RESPONSE, Reference
from judgelab.store.models import ItemRow, ReferenceRow


@dataclass(frozen=True)
class SourceText:
    """One item: its row id, external id, question, context, group and references in order."""

    item_id: int
    name: str
    question: str
    context: str
    group: str
    references: Sequence[Reference] = ()

    @property
    def known(self) -> list[Reference]:
        """Return the references that judges and raters may see: those that are not responses of the item."""
        return [reference for reference in self.references if reference.origin != FROM_RESPONSE]


def source_texts(session: Session, project_id: int) -> list[SourceText]:
    """Return the project's data items in the order they were imported."""
    conditions = (ItemRow.project_id == project_id, ItemRow.purpose == "data")
    references: defaultdict[int, list[Reference]] = defaultdict(list)
    query = (
        select(ReferenceRow)
        .join(ItemRow, ItemRow.id == ReferenceRow.item_id)
        .where(*conditions)
        .order_by(ReferenceRow.item_id, ReferenceRow.position)
    )
    for row in session.scalars(query):
        references[row.item_id].append(Reference(row.text, row.grade, row.origin))
    items = select(ItemRow.id, ItemRow.external_id, ItemRow.question, ItemRow.context, ItemRow.group)
    return [
        SourceText(*row, tuple(references[row.id]))
        for row in session.execute(items.where(*conditions).order_by(ItemRow.id))
    ]


def add_reference(session: Session, item_id: int, text: str, *, origin: str) -> None:
    """Add a reference to an item, after its existing ones."""
    last = session.scalar(select(func.max(ReferenceRow.position)).where(ReferenceRow.item_id == item_id))
    session.add(
        ReferenceRow(
            item_id=item_id, position=0 if last is None else last + 1, grade=None, text=text, origin=origin
        )
    )
    session.flush()
