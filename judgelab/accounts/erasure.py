"""Erasing a person on request, as data protection law requires; their ratings are kept or removed."""

from __future__ import annotations

from dataclasses import dataclass

from judgelab.accounts.member_rights import Actor
from judgelab.domain import holds
from judgelab.errors import InvalidInput, NotAllowed, NotFound
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.people import erasure, memberships, people
from judgelab.store.people.erasure import ErasureResult
from judgelab.store.people.people import PersonInfo
from judgelab.wording import mark, sentence


@dataclass(frozen=True)
class ErasurePreview:
    """What erasing a person would affect: the ratings of all kinds they gave, and their projects."""

    ratings: int
    projects: int


def preview_erasure(store: Store, actor: Actor, name: str) -> ErasurePreview | None:
    """Return what erasing the person would affect; None if the actor may not or they cannot be erased."""
    with store.reading() as session:
        person = people.find(session, " ".join(name.split()))
        if person is None or person.role == "owner" or erasure.is_erased(session, person.id):
            return None
        project_ids = erasure.projects_of(session, person.id)
        try:
            _check_may_erase(session, actor, person, project_ids)
        except NotAllowed:
            return None
        return ErasurePreview(erasure.count_given(session, person.id), len(project_ids))


def erase(
    store: Store, actor: Actor, name: str, *, keep_ratings: bool, keep_comments: bool = False
) -> ErasureResult:
    """Replace the person by a pseudonym in all projects, and delete what is known about them.

    Raises:
        NotFound: no person has this name.
        NotAllowed: the actor is not an owner of all the person's projects, or the person has a password or a
            role in every project and the actor is not an owner of everything.
        InvalidInput: the person is an owner of everything or was erased before.
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
        _check_may_erase(session, actor, person, project_ids)
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


def _check_may_erase(session: Session, actor: Actor, person: PersonInfo, project_ids: frozenset[int]) -> None:
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
