"""Store panels of roles by name: static roles for all items, and roles made for each item."""

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
DEFAULT_PANEL = "roles"  # the panel used if none is named


@dataclass(frozen=True)
class StoredRole:
    """A stored role; `kept` lists the panel sizes for which clustering keeps it, like "dynamic:4"."""

    type: str
    description: str = ""
    kind: Kind = "static"
    origin: str = "person"
    kept: Sequence[str] = ()
    by: str = ""
    edited: bool = False

    @property
    def text(self) -> str:
        """Return the text that the encoder reads."""
        return f"{self.type}: {self.description}"

    def on_panel(self) -> PanelRole:
        """Return the role in the form that protocols use."""
        return PanelRole(self.type, self.description, "static" if self.kind == "static" else "dynamic")


class PanelProgress(NamedTuple):
    """The progress of a panel: items with roles, all items, roles, and the encoders used for clustering."""

    items: int
    of: int
    roles: int
    encoders: Sequence[str]


class Panel(NamedTuple):
    """A panel by its name.

    Attributes:
        static: number of the project's own static roles; 0 while the built-in ones are used.
        items: number of items with roles made for them.
        edited: number of roles that a person changed.
        runs: number of runs that use it.
    """

    name: str
    static: int = 0
    items: int = 0
    edited: int = 0
    runs: int = 0


def panels(session: Session, project_id: int) -> list[Panel]:
    """Return the project's panels by name, including the default one even if it has no own roles."""
    rows, runs = PanelRoleRow, _runs_with(session, project_id)
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
    by_name = {
        name: Panel(name, static, items, edited, runs[name])
        for name, static, items, edited in session.execute(query)
    }
    by_name.setdefault(DEFAULT_PANEL, Panel(DEFAULT_PANEL, runs=runs[DEFAULT_PANEL]))
    return [by_name[name] for name in sorted(by_name)]


def runs_with(session: Session, project_id: int, name: str) -> int:
    """Return how many runs use a panel."""
    return _runs_with(session, project_id)[name]


def static_roles(session: Session, project_id: int, name: str = DEFAULT_PANEL) -> list[StoredRole]:
    """Return the panel's own static roles; empty while it uses the built-in ones."""
    return _roles(session, project_id, name, None).get(None, [])


def item_roles(
    session: Session, project_id: int, item_ids: Collection[int], name: str = DEFAULT_PANEL
) -> dict[int, list[StoredRole]]:
    """Return the roles that a panel has for these items, by item, in order."""
    roles_by_item: dict[int, list[StoredRole]] = {}
    for part in in_batches(list(item_ids)):
        batch = _roles(session, project_id, name, part)
        roles_by_item.update({key: roles for key, roles in batch.items() if key})
    return roles_by_item


def save_roles(
    session: Session,
    project_id: int,
    item_id: int | None,
    roles: Sequence[StoredRole],
    name: str = DEFAULT_PANEL,
) -> None:
    """Store a panel's roles of an item, or its static ones (no item), replacing earlier ones."""
    rows = PanelRoleRow
    session.execute(delete(rows).where(rows.project_id == project_id, rows.name == name, _of(item_id)))
    session.add_all(
        PanelRoleRow(
            project_id=project_id,
            item_id=item_id,
            name=name,
            position=position,
            kind=role.kind,
            type=role.type,
            description=role.description,
            origin=role.origin,
            kept=list(role.kept),
            by=role.by,
            edited_at=now() if role.edited else None,
        )
        for position, role in enumerate(roles)
    )
    session.flush()


def copy_panel(session: Session, project_id: int, name: str, *, to: str) -> None:
    """Copy the roles of a panel to a panel of another name."""
    rows = PanelRoleRow
    query = select(rows).where(rows.project_id == project_id, rows.name == name).order_by(rows.id)
    columns = ("item_id", "position", "kind", "type", "description", "origin", "kept", "by", "edited_at")
    for row in list(session.scalars(query)):
        values = {column: getattr(row, column) for column in columns}
        session.add(PanelRoleRow(project_id=project_id, name=to, **values))
    session.flush()


def delete_panel(session: Session, project_id: int, name: str) -> None:
    """Delete the roles of a panel; stored prompts that contain them stay."""
    rows = PanelRoleRow
    session.execute(delete(rows).where(rows.project_id == project_id, rows.name == name))


def panel_progress(session: Session, project_id: int, name: str = DEFAULT_PANEL) -> PanelProgress:
    """Return how many of the project's items a panel has roles for."""
    rows = PanelRoleRow
    dynamic = (
        *(rows.project_id == project_id, rows.name == name),
        *(rows.item_id.is_not(None), rows.kind != "static"),
    )
    items, roles = session.execute(
        select(func.count(rows.item_id.distinct()), func.count()).where(*dynamic)
    ).one()
    total = session.scalar(
        select(func.count()).where(ItemRow.project_id == project_id, ItemRow.purpose == "data")
    )
    encoders = session.scalars(select(rows.by).where(*dynamic, rows.by != "").distinct().order_by(rows.by))
    return PanelProgress(items, total or 0, roles, tuple(encoders))


def count_without_reference(session: Session, item_ids: Collection[int]) -> int:
    """Return how many of the items have no reference that a judge may see."""
    with_reference: set[int] = set()
    for part in in_batches(list(item_ids)):
        query = select(ReferenceRow.item_id).distinct()
        query = query.where(ReferenceRow.item_id.in_(part), ReferenceRow.origin != FROM_RESPONSE)
        with_reference |= set(session.scalars(query))
    return len(set(item_ids) - with_reference)


def _runs_with(session: Session, project_id: int) -> Counter[str]:
    query = (
        select(JudgeRow.options, func.count(Run.id))
        .join(Run, Run.judge_id == JudgeRow.id)
        .where(JudgeRow.project_id == project_id)
        .group_by(JudgeRow.id)
    )
    runs_by_panel: Counter[str] = Counter()
    for options, runs in session.execute(query):
        # A plain comparison (no panel) shows no role.
        if "roles" in options and options.get("panel", True):
            runs_by_panel[options["roles"]] += runs
    return runs_by_panel


def _roles(
    session: Session, project_id: int, name: str, item_ids: Collection[int] | None
) -> Mapping[int | None, list[StoredRole]]:
    rows = PanelRoleRow
    query = select(rows).where(rows.project_id == project_id, rows.name == name)
    query = query.order_by(rows.item_id, rows.position)
    query = query.where(rows.item_id.is_(None) if item_ids is None else rows.item_id.in_(item_ids))
    by_item: defaultdict[int | None, list[StoredRole]] = defaultdict(list)
    for row in session.scalars(query):
        by_item[row.item_id].append(
            StoredRole(
                row.type,
                row.description,
                row.kind,  # type: ignore[arg-type]  # only values of Kind are stored
                row.origin,
                tuple(row.kept),
                row.by,
                row.edited_at is not None,
            )
        )
    return by_item


def _of(item_id: int | None):  # type: ignore[no-untyped-def]  # a condition
    return PanelRoleRow.item_id.is_(None) if item_id is None else PanelRoleRow.item_id == item_id
