"""Units that are assigned to people but not yet rated, and taking them back for others."""

from __future__ import annotations

from judgelab.accounts.member_rights import Actor, check_may_manage
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.models import now
from judgelab.store.people import people, recruitment_links
from judgelab.store.rating import assignments
from judgelab.store.rating.assignments import HeldUnits


def list_held_units(store: Store, actor: Actor, project_id: int) -> list[HeldUnits]:
    """Return the unrated units that people have, by person's name; raises `NotAllowed`.

    People whose time at a recruitment link is over are left out: their units go to the next person who asks.
    """
    with store.reading() as session:
        check_may_manage(session, actor, project_id)
        at = now()
        overdue = recruitment_links.overdue(session, project_id, at=at)
        return [
            held_unit
            for held_unit in assignments.held_units(session, project_id, at=at)
            if held_unit.person_id not in overdue
        ]


def release_held_units(store: Store, actor: Actor, project_id: int, person_id: int) -> int:
    """Take a person's unrated units back, for others to rate, and return how many.

    Drafts and ratings stay. A rating from a page that is still open is stored; it counts as surplus if
    someone else has rated the unit meanwhile.

    Raises:
        NotAllowed: the actor is not a researcher of the project.
    """
    with store.writing() as session:
        check_may_manage(session, actor, project_id)
        assignments.lock_project(session, project_id)
        freed = assignments.release_units(session, person_id, project_id)
        detail = {"person": people.get(session, person_id).name, "units": freed}
        audit.record(session, "gave_back", project_id=project_id, person_id=actor, detail=detail)
    return freed
