"""A unit as one person's screen shows it: its responses in an order drawn at random for that person.

Which of two responses is on the left, and the order of the responses of a list, is drawn anew for each person
and unit, so that no position favours a system. The order is recorded with the assignment when the unit is
assigned, and does not change: "the first one" means the same response later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from judgelab.store.db.engine import Session
from judgelab.store.rating import assignments, units
from judgelab.store.rating.assignments import AssignedUnit
from judgelab.store.rating.units import UnitInfo


@dataclass(frozen=True)
class UnitView:
    """A unit assigned to a person, with its responses in the order of the screen."""

    assignment: AssignedUnit
    unit: UnitInfo
    responses: tuple[int, ...]

    @property
    def several(self) -> bool:
        """Whether the screen shows more than one response."""
        return self.unit.kind != "response"


def load_views(session: Session, assigned: Sequence[AssignedUnit]) -> list[UnitView]:
    """Return the units as the screen shows them, in the given order."""
    infos = units.unit_infos(session, [assignment.unit_id for assignment in assigned])
    return [
        UnitView(assignment, unit, display_order(assignment, unit))
        for assignment in assigned
        if (unit := infos.get(assignment.unit_id))
    ]


def record_orders(session: Session, views: Sequence[UnitView]) -> None:
    """Store the orders of the responses, where none is stored yet."""
    for view in views:
        if view.several and not view.assignment.shown:
            assignments.change(session, view.assignment.id, shown=list(view.responses))


def display_order(assignment: AssignedUnit, unit: UnitInfo) -> tuple[int, ...]:
    """Return the unit's responses in the stored order, or in the one drawn for this person."""
    shown = [response for response in assignment.shown if response in unit.responses]
    return tuple(shown or sorted(unit.responses, key=lambda response: _order_digest(assignment, response)))


def _order_digest(assignment: AssignedUnit, response: int) -> bytes:
    return sha256(
        f"{assignment.unit_id}/{assignment.person_id}/{assignment.occasion}/{response}".encode()
    ).digest()
