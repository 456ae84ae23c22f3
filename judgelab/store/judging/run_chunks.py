"""A portion of a run: which of its units wait, and what of it is stored, to tell whether it gets on."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.models import Completion, FailedCall, ItemRow, Judgment, ResponseRow


class WaitingUnit(NamedTuple):
    """A unit that is not judged: its judgment, and its item with the system, or name, of its response."""

    judgment_id: int
    response_id: int
    name: str


def chunk_progress(session: Session, run_id: int, *, low: int, high: int) -> list[int]:
    """Return what is stored of the units at the positions low to high - 1: judged units, replies, failures.

    Two equal ones mean that nothing was stored between.
    """
    units = (Judgment.run_id == run_id, Judgment.position >= low, Judgment.position < high)
    judged = select(func.count()).select_from(Judgment).where(*units, Judgment.state != "waiting")
    calls = (
        select(func.count()).select_from(table).join(Judgment, Judgment.id == table.judgment_id).where(*units)
        for table in (Completion, FailedCall)
    )
    return [session.scalar(query) or 0 for query in (judged, *calls)]


def waiting_positions(session: Session, run_id: int, *, low: int, high: int) -> list[int]:
    """Return the positions of unjudged units among low to high - 1, in order."""
    query = select(Judgment.position).where(
        *(Judgment.run_id == run_id, Judgment.state == "waiting"),
        *(Judgment.position >= low, Judgment.position < high),
    )
    return list(session.scalars(query.order_by(Judgment.position)))


def waiting_unit_at(session: Session, run_id: int, position: int) -> WaitingUnit | None:
    """Return the unit at a position; None where it is judged."""
    query = (
        select(
            *(Judgment.id, Judgment.response_id, Judgment.members),
            *(ItemRow.external_id, ResponseRow.system, ResponseRow.external_id.label("response")),
        )
        .join(ResponseRow, ResponseRow.id == Judgment.response_id)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(Judgment.run_id == run_id, Judgment.position == position, Judgment.state == "waiting")
    )
    row = session.execute(query).one_or_none()
    if row is None:
        return None
    name = row.external_id if row.members else f"{row.external_id} / {row.system or row.response}"
    return WaitingUnit(row.id, row.response_id, name)
