"""Panels of roles as a person changes them: roles edited, panels copied and deleted.

What a run was shown stays as it is; it is changed in a copy under another name, which judges then name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judgelab.errors import InvalidInput, NotFound
from judgelab.preparation.panels.roles import keep_clustered, panel_name, refuse_shown, shipped_roles
from judgelab.store.db.engine import Store
from judgelab.store.prepared import panels
from judgelab.store.prepared.panels import (
    DEFAULT_PANEL,
    Panel,
    PanelProgress,
    StoredRole,
    item_roles,
    save_roles,
    static_roles,
)
from judgelab.store.prepared.source_texts import SourceText, source_texts
from judgelab.store.projects.projects import find_project
from judgelab.wording import mark, sentence

LONGEST_TYPE = 80


@dataclass(frozen=True)
class PanelMaterial:
    """The texts of a project's items, and for how many of them a panel has roles."""

    texts: list[SourceText]
    progress: PanelProgress


def panel_material(store: Store, project_id: int, name: str) -> PanelMaterial:
    """Return what roles can be made of for a panel."""
    with store.reading() as session:
        return PanelMaterial(
            list(source_texts(session, project_id)), panels.panel_progress(session, project_id, name)
        )


def roles_of_items(
    store: Store, project_id: int, texts: Sequence[SourceText], name: str
) -> dict[int, list[StoredRole]]:
    """Return the roles that a panel has for the items of these texts, by the item's row id."""
    with store.reading() as session:
        return item_roles(session, project_id, [text.item_id for text in texts], name)


def panels_of(store: Store, slug: str) -> list[Panel]:
    """Return the project's panels by name; raises `NotFound` for a project that is none."""
    with store.reading() as session:
        return panels.panels(session, find_project(session, slug).id)


def panel_static(store: Store, slug: str, name: str = DEFAULT_PANEL) -> tuple[list[StoredRole], bool]:
    """Return the static roles that a panel seats, and whether they are the project's own."""
    with store.reading() as session:
        static = static_roles(session, find_project(session, slug).id, name)
    return static or shipped_roles(), bool(static)


def save_item_roles(
    store: Store, slug: str, item_id: int, roles: Sequence[StoredRole], *, name: str = DEFAULT_PANEL
) -> None:
    """Store a panel's roles of an item as a person changed them, clustered by the encoder used before.

    Raises:
        InvalidInput: a role's name cannot be one, or a run was shown the panel.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        refuse_shown(session, project.id, name)
        before = item_roles(session, project.id, [item_id], name).get(item_id, [])
    encoder = next((role.by for role in before if role.by), "")
    named = [_checked(role) for role in roles]
    if not named:
        with store.writing() as session:
            save_roles(session, project.id, item_id, [], name)
        return
    keep_clustered(store, project.id, {item_id: named}, name=name, encoder=encoder)


def save_static_roles(
    store: Store, slug: str, roles: Sequence[StoredRole], *, name: str = DEFAULT_PANEL
) -> None:
    """Store a panel's static roles; none brings the shipped ones back. Clusters of all roles follow.

    Raises:
        InvalidInput: a role's name cannot be one, or a run was shown the panel.
    """
    named = [replace(_checked(row), kind="static", edited=True) for row in roles]
    with store.writing() as session:
        project = find_project(session, slug)
        refuse_shown(session, project.id, name)
        save_roles(session, project.id, None, named, name)
    with store.reading() as session:
        ids = [row.item_id for row in source_texts(session, project.id)]
        by_item = item_roles(session, project.id, ids, name)
    if by_item:
        encoder = next((row.by for roles in by_item.values() for row in roles if row.by), "")
        keep_clustered(store, project.id, by_item, name=name, encoder=encoder)


def copy_panel(store: Store, slug: str, name: str, *, to: str) -> None:
    """Store a panel under another name too, to be changed there.

    Raises:
        UserError: no such panel, or the name is taken or empty.
    """
    to = panel_name(to)
    with store.writing() as session:
        project = find_project(session, slug)
        by_name = {panel.name: panel for panel in panels.panels(session, project.id)}
        _refuse_unknown(name, by_name)
        if to in by_name:
            raise InvalidInput(
                sentence("a panel named '{name}' already exists; choose another name for the copy.", name=to)
            )
        panels.copy_panel(session, project.id, name, to=to)
        if not (by_name[name].static or by_name[name].items):
            # Nothing was stored that a copy could hold: the shipped roles begin it.
            save_roles(session, project.id, None, shipped_roles(), to)


def delete_panel(store: Store, slug: str, name: str) -> None:
    """Delete a panel; raises `UserError` where there is none of the name, or a run was shown it."""
    with store.writing() as session:
        project = find_project(session, slug)
        _refuse_unknown(name, {panel.name: panel for panel in panels.panels(session, project.id)})
        refuse_shown(session, project.id, name)
        panels.delete_panel(session, project.id, name)


def _refuse_unknown(name: str, by_name: dict[str, Panel]) -> None:
    if name not in by_name:
        raise NotFound(mark("panel"), name, by_name)


def _checked(role: StoredRole) -> StoredRole:
    kind, description = " ".join(role.type.split()), " ".join(role.description.split())
    if not kind or len(kind) > LONGEST_TYPE or ":" in kind:
        raise InvalidInput(
            sentence(
                "'{name}' can't be used as a role name; write up to {most} characters without a colon.",
                name=kind,
                most=LONGEST_TYPE,
            )
        )
    return replace(role, type=kind, description=description)
