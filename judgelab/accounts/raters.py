"""Choosing who rates on a machine that several people share."""

from __future__ import annotations

from judgelab.store.db.engine import Store
from judgelab.store.people import memberships, people
from judgelab.store.people.people import PersonInfo


def project_raters(store: Store, project_id: int) -> list[PersonInfo]:
    """Return the raters of the project, by name."""
    with store.reading() as session:
        return memberships.raters(session, project_id)


def add_rater(store: Store, project_id: int, name: str) -> PersonInfo:
    """Return the person of this name as a rater of the project, created if needed."""
    with store.writing() as session:
        person_id = people.find_or_create(session, name, role="")
        memberships.ensure_rater(session, project_id, person_id)
        return people.get(session, person_id)
