"""How a unit lies on one person's screen: its responses in an order drawn for that person.

Which of two answers stands on the left, and in which order the answers of a list come, is drawn anew for
each person and unit, so that no place on the screen favours a system. What was drawn is recorded with the
assignment when the unit is given out, and stays: what a screen says of "the first one" means the same later.
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
    """A unit given to a person, with its responses in the order of the screen."""

    given: AssignedUnit
    unit: UnitInfo
    responses: tuple[int, ...]

    @property
    def several(self) -> bool:
        """Whether the screen shows more than one response."""
        return self.unit.kind != "response"


def load_views(session: Session, given: Sequence[AssignedUnit]) -> list[UnitView]:
    """Return the units as they lie on the screen, in the order given."""
    found = units.unit_infos(session, [one.unit_id for one in given])
    return [
        UnitView(one, unit, display_order(one, unit)) for one in given if (unit := found.get(one.unit_id))
    ]


def record_orders(session: Session, laid: Sequence[UnitView]) -> None:
    """Keep the orders that were drawn, where none is kept yet."""
    for one in laid:
        if one.several and not one.given.shown:
            assignments.change(session, one.given.id, shown=list(one.responses))


def display_order(given: AssignedUnit, unit: UnitInfo) -> tuple[int, ...]:
    """Return the unit's responses as they were shown, or in the order drawn for this person."""
    kept = [response for response in given.shown if response in unit.responses]
    return tuple(kept or sorted(unit.responses, key=lambda response: _order_digest(given, response)))


def _order_digest(given: AssignedUnit, response: int) -> bytes:
    return sha256(f"{given.unit_id}/{given.person_id}/{given.occasion}/{response}".encode()).digest()
