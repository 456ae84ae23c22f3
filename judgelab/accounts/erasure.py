"""Erasing a person on request, as data protection law asks: recorded, and with ratings as chosen."""

from __future__ import annotations

from dataclasses import dataclass

from judgelab.accounts.members import Actor
from judgelab.domain import holds
from judgelab.errors import InvalidInput, NotAllowed, NotFound
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.people import erasure, memberships, people
from judgelab.store.people.erasure import ErasureResult
from judgelab.store.people.people import PersonInfo
from judgelab.wording import mark, sentence


@dataclass(frozen=True)
class Belongings:
    """What a person has in JudgeLab: ratings of all kinds given, and projects they have a part in."""

    ratings: int
    projects: int


def belongings(store: Store, actor: Actor, name: str) -> Belongings | None:
    """Return what erasing the person would be about; None where the actor may not, or nobody is to erase."""
    with store.reading() as session:
        person = people.find(session, " ".join(name.split()))
        if person is None or person.role == "owner" or erasure.is_erased(session, person.id):
            return None
        project_ids = erasure.projects_of(session, person.id)
        try:
            _check(session, actor, person, project_ids)
        except NotAllowed:
            return None
        return Belongings(erasure.count_given(session, person.id), len(project_ids))


def erase(
    store: Store, actor: Actor, name: str, *, keep_ratings: bool, keep_comments: bool = False
) -> ErasureResult:
    """Take out what is known about the person and put a pseudonym in their place, in all projects.

    Raises:
        NotFound: nobody has this name.
        NotAllowed: the actor owns neither everything nor each project the person has a part in, or the person
            signs in by a password or has a role in every project, and the actor does not own everything.
        InvalidInput: the person owns JudgeLab or was erased before.
    """
    with store.writing() as session:
        person = people.find(session, " ".join(name.split()))
        if person is None:
            raise NotFound(mark("person"), name, [person.name for person in people.list_people(session)])
        if person.role == "owner":
            raise InvalidInput(
                sentence(
                    "{name} owns JudgeLab; give them another role before they are erased.", name=person.name
                )
            )
        project_ids = erasure.projects_of(session, person.id)
        _check(session, actor, person, project_ids)
        result = erasure.erase_person(
            session, person.id, keep_ratings=keep_ratings, keep_comments=keep_comments
        )
        detail = {
            "pseudonym": result.pseudonym,
            "ratings": "kept" if result.kept else "removed",
            "count": result.ratings,
            "comments_taken_out": result.comments,
        }
        for project_id in sorted(project_ids):
            audit.record(session, "erased_person", project_id=project_id, person_id=actor, detail=detail)
    return result


def _check(session: Session, actor: Actor, person: PersonInfo, project_ids: frozenset[int]) -> None:
    if actor is None or holds([people.get(session, actor).role], "owner"):
        return
    if person.role or people.password_hash(session, person.id) is not None:
        raise NotAllowed(
            sentence(
                "{name} has rights beyond your projects; only an owner of everything may erase them.",
                name=person.name,
            )
        )
    if not project_ids or not all(
        memberships.has_role(session, actor, project_id, "owner") for project_id in project_ids
    ):
        raise NotAllowed(
            sentence("only an owner of every project that the person has a part in may erase them.")
        )
