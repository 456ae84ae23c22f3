"""What a person may be given next: the units that are open to them, and the material for checks."""

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
NO_TURN = 2_000_000_000  # behind every unit that has one
CHECK_PURPOSES = ("attention", "training")  # purposes of items that are no data


class OpenUnit(NamedTuple):
    """A unit that a person could still rate; `taken` counts the others who finished or hold it."""

    unit: int
    taken: int
    own: str
    group: str = ""


@dataclass(frozen=True)
class UnitSearch:
    """Whose units are looked for, and how.

    Args:
        k: raters wanted for each unit.
        order: the person's order, as SQL for a column.
        limit: how many units are enough, of each group where groups are told apart.
        at: the time; leases that end later still run.
        cohorts: the names of the cohorts the person is in.
        served: how many units of each group the person was given; None when groups do not matter.
        groups: the groups to look in, each by itself; filled in by `find_open_units`.
        begun_first: what others began comes before the untouched.
        by_turn: units that are proposed to be rated next come first.
        without_known: leave out units with a known score, which are given in their own rhythm.
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
    """Return the cohorts the person is in: the one of their membership, and one of their own by name."""
    found = run(session, _COHORT, person=person_id, project=project_id).first()
    name, cohort = found or ("", "")
    return tuple(one for one in (cohort, f"{PERSON_COHORT}{name}") if one)


def find_open_units(session: Session, search: UnitSearch) -> list[OpenUnit]:
    """Return units the person may be given, the begun before the untouched unless told otherwise.

    Units with a known score that were to be left out come when there is nothing else: none is starved.
    Two narrow queries instead of one wide one: both run on indexes alone, so that ten thousand answers
    cost a few milliseconds while the write lock is held.
    """
    if search.served is not None:
        groups = _groups(session, search)
        # The groups the person had least of will do, unless hardly anything is left in them.
        search = replace(search, groups=groups[:ENOUGH_GROUPS] if len(groups) > 1 else ())
        if len(groups) > ENOUGH_GROUPS:
            found = _find(session, search)
            if len(found) >= search.limit:
                return found
            search = replace(search, groups=groups)
    found = _find(session, search)
    return found or (_find(session, replace(search, without_known=False)) if search.without_known else [])


def _find(session: Session, search: UnitSearch) -> list[OpenUnit]:
    begun = _begun(session, search)
    if search.groups or not search.begun_first:
        return begun + _untouched(session, search, limit=search.limit)
    if len(begun) >= search.limit and any(answer.own != "skipped" for answer in begun):
        return begun
    return begun + _untouched(session, search, limit=search.limit - len(begun))


def is_regular_work(project_id: Any, cohorts: Any) -> ColumnElement[bool]:
    """Return the condition that a unit is ordinary work for raters of these cohorts; values or places."""
    items = select(ItemRow.id).where(ItemRow.project_id == project_id)
    other = items.where(ItemRow.purpose.in_(CHECK_PURPOSES))
    reserved = items.where(ItemRow.purpose == "data", ItemRow.cohort > "", ItemRow.cohort.not_in(cohorts))
    return and_(Unit.offered, Unit.item_id.not_in(other), Unit.item_id.not_in(reserved))


def open_checks(
    session: Session, person_id: int, project_id: int, purpose: str, *, occasion: int = 0
) -> list[int]:
    """Return the units of this purpose that have a known score and that the person did not get yet.

    Args:
        session: an open session.
        person_id: who gets them.
        project_id: the project.
        purpose: `attention` or `training`.
        occasion: for the how-manieth time; 0 for the first.
    """
    if not _any_known(session, purpose):
        return []
    given = select(Assignment.id).where(
        Assignment.unit_id == Unit.id, Assignment.person_id == person_id, Assignment.occasion == occasion
    )
    rows = session.scalars(
        select(Unit.id).where(is_check(project_id, purpose), ~given.exists()).order_by(Unit.id)
    )
    return list(rows)


def all_checks(session: Session, project_id: int, purpose: str) -> list[int]:
    """Return all units of this purpose that have a known score."""
    if not _any_known(session, purpose):
        return []
    return list(session.scalars(select(Unit.id).where(is_check(project_id, purpose))))


def is_check(project_id: int, purpose: str) -> ColumnElement[bool]:
    """Return the condition that a unit is material of this purpose, in the project's form, with a score."""
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
    """Return the ordinary units with a known score that the person neither got nor rated yet."""
    given = select(Assignment.id).where(Assignment.unit_id == Unit.id, Assignment.person_id == person_id)
    rows = session.scalars(
        select(Unit.id).where(
            Unit.project_id == project_id,
            is_regular_work(project_id, cohorts),
            Unit.id.in_(known_units()),
            ~given.exists(),
            ~rated_before(person_id),
        )
    )
    return list(rows)


def _begun(session: Session, search: UnitSearch) -> list[OpenUnit]:
    mine = Assignment.person_id == search.person_id
    own_state = case((Assignment.lease_until > search.at, "held"), else_=Assignment.state)
    counted = (
        select(
            Assignment.unit_id.label("unit"),
            count_where(~mine & occupies(search.at)).label("taken"),
            func.coalesce(func.max(own_state).filter(mine), "").label("own"),
        )
        .where(Assignment.project_id == search.project_id, Assignment.occasion == 0)
        .group_by(Assignment.unit_id)
        .subquery()
    )
    c = counted.c
    own_first = case((c.own == "leased", 0), (c.own == "", 1), else_=2)
    place = search.order(cast(c.unit, BigInteger))
    begun = [c.taken.desc()] if search.begun_first else []
    priority = [own_first, *begun, *_turn(search), place]
    query = (
        select(c.unit, c.taken, c.own)
        .select_from(counted)
        .join(Unit, Unit.id == c.unit)
        .where(
            _open(search),
            c.taken < search.k,
            c.own.not_in((*CLOSED, "held")),
            ~rated_before(search.person_id) | (c.own != ""),
        )
    )
    rows = session.execute(_first(query, priority, search, limit=search.limit))
    return [OpenUnit(unit, int(taken), own, group) for unit, taken, own, group in rows]


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
    """Return which of these units are proposed to be rated next, and their places."""
    query = select(Unit.id, Unit.turn).where(Unit.id.in_(unit_ids), Unit.turn.is_not(None))
    return {unit: int(turn) for unit, turn in session.execute(query) if turn is not None}


def _first(query: Select[Any], priority: Sequence[Any], search: UnitSearch, *, limit: int) -> Select[Any]:
    """Return the first `limit` rows, of each group where groups are told apart, with the group beside."""
    if not search.groups:
        return query.add_columns(literal("", String)).order_by(*priority).limit(limit)
    # Read from its index by itself: beside the text of an item its group would cost a page or more a row.
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
    """Return whether any score is known for this purpose: most projects have none, and cost nothing here."""
    return run(session, _ANY_KNOWN, purpose=purpose).first() is not None


def known_units() -> Select[int]:
    """Return, as a query, the units with a known score that come in their own rhythm."""
    return select(GoldScore.unit_id).where(GoldScore.purpose == "gold")


def _groups(session: Session, search: UnitSearch) -> list[str]:
    """Return the groups of items, those first that the person had least of; ties begin elsewhere for each."""
    query = select(ItemRow.group).where(ItemRow.project_id == search.project_id, ItemRow.purpose == "data")
    groups = sorted(session.scalars(query.distinct()))
    start = search.person_id % max(len(groups), 1)
    served = search.served or {}
    return sorted(groups[start:] + groups[:start], key=lambda group: served.get(group, 0))


def rated_before(person_id: Any) -> ColumnElement[bool]:
    """Whether a file brought a rating of the unit's response by the person: nobody rates twice."""
    of_response = select(Rating.id).where(
        Rating.person_id == person_id, Rating.response_id == Unit.response_id
    )
    return and_(Unit.kind == "response", of_response.exists())
