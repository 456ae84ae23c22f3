"""Share links through which anybody can read a project's results; only their hashes are stored."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from judgelab.store.models import Person, Project, ShareLink, now
from judgelab.store.people import sessions


@dataclass(frozen=True)
class ShareInfo:
    """A share link: its note, its creator, and until when it works.

    Attributes:
        note: the creator's note.
        by: the creator's name; empty if made on the command line.
    """

    id: int
    project_id: int
    project: str
    note: str
    by: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None

    @property
    def works(self) -> bool:
        """Return whether it shows the results now."""
        return self.revoked_at is None and self.expires_at > now()


def new_share(
    session: Session, project_id: int, *, lifetime: timedelta, note: str = "", created_by: int | None = None
) -> str:
    """Add a link and return its token."""
    token = secrets.token_hex(24)  # ends in no mark that a mail program cuts off a link
    row = ShareLink(
        project_id=project_id,
        token_hash=sessions.hash_token(token),
        note=note,
        created_by=created_by,
        expires_at=now() + lifetime,
    )
    session.add(row)
    return token


def find_share(session: Session, token: str) -> ShareInfo | None:
    """Return the link of a token, whether it works or not."""
    links = _rows(session, ShareLink.token_hash == sessions.hash_token(token))
    return links[0] if links else None


def shares(session: Session, project_id: int) -> list[ShareInfo]:
    """Return all links to a project's results, newest first."""
    return _rows(session, ShareLink.project_id == project_id)


def revoke(session: Session, share_id: int, project_id: int) -> bool:
    """Revoke a link of the project; return whether it worked until now."""
    row = session.scalar(
        select(ShareLink).where(ShareLink.id == share_id, ShareLink.project_id == project_id)
    )
    if row is None or row.revoked_at is not None:
        return False
    row.revoked_at = now()
    return row.expires_at > now()


def _rows(session: Session, *conditions: Any) -> list[ShareInfo]:
    query = (
        select(ShareLink, Project.slug, Person.name)
        .join(Project, Project.id == ShareLink.project_id)
        .outerjoin(Person, Person.id == ShareLink.created_by)
        .where(*conditions)
        .order_by(ShareLink.id.desc())
    )
    return [
        ShareInfo(
            id=row.id,
            project_id=row.project_id,
            project=slug,
            note=row.note,
            by=name or "",
            created_at=row.created_at,
            expires_at=row.expires_at,
            revoked_at=row.revoked_at,
        )
        for row, slug, name in session.execute(query)
    ]
