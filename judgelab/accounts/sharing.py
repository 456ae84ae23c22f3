"""Links that show a project's results to people without an account: who may make them, what is recorded."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from judgelab.accounts.member_rights import Actor
from judgelab.errors import InvalidInput, NotAllowed
from judgelab.store.db import audit
from judgelab.store.db.engine import Session, Store
from judgelab.store.people import memberships, share_links
from judgelab.store.people.share_links import ShareInfo
from judgelab.store.projects.projects import find_project
from judgelab.wording import sentence

DEFAULT_DAYS, MAX_DAYS, MAX_NOTE_LENGTH = 90, 365, 120


@dataclass(frozen=True)
class NewShare:
    """A new link, which can be shown only once."""

    path: str
    days: int


def create(store: Store, actor: Actor, slug: str, *, days: int = DEFAULT_DAYS, note: str = "") -> NewShare:
    """Return a new link to the project's results: `/results/<token>`.

    Raises:
        NotFound: no such project.
        NotAllowed: the actor is not a researcher of the project.
        InvalidInput: `days` is not between 1 and a year.
    """
    if not 1 <= days <= MAX_DAYS:
        raise InvalidInput(
            sentence("days: {days} is not allowed; enter 1 to {most}.", days=str(days), most=str(MAX_DAYS))
        )
    note = " ".join(note.split())[:MAX_NOTE_LENGTH]
    with store.writing() as session:
        project = find_project(session, slug)
        _check_may_share(session, actor, project.id)
        token = share_links.new_share(
            session, project.id, lifetime=timedelta(days=days), note=note, created_by=actor
        )
        detail = {"days": days, "note": note}
        audit.record(session, "shared_results", project_id=project.id, person_id=actor, detail=detail)
    return NewShare(f"/results/{token}", days)


def list_shares(store: Store, actor: Actor, slug: str) -> list[ShareInfo]:
    """Return all links to the project's results, newest first; raises `NotFound` and `NotAllowed`."""
    with store.reading() as session:
        project = find_project(session, slug)
        _check_may_share(session, actor, project.id)
        return share_links.shares(session, project.id)


def revoke(store: Store, actor: Actor, slug: str, share_id: int) -> bool:
    """End a link; return whether it worked until now."""
    with store.writing() as session:
        project = find_project(session, slug)
        _check_may_share(session, actor, project.id)
        worked = share_links.revoke(session, share_id, project.id)
        if worked:
            audit.record(
                session,
                "ended_shared_results",
                project_id=project.id,
                person_id=actor,
                detail={"link": share_id},
            )
        return worked


def find_open_share(store: Store, token: str) -> ShareInfo | None:
    """Return the share link of a token; None if it is unknown, ended or expired."""
    with store.reading() as session:
        share = share_links.find_share(session, token)
    return share if share is not None and share.works else None


def _check_may_share(session: Session, actor: Actor, project_id: int) -> None:
    if actor is not None and not memberships.has_role(session, actor, project_id, "researcher"):
        raise NotAllowed(sentence("only researchers of the project can share its results."))
