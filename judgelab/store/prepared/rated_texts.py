"""Read every response with its item's texts, as studies publish them with their ratings."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import ItemRow, ReferenceRow, ResponseRow


class RatedText(NamedTuple):
    """A response with its item's texts, under the column names of files."""

    item_id: str
    question: str
    context: str
    group: str
    references: tuple[str, ...]
    response_id: str
    system: str
    response: str


def rated_texts(session: Session, project_id: int) -> dict[int, RatedText]:
    """Return the responses of the data items, by row id."""
    references: dict[int, list[str]] = {}
    for item, text in session.execute(
        select(ReferenceRow.item_id, ReferenceRow.text)
        .join(ItemRow, ItemRow.id == ReferenceRow.item_id)
        .where(ItemRow.project_id == project_id)
        .order_by(ReferenceRow.item_id, ReferenceRow.position)
    ):
        references.setdefault(item, []).append(text)
    rows = session.execute(
        select(ResponseRow, ItemRow)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id, ItemRow.purpose == "data")
        .order_by(ResponseRow.id)
    )
    return {
        response.id: RatedText(
            *(item.external_id, item.question, item.context, item.group),
            tuple(references.get(item.id, ())),
            *(response.external_id, response.system, response.text),
        )
        for response, item in rows
    }
