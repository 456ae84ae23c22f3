"""Find the units that a person may be assigned next, and the units for checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Select,
    String,
    and_,
    bindparam,
    case,
    cast,
    func,
    literal,
    select,
)
from sqlalchemy.orm import Session

from judgelab.store.db.prepared_statements import run
from judgelab.store.models import Assignment, GoldScore, ItemRow, Membership, Person, Rating, Unit
from judgelab.store.rating.assignments import CLOSED, count_where, occupies

SqlOrder = Callable[[Any], Any]
PERSON_COHORT = "person:"
ENOUGH_GROUPS = 8
NO_TURN = 2_000_000_000  # sorts units without a turn last
CHECK_PURPOSES = ("attention", "training")  # purposes of items that are not data


class OpenUnit(NamedTuple):
    """A unit that a person may still rate; `other_raters` counts the other people who finished or hold it."""

    unit: int
    other_raters: int
    own_state: str
    group: str = ""


@dataclass(frozen=True)
class UnitSearch:
    """The parameters of a search for open units.

    Args:
        k: raters wanted for each unit.
        order: the person's order, as SQL for a column.
        limit: how many units to return; per group if there are `groups`.
        at: the current time; leases that end later are running.
        cohorts: the names of the cohorts the person is in.
        served: how many units of each group the person was assigned; None if groups do not matter.
        groups: the groups to search one by one; filled in by `find_open_units`.
        begun_first: units begun by others come before untouched ones.
        by_turn: units proposed to be rated next come first.
        without_known: leave out units with a known score, which are assigned on their own schedule.
    """

    person_id: int
    project_id: int
    k: int
    order: SqlOrder
    limit: int
    at: datetime
    cohorts: Sequence[str] = ()
    served: Mapping[str, int] | None = None
    groups: Sequence[str] = ()
    begun_first: bool = True
    without_known: bool = False
    by_turn: bool = False


_COHORT = (
    select(Person.name, Membership.cohort)
    .outerjoin(
        Membership, (Membership.person_id == Person.id) & (Membership.project_id == bindparam("project"))
    )
    .where(Person.id == bindparam("person"))
)


def cohorts_of(session: Session, person_id: int, project_id: int) -> tuple[str, ...]:
    """Return the person's cohorts: that of their membership, and one for the person alone."""
    row = run(session, _COHORT, person=person_id, project=project_id).first()
    name, cohort = row or ("", "")
    return tuple(name_of_cohort for name_of_cohort in (cohort, f"{PERSON_COHORT}{name}") if name_of_cohort)


def find_open_units(session: Session, search: UnitSearch) -> list[OpenUnit]:
    """Return units that the person may be assigned, begun ones first unless `search` says otherwise.

    Units that `without_known` leaves out are returned if there are no others.
    Two narrow queries instead of one wide one: both run on indexes alone, so that ten thousand answers
    cost a few milliseconds while the write lock is held.
    """
    if search.served is not None:
        groups = _groups(session, search)
        # The groups the person had least of are enough, unless they are nearly used up.
        search = replace(search, groups=groups[:ENOUGH_GROUPS] if len(groups) > 1 else ())
        if len(groups) > ENOUGH_GROUPS:
            open_units = _find(session, search)
            if len(open_units) >= search.limit:
                return open_units
            search = replace(search, groups=groups)
    open_units = _find(session, search)
    return open_units or (
        _find(session, replace(search, without_known=False)) if search.without_known else []
    )


def _find(session: Session, search: UnitSearch) -> list[OpenUnit]:
    begun = _begun(session, search)
    if search.groups or not search.begun_first:
        return begun + _untouched(session, search, limit=search.limit)
    if len(begun) >= search.limit and any(answer.own_state != "skipped" for answer in begun):
        return begun
    return begun + _untouched(session, search, limit=search.limit - len(begun))


def is_regular_work(project_id: Any, cohorts: Any) -> ColumnElement[bool]:
    """Return the condition that a unit is ordinary work for these cohorts (values or parameters)."""
    items = select(ItemRow.id).where(ItemRow.project_id == project_id)
    other = items.where(ItemRow.purpose.in_(CHECK_PURPOSES))
    reserved = items.where(ItemRow.purpose == "data", ItemRow.cohort > "", ItemRow.cohort.not_in(cohorts))
    return and_(Unit.offered, Unit.item_id.not_in(other), Unit.item_id.not_in(reserved))


def open_checks(
    session: Session, person_id: int, project_id: int, purpose: str, *, occasion: int = 0
) -> list[int]:
    """Return the units of this purpose with a known score that the person was not assigned yet.

    Args:
        session: an open session.
        person_id: the person to assign them to.
        project_id: the project.
        purpose: `attention` or `training`.
        occasion: 0 for the first time, 1 for the first repeat, and so on.
    """
    if not _any_known(session, purpose):
        return []
    assigned = select(Assignment.id).where(
        Assignment.unit_id == Unit.id, Assignment.person_id == person_id, Assignment.occasion == occasion
    )
    rows = session.scalars(
        select(Unit.id).where(is_check(project_id, purpose), ~assigned.exists()).order_by(Unit.id)
    )
    return list(rows)


def all_checks(session: Session, project_id: int, purpose: str) -> list[int]:
    """Return all units of this purpose with a known score."""
    if not _any_known(session, purpose):
        return []
    return list(session.scalars(select(Unit.id).where(is_check(project_id, purpose))))


def is_check(project_id: int, purpose: str) -> ColumnElement[bool]:
    """Return the condition that a unit is of this purpose and the project's form and has a known score."""
    items = select(ItemRow.id).where(ItemRow.project_id == project_id, ItemRow.purpose == purpose)
    return and_(
        Unit.project_id == project_id,
        Unit.offered,
        Unit.item_id.in_(items),
        Unit.id.in_(select(GoldScore.unit_id).where(GoldScore.purpose == purpose)),
    )


def open_gold_units(
    session: Session, person_id: int, project_id: int, *, cohorts: Sequence[str]
) -> list[int]:
    """Return the ordinary units with a known score that the person was neither assigned nor rated yet."""
    assigned = select(Assignment.id).where(Assignment.unit_id == Unit.id, Assignment.person_id == person_id)
    rows = session.scalars(
        select(Unit.id).where(
            Unit.project_id == project_id,
            is_regular_work(project_id, cohorts),
            Unit.id.in_(known_units()),
            ~assigned.exists(),
            ~rated_before(person_id),
        )
    )
    return list(rows)


def _begun(session: Session, search: UnitSearch) -> list[OpenUnit]:
    is_own = Assignment.person_id == search.person_id
    own_state = case((Assignment.lease_until > search.at, "held"), else_=Assignment.state)
    per_unit = (
        select(
            Assignment.unit_id.label("unit"),
            count_where(~is_own & occupies(search.at)).label("other_raters"),
            func.coalesce(func.max(own_state).filter(is_own), "").label("own_state"),
        )
        .where(Assignment.project_id == search.project_id, Assignment.occasion == 0)
        .group_by(Assignment.unit_id)
        .subquery()
    )
    counts = per_unit.c
    own_first = case((counts.own_state == "leased", 0), (counts.own_state == "", 1), else_=2)
    order = search.order(cast(counts.unit, BigInteger))
    begun = [counts.other_raters.desc()] if search.begun_first else []
    priority = [own_first, *begun, *_turn(search), order]
    query = (
        select(counts.unit, counts.other_raters, counts.own_state)
        .select_from(per_unit)
        .join(Unit, Unit.id == counts.unit)
        .where(
            _open(search),
            counts.other_raters < search.k,
            counts.own_state.not_in((*CLOSED, "held")),
            ~rated_before(search.person_id) | (counts.own_state != ""),
        )
    )
    rows = session.execute(_first(query, priority, search, limit=search.limit))
    return [OpenUnit(unit, int(raters), state, group) for unit, raters, state, group in rows]


def _untouched(session: Session, search: UnitSearch, *, limit: int) -> list[OpenUnit]:
    touched = select(Assignment.id).where(Assignment.unit_id == Unit.id).exists()
    query = select(Unit.id).where(
        Unit.project_id == search.project_id,
        _open(search),
        ~touched,
        ~rated_before(search.person_id),
    )
    rows = session.execute(
        _first(query, [*_turn(search), search.order(cast(Unit.id, BigInteger))], search, limit=limit)
    )
    return [OpenUnit(unit, 0, "", group) for unit, group in rows]


def _turn(search: UnitSearch) -> list[ColumnElement[int]]:
    return [func.coalesce(Unit.turn, NO_TURN)] if search.by_turn else []


def proposed_order(session: Session, unit_ids: Sequence[int]) -> dict[int, int]:
    """Return the proposed order of those units that are proposed to be rated next."""
    query = select(Unit.id, Unit.turn).where(Unit.id.in_(unit_ids), Unit.turn.is_not(None))
    return {unit: int(turn) for unit, turn in session.execute(query) if turn is not None}


def _first(query: Select[Any], priority: Sequence[Any], search: UnitSearch, *, limit: int) -> Select[Any]:
    """Return the first `limit` rows with their group; of each group if the search names groups."""
    if not search.groups:
        return query.add_columns(literal("", String)).order_by(*priority).limit(limit)
    # Materialized, as this reads groups from an index alone; the items' rows hold long texts.
    groups = (
        select(ItemRow.id, ItemRow.group)
        .where(
            ItemRow.project_id == search.project_id,
            ItemRow.purpose == "data",
            ItemRow.group.in_(search.groups),
        )
        .cte("groups")
        .prefix_with("MATERIALIZED")
    )
    number = func.row_number().over(partition_by=groups.c.group, order_by=list(priority)).label("number")
    ranked = query.join(groups, groups.c.id == Unit.item_id).add_columns(groups.c.group, number).subquery()
    columns = [column for column in ranked.c if column.name != "number"]
    return select(*columns).where(ranked.c.number <= limit).order_by(ranked.c.number)


def _open(search: UnitSearch) -> ColumnElement[bool]:
    ordinary = is_regular_work(search.project_id, search.cohorts)
    return and_(ordinary, Unit.id.not_in(known_units())) if search.without_known else ordinary


_ANY_KNOWN = select(GoldScore.id).where(GoldScore.purpose == bindparam("purpose")).limit(1)


def _any_known(session: Session, purpose: str) -> bool:
    """Return whether any score is known for this purpose; a quick exit for most projects."""
    return run(session, _ANY_KNOWN, purpose=purpose).first() is not None


def known_units() -> Select[int]:
    """Return a query for the gold units, which are assigned on their own schedule."""
    return select(GoldScore.unit_id).where(GoldScore.purpose == "gold")


def _groups(session: Session, search: UnitSearch) -> list[str]:
    """Return the groups of items, least served first; ties start at a different group for each person."""
    query = select(ItemRow.group).where(ItemRow.project_id == search.project_id, ItemRow.purpose == "data")
    groups = sorted(session.scalars(query.distinct()))
    start = search.person_id % max(len(groups), 1)
    served = search.served or {}
    return sorted(groups[start:] + groups[:start], key=lambda group: served.get(group, 0))


def rated_before(person_id: Any) -> ColumnElement[bool]:
    """Return the condition that the person has rated the unit's response, for example in an import."""
    of_response = select(Rating.id).where(
        Rating.person_id == person_id, Rating.response_id == Unit.response_id
    )
    return and_(Unit.kind == "response", of_response.exists())
