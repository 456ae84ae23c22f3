"""Read the progress and the waiting units of a chunk of a run."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.models import Completion, FailedCall, ItemRow, Judgment, ResponseRow


class WaitingUnit(NamedTuple):
    """A waiting unit: its judgment, its response, and a display name."""

    judgment_id: int
    response_id: int
    name: str


def chunk_progress(session: Session, run_id: int, *, low: int, high: int) -> list[int]:
    """Return the numbers of judged units, replies and failed calls at positions low to high - 1.

    Two equal results mean that nothing was stored in between.
    """
    units = (Judgment.run_id == run_id, Judgment.position >= low, Judgment.position < high)
    judged = select(func.count()).select_from(Judgment).where(*units, Judgment.state != "waiting")
    calls = (
        select(func.count()).select_from(table).join(Judgment, Judgment.id == table.judgment_id).where(*units)
        for table in (Completion, FailedCall)
    )
    return [session.scalar(query) or 0 for query in (judged, *calls)]


def waiting_positions(session: Session, run_id: int, *, low: int, high: int) -> list[int]:
    """Return the positions of waiting units from low to high - 1, in order."""
    query = select(Judgment.position).where(
        *(Judgment.run_id == run_id, Judgment.state == "waiting"),
        *(Judgment.position >= low, Judgment.position < high),
    )
    return list(session.scalars(query.order_by(Judgment.position)))


def waiting_unit_at(session: Session, run_id: int, position: int) -> WaitingUnit | None:
    """Return the waiting unit at a position; None if it is judged."""
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
