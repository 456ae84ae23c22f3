"""Panels of roles by their names: static roles that stand for every item, and those made for each item."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from judgelab.domain import FROM_RESPONSE, PanelRole
from judgelab.store.db.import_ledger import in_batches
from judgelab.store.models import ItemRow, JudgeRow, PanelRoleRow, ReferenceRow, Run
from judgelab.store.models.base import now

Kind = Literal["static", "coarse", "fine"]
DEFAULT_PANEL = "roles"  # the panel that is meant where none is named


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


class PanelProgress(NamedTuple):
    """How far a panel is: items with roles of their own, of how many, and the encoders of their clusters."""

    items: int
    of: int
    roles: int
    encoders: Sequence[str]


class Panel(NamedTuple):
    """A panel by its name.

    Attributes:
        static: roles of the project's own that stand for every item; 0 while the shipped ones do.
        items: items with roles made for them.
        edited: roles that a person changed.
        runs: runs that were shown it, or are.
    """

    name: str
    static: int = 0
    items: int = 0
    edited: int = 0
    runs: int = 0


def panels(session: Session, project_id: int) -> list[Panel]:
    """Return the project's panels by name; the usual one is there even while it seats shipped roles only."""
    rows, used = PanelRoleRow, _runs_with(session, project_id)
    query = (
        select(
            rows.name,
            func.count().filter(rows.item_id.is_(None)),
            func.count(rows.item_id.distinct()).filter(rows.kind != "static"),
            func.count(rows.edited_at),
        )
        .where(rows.project_id == project_id)
        .group_by(rows.name)
    )
    found = {
        name: Panel(name, static, items, edited, used[name])
        for name, static, items, edited in session.execute(query)
    }
    found.setdefault(DEFAULT_PANEL, Panel(DEFAULT_PANEL, runs=used[DEFAULT_PANEL]))
    return [found[name] for name in sorted(found)]


def runs_with(session: Session, project_id: int, name: str) -> int:
    """Return how many runs were shown a panel, or are."""
    return _runs_with(session, project_id)[name]


def static_roles(session: Session, project_id: int, name: str = DEFAULT_PANEL) -> list[StoredRole]:
    """Return the panel's own static roles; empty while it uses the shipped ones."""
    return _roles(session, project_id, name, None).get(None, [])


def item_roles(
    session: Session, project_id: int, item_ids: Collection[int], name: str = DEFAULT_PANEL
) -> dict[int, list[StoredRole]]:
    """Return the roles that a panel has for these items, in the order in which they were made."""
    found: dict[int, list[StoredRole]] = {}
    for part in in_batches(list(item_ids)):
        made = _roles(session, project_id, name, part)
        found.update({key: roles for key, roles in made.items() if key})
    return found


def save_roles(
    session: Session,
    project_id: int,
    item_id: int | None,
    roles: Sequence[StoredRole],
    name: str = DEFAULT_PANEL,
) -> None:
    """Store a panel's roles of an item, or its static ones (no item), in place of what was there."""
    rows = PanelRoleRow
    session.execute(delete(rows).where(rows.project_id == project_id, rows.name == name, _of(item_id)))
    session.add_all(
        PanelRoleRow(
            project_id=project_id,
            item_id=item_id,
            name=name,
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


def copy_panel(session: Session, project_id: int, name: str, *, to: str) -> None:
    """Store the roles of a panel under another name as well."""
    rows = PanelRoleRow
    query = select(rows).where(rows.project_id == project_id, rows.name == name).order_by(rows.id)
    columns = ("item_id", "position", "kind", "type", "description", "origin", "kept", "by", "edited_at")
    for row in list(session.scalars(query)):
        values = {column: getattr(row, column) for column in columns}
        session.add(PanelRoleRow(project_id=project_id, name=to, **values))
    session.flush()


def delete_panel(session: Session, project_id: int, name: str) -> None:
    """Delete the roles of a panel; what was asked in sight of them stays with the prompts."""
    rows = PanelRoleRow
    session.execute(delete(rows).where(rows.project_id == project_id, rows.name == name))


def panel_progress(session: Session, project_id: int, name: str = DEFAULT_PANEL) -> PanelProgress:
    """Return how many of the project's items a panel has roles for."""
    rows = PanelRoleRow
    own = (
        *(rows.project_id == project_id, rows.name == name),
        *(rows.item_id.is_not(None), rows.kind != "static"),
    )
    items, roles = session.execute(
        select(func.count(rows.item_id.distinct()), func.count()).where(*own)
    ).one()
    of = session.scalar(
        select(func.count()).where(ItemRow.project_id == project_id, ItemRow.purpose == "data")
    )
    encoders = session.scalars(select(rows.by).where(*own, rows.by != "").distinct().order_by(rows.by))
    return PanelProgress(items, of or 0, roles, tuple(encoders))


def count_without_reference(session: Session, item_ids: Collection[int]) -> int:
    """Return how many of the items have no reference that a judge may see."""
    known: set[int] = set()
    for part in in_batches(list(item_ids)):
        query = select(ReferenceRow.item_id).distinct()
        query = query.where(ReferenceRow.item_id.in_(part), ReferenceRow.origin != FROM_RESPONSE)
        known |= set(session.scalars(query))
    return len(set(item_ids) - known)


def _runs_with(session: Session, project_id: int) -> Counter[str]:
    query = (
        select(JudgeRow.options, func.count(Run.id))
        .join(Run, Run.judge_id == JudgeRow.id)
        .where(JudgeRow.project_id == project_id)
        .group_by(JudgeRow.id)
    )
    used: Counter[str] = Counter()
    for options, runs in session.execute(query):
        # A plain comparison (no panel) shows no role.
        if "roles" in options and options.get("panel", True):
            used[options["roles"]] += runs
    return used


def _roles(
    session: Session, project_id: int, name: str, item_ids: Collection[int] | None
) -> Mapping[int | None, list[StoredRole]]:
    rows = PanelRoleRow
    query = select(rows).where(rows.project_id == project_id, rows.name == name)
    query = query.order_by(rows.item_id, rows.position)
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
