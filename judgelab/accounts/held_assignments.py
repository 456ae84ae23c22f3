"""What lies unrated on people's screens, and taking it off them for others to have."""

from __future__ import annotations

from judgelab.accounts.members import Actor
from judgelab.errors import NotAllowed
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.people import memberships, people, recruitment_links
from judgelab.store.rating import assignments
from judgelab.store.rating.assignments import HeldUnits
from judgelab.wording import sentence


def holdings(store: Store, actor: Actor, project_id: int) -> list[HeldUnits]:
    """Return whose screens hold unrated units now, by name; raises `NotAllowed`.

    Whose time at a study link is over holds nothing: the next person who asks for work is offered it.
    """
    with store.reading() as session:
        _check(session, actor, project_id)
        at = now()
        overdue = recruitment_links.overdue(session, project_id, at=at)
        return [
            held_unit
            for held_unit in assignments.held_units(session, project_id, at=at)
            if held_unit.person_id not in overdue
        ]


def give_back(store: Store, actor: Actor, project_id: int, person_id: int) -> int:
    """Take what is unrated off a person's screen, for others to have; returns how many units that were.

    Drafts and ratings stay. What is rated on a page that is still open is stored, as surplus where another
    has filled its place meanwhile.

    Raises:
        NotAllowed: the actor is no researcher of the project.
    """
    with store.writing() as session:
        _check(session, actor, project_id)
        assignments.lock_project(session, project_id)
        freed = assignments.release(session, person_id, project_id)
        detail = {"person": people.get(session, person_id).name, "units": freed}
        audit.record(session, "gave_back", project_id=project_id, person_id=actor, detail=detail)
    return freed


def _check(session: Session, actor: Actor, project_id: int) -> None:
    if actor is not None and not memberships.has_role(session, actor, project_id, "researcher"):
        raise NotAllowed(sentence("only a researcher of the project may do this."))
