"""Check which units, found open a moment ago, a person may still be assigned."""

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
    """Return those of the units that the person may be assigned now, with the current number of other raters.

    The conditions are those of `find_open_units`; the cost depends on the number of `units` only.
    """
    groups = {candidate.unit: candidate.group for candidate in units}
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
    is_own = Assignment.person_id == bindparam("person")
    of_unit = (Assignment.unit_id == Unit.id, Assignment.occasion == 0)
    at = bindparam("at", type_=UtcDateTime)
    own_state = case((Assignment.lease_until > at, "held"), else_=Assignment.state)
    cohorts: BindParameter[Any] = bindparam("cohorts", expanding=True)
    conditions = [
        Unit.id.in_(bindparam("units", expanding=True)),
        Unit.project_id == bindparam("project"),
        is_regular_work(bindparam("project"), cohorts),
    ]
    if without_known:
        conditions.append(Unit.id.not_in(known_units()))
    return select(
        Unit.id,
        select(func.count()).where(*of_unit, ~is_own, occupies(at)).scalar_subquery(),
        select(own_state).where(*of_unit, is_own).scalar_subquery(),
        rated_before(bindparam("person")),
    ).where(*conditions)
