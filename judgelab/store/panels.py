"""Roles that may sit on a panel: a project's own static ones, and those made for each item."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from judgelab.domain import PanelRole
from judgelab.store.import_ledger import parts
from judgelab.store.models import ItemRow, JudgeRow, PanelRoleRow, ReferenceRow, Run
from judgelab.store.models.base import now

Kind = Literal["static", "coarse", "fine"]


@dataclass(frozen=True)
class StoredRole:
    """A role as it is kept; `kept` are the sizes for which clustering keeps it, as "dynamic:4"."""

    type: str
    description: str = ""
    kind: Kind = "static"
    origin: str = "person"
    kept: Sequence[str] = ()
    by: str = ""
    edited: bool = False

    @property
    def text(self) -> str:
        """Return what the encoder reads of it."""
        return f"{self.type}: {self.description}"

    def on_panel(self) -> PanelRole:
        """Return the role as a protocol sees it."""
        return PanelRole(self.type, self.description, "static" if self.kind == "static" else "dynamic")


class Prepared(NamedTuple):
    """How far the panels of a project are: items with roles of their own, of how many, and their encoders."""

    items: int
    of: int
    roles: int
    encoders: Sequence[str]


def static_roles(session: Session, project_id: int) -> list[StoredRole]:
    """Return the project's own static roles; empty while it uses the shipped ones."""
    return _roles(session, project_id, None).get(None, [])


def item_roles(session: Session, project_id: int, item_ids: Collection[int]) -> dict[int, list[StoredRole]]:
    """Return the roles made for these items, in the order in which they were made."""
    found: dict[int, list[StoredRole]] = {}
    for part in parts(list(item_ids)):
        found.update({key: roles for key, roles in _roles(session, project_id, part).items() if key})
    return found


def keep_roles(session: Session, project_id: int, item_id: int | None, roles: Sequence[StoredRole]) -> None:
    """Store the roles of an item, or the static ones of the project (no item), in place of what was there."""
    rows = PanelRoleRow
    session.execute(delete(rows).where(rows.project_id == project_id, _of(item_id)))
    session.add_all(
        PanelRoleRow(
            project_id=project_id,
            item_id=item_id,
            position=position,
            kind=one.kind,
            type=one.type,
            description=one.description,
            origin=one.origin,
            kept=list(one.kept),
            by=one.by,
            edited_at=now() if one.edited else None,
        )
        for position, one in enumerate(roles)
    )
    session.flush()


def panels_prepared(session: Session, project_id: int) -> Prepared:
    """Return how many of the project's items have roles of their own."""
    rows = PanelRoleRow
    own = (rows.project_id == project_id, rows.item_id.is_not(None), rows.kind != "static")
    items, roles = session.execute(
        select(func.count(rows.item_id.distinct()), func.count()).where(*own)
    ).one()
    of = session.scalar(
        select(func.count()).where(ItemRow.project_id == project_id, ItemRow.purpose == "data")
    )
    encoders = session.scalars(select(rows.by).where(*own, rows.by != "").distinct().order_by(rows.by))
    return Prepared(items, of or 0, roles, tuple(encoders))


def without_reference(session: Session, item_ids: Collection[int]) -> int:
    """Return how many of the items have no reference."""
    known: set[int] = set()
    for part in parts(list(item_ids)):
        known |= set(
            session.scalars(select(ReferenceRow.item_id).where(ReferenceRow.item_id.in_(part)).distinct())
        )
    return len(set(item_ids) - known)


def judging_with(session: Session, project_id: int, protocols: Collection[str]) -> bool:
    """Return whether a run of one of these protocols is not over yet."""
    query = (
        select(Run.id)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .where(Run.project_id == project_id, JudgeRow.protocol.in_(list(protocols)))
        .where(Run.state.in_(("waiting", "running", "paused")))
        .limit(1)
    )
    return session.scalar(query) is not None


def _roles(
    session: Session, project_id: int, item_ids: Collection[int] | None
) -> Mapping[int | None, list[StoredRole]]:
    rows = PanelRoleRow
    query = select(rows).where(rows.project_id == project_id).order_by(rows.item_id, rows.position)
    query = query.where(rows.item_id.is_(None) if item_ids is None else rows.item_id.in_(item_ids))
    found: defaultdict[int | None, list[StoredRole]] = defaultdict(list)
    for row in session.scalars(query):
        found[row.item_id].append(
            StoredRole(
                row.type,
                row.description,
                row.kind,  # type: ignore[arg-type]  # only kinds are written
                row.origin,
                tuple(row.kept),
                row.by,
                row.edited_at is not None,
            )
        )
    return found


def _of(item_id: int | None):  # type: ignore[no-untyped-def]  # a condition
    return PanelRoleRow.item_id.is_(None) if item_id is None else PanelRoleRow.item_id == item_id
