"""Bonuses of crowd workers in a project: amounts, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from judgelab.store.db import audit
from judgelab.store.models import Membership, Person

ACTION = "set_bonuses"


@dataclass(frozen=True)
class Bonus:
    """An amount in the project's currency, and the reason; an amount of 0 is no bonus."""

    amount: Decimal
    reason: str = ""


@dataclass(frozen=True)
class Payee:
    """A person to whom a bonus can be given: someone with an id of a crowd platform."""

    person_id: int
    name: str
    external_id: str
    bonus: Bonus | None


def payees(session: Session, project_id: int, *, link_id: int | None = None) -> list[Payee]:
    """Return the people of the project, or of one link, who have an id of a crowd platform."""
    query = (
        select(Membership, Person.name)
        .join(Person, Person.id == Membership.person_id)
        .where(Membership.project_id == project_id, Membership.external_id.is_not(None))
        .order_by(Membership.id)
    )
    if link_id is not None:
        query = query.where(Membership.study_link_id == link_id)
    return [
        Payee(row.person_id, name, row.external_id or "", _bonus(row.bonus, row.bonus_reason))
        for row, name in session.execute(query)
    ]


def by_person(session: Session, project_id: int) -> dict[int, Bonus]:
    """Return each bonus in the project by the person's row id."""
    return {payee.person_id: payee.bonus for payee in payees(session, project_id) if payee.bonus}


def save(
    session: Session,
    project_id: int,
    bonuses: Sequence[tuple[Payee, Bonus]],
    *,
    by: int | None,
) -> int:
    """Store those bonuses that are new or have changed, with one entry in the log; return how many these are.

    The log has the amounts, which erasing the person removes, but not the reasons.
    """
    changed = [(payee, bonus) for payee, bonus in bonuses if (payee.bonus or Bonus(Decimal())) != bonus]
    for payee, bonus in changed:
        session.execute(
            update(Membership)
            .where(Membership.project_id == project_id, Membership.person_id == payee.person_id)
            .values(**columns(bonus))
        )
    if changed:
        entries = [
            {
                "person": payee.name,
                "amount": str(bonus.amount),
                "before": str(payee.bonus.amount) if payee.bonus else None,
            }
            for payee, bonus in changed
        ]
        detail = {"n": len(entries), "bonuses": entries}
        audit.record(session, ACTION, project_id=project_id, person_id=by, detail=detail)
    return len(changed)


def columns(bonus: Bonus) -> Mapping[str, str | None]:
    """Return the columns of a membership that hold the bonus."""
    if not bonus.amount:
        return {"bonus": None, "bonus_reason": None}
    return {"bonus": f"{bonus.amount:.2f}", "bonus_reason": bonus.reason or None}


def _bonus(amount: str | None, reason: str | None) -> Bonus | None:
    return None if amount is None else Bonus(Decimal(amount), reason or "")
