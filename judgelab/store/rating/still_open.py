"""Which of some units a person may still be given: what was found a moment ago, asked again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sqlalchemy import BindParameter, Select, bindparam, case, func, select
from sqlalchemy.orm import Session

from judgelab.store.db.prepared_statements import run
from judgelab.store.models import Assignment, Unit
from judgelab.store.models.base import UtcDateTime
from judgelab.store.rating.assignments import CLOSED, occupies
from judgelab.store.rating.open_units import OpenUnit, UnitSearch, is_regular_work, known_units, rated_before


def still_open_units(session: Session, search: UnitSearch, units: Sequence[OpenUnit]) -> list[OpenUnit]:
    """Return which of the units the person may be given now, and how many others have each now.

    The conditions are those of `open_units.find`; the cost follows from the number of `units` alone.
    """
    groups = {one.unit: one.group for one in units}
    rows = run(
        session,
        _still_open(search.without_known),
        units=list(groups),
        person=search.person_id,
        project=search.project_id,
        cohorts=list(search.cohorts),
        at=search.at,
    )
    return [
        OpenUnit(unit, taken, own or "", groups[unit])
        for unit, taken, own, rated in rows
        if taken < search.k and own not in (*CLOSED, "held") and (own or not rated)
    ]


@cache
def _still_open(without_known: bool) -> Select[Any]:
    mine = Assignment.person_id == bindparam("person")
    of_unit = (Assignment.unit_id == Unit.id, Assignment.occasion == 0)
    at = bindparam("at", type_=UtcDateTime)
    own_state = case((Assignment.lease_until > at, "held"), else_=Assignment.state)
    cohorts: BindParameter[Any] = bindparam("cohorts", expanding=True)
    wanted = [
        Unit.id.in_(bindparam("units", expanding=True)),
        Unit.project_id == bindparam("project"),
        is_regular_work(bindparam("project"), cohorts),
    ]
    if without_known:
        wanted.append(Unit.id.not_in(known_units()))
    return select(
        Unit.id,
        select(func.count()).where(*of_unit, ~mine, occupies(at)).scalar_subquery(),
        select(own_state).where(*of_unit, mine).scalar_subquery(),
        rated_before(bindparam("person")),
    ).where(*wanted)
