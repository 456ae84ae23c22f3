"""Panels of roles (Wu et al. 2023, section 3.1): readers of each article, thinned out by clusters.

The *coarse* prompt asks which kinds of people read such a text, the *fine* one whom its readers are by how
much they know of what it tells. Both answer in lines "Type: description". The encoder turns each role into a
vector, and of every cluster the role nearest its centre is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from judgelab.errors import InvalidInput
from judgelab.metrics.encoder import current_encoder, embed
from judgelab.preparation.generation.generate import OnProgress, WriterModel, generate_all
from judgelab.preparation.generation.items import items_of
from judgelab.preparation.generation.report import GenerationReport
from judgelab.preparation.panels.clusters import nearest_to_centres
from judgelab.preparation.panels.role_prompts import WAYS, read_roles, role_requests
from judgelab.protocols.panel.options import SIZES
from judgelab.protocols.panel.prompts import STATIC_ROLES
from judgelab.store.db.engine import Session, Store
from judgelab.store.prepared.panels import (
    DEFAULT_PANEL,
    StoredRole,
    item_roles,
    runs_with,
    save_roles,
    static_roles,
)
from judgelab.store.prepared.source_texts import SourceText
from judgelab.wording import counted, sentence

PURPOSE = "roles"


@dataclass(frozen=True)
class RolesReport:
    """The result of generating roles: items that now have roles, the roles, and the clustering encoder."""

    items: int
    roles: int
    encoder: str
    problems: Mapping[str, str]
    generation: GenerationReport | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the report as `prepare --json` prints it."""
        generated = self.generation
        return {
            "items": self.items,
            "roles": self.roles,
            "encoder": self.encoder,
            "problems": dict(self.problems),
            **(generated.to_json() if generated else {"calls": 0, "cost": 0.0, "stopped": "", "unasked": 0}),
        }


def make_roles(
    store: Store,
    slug: str,
    writer: WriterModel,
    *,
    name: str = DEFAULT_PANEL,
    encoder: str = "",
    anew: bool = False,
    progress: OnProgress | None = None,
) -> RolesReport:
    """Generate, cluster and store the roles of every item without any in a panel.

    Args:
        store: the database.
        slug: the project.
        writer: who makes them.
        name: what judges call the panel by.
        encoder: what the clusters see; empty for the one in effect.
        anew: make them for items that have some too; what a person changed there is lost.
        progress: is told how many calls of how many are done.

    Raises:
        UserError: no such project, endpoint, model or encoder; the project has no item; or roles would be
            replaced that a run was shown.
    """
    name = panel_name(name)
    with store.reading() as session:
        project, texts = items_of(session, slug)
    with store.reading() as session:
        stored = item_roles(session, project.id, [item.item_id for item in texts], name)
        if anew and stored:
            refuse_shown(session, project.id, name)
    open_items = [item for item in texts if anew or item.item_id not in stored]
    generated = generate_all(
        store, project.id, PURPOSE, writer, role_requests(open_items, project.task), progress=progress
    )
    problems: dict[str, str] = dict(generated.failed)
    by_item: dict[int, list[StoredRole]] = {}
    for item in open_items:
        roles = _of_replies(item, generated, writer, problems)
        if roles:
            by_item[item.item_id] = roles
    keep_clustered(store, project.id, by_item, name=name, encoder=encoder)
    return RolesReport(
        len(by_item), sum(map(len, by_item.values())), encoder or current_encoder(), problems, generated
    )


def _of_replies(
    text: SourceText, generated: GenerationReport, writer: WriterModel, problems: dict[str, str]
) -> list[StoredRole]:
    """Return an item's roles of both prompts; with one of the two missing there are none, or k would lie."""
    roles_found: list[StoredRole] = []
    for way in WAYS:
        key = f"{text.name} {way}"
        reply = generated.texts.get(key)
        if reply is None:  # its call failed, or was not made
            return []
        roles = read_roles(reply.text)
        if not roles:
            problems[key] = sentence("no line of the reply has the form 'name: description'")
            return []
        roles_found += [StoredRole(kind, rest, way, writer.model) for kind, rest in roles]
    return roles_found


def cluster_roles(store: Store, slug: str, *, name: str = DEFAULT_PANEL, encoder: str = "") -> RolesReport:
    """Cluster a panel's roles anew, with another encoder; raises `UserError` where a run was shown them."""
    name = panel_name(name)
    with store.reading() as session:
        project, texts = items_of(session, slug)
    with store.reading() as session:
        refuse_shown(session, project.id, name)
        by_item = item_roles(session, project.id, [item.item_id for item in texts], name)
    keep_clustered(store, project.id, by_item, name=name, encoder=encoder)
    roles = sum(len(own_roles(roles)) for roles in by_item.values())
    return RolesReport(len(by_item), roles, encoder or current_encoder(), {})


def own_roles(roles: Sequence[StoredRole]) -> list[StoredRole]:
    """Return those that were made for the item, without the static ones that were clustered with them."""
    return [role for role in roles if role.kind != "static"]


def panel_name(given: str) -> str:
    """Return a panel's name without the blanks around it; raises `InvalidInput` for an empty one."""
    if not given.strip():
        raise InvalidInput(sentence("a panel needs a name; judges refer to it by this name."))
    return given.strip()


def refuse_shown(session: Session, project_id: int, name: str) -> None:
    """Raise `InvalidInput` where a run was shown the panel: what it saw must not change behind it."""
    runs = runs_with(session, project_id, name)
    if runs:
        raise InvalidInput(
            counted(
                "{n} run used the roles of panel '{name}', so they can't be changed; copy the panel under "
                "another name to make changes.",
                "{n} runs used the roles of panel '{name}', so they can't be changed; copy the panel "
                "under another name to make changes.",
                runs,
                name=name,
            )
        )


def shipped_roles() -> list[StoredRole]:
    """Return the static roles that come with JudgeLab."""
    return [StoredRole(role.type, role.description, "static", "shipped") for role in STATIC_ROLES]


def kept_sizes(
    static: Sequence[StoredRole], roles: Sequence[StoredRole], likeness: Any
) -> tuple[list[list[str]], list[list[str]]]:
    """Return for each static role and each role of an item the sizes for which it is kept.

    Args:
        static: the static roles.
        roles: the item's own.
        likeness: cosines of all of them, static ones first, shape (n, n).
    """
    fixed = len(static)
    sizes_of: list[list[str]] = [[] for _ in range(fixed + len(roles))]
    for size in SIZES:
        if not size:
            continue
        for place in nearest_to_centres(likeness[fixed:, fixed:], size):
            sizes_of[fixed + place].append(f"dynamic:{size}")
        for place in nearest_to_centres(likeness, size):
            sizes_of[place].append(f"all:{size}")
    return sizes_of[:fixed], sizes_of[fixed:]


def keep_clustered(
    store: Store, project_id: int, by_item: Mapping[int, Sequence[StoredRole]], *, name: str, encoder: str
) -> None:
    """Store a panel's roles of some items, with the sizes for which clusters of them keep each.

    Raises:
        InvalidInput: a run was shown roles that would be replaced.
    """
    if not by_item:
        return
    by_item = {item_id: own_roles(roles) for item_id, roles in by_item.items()}
    with store.reading() as session:
        static = static_roles(session, project_id, name) or shipped_roles()
    flat = [role.text for role in static] + [role.text for roles in by_item.values() for role in roles]
    embedded = embed(flat, encoder)
    start, clustered = len(static), {}
    for item_id, roles in by_item.items():
        places = [*range(len(static)), *range(start, start + len(roles))]
        start += len(roles)
        of_static, of_items = kept_sizes(static, roles, embedded.table(places, places))
        clustered[item_id] = [
            replace(role, by=embedded.encoder, kept=tuple(sizes))
            for role, sizes in zip((*roles, *static), (*of_items, *of_static), strict=True)
        ]
    with store.writing() as session:
        if item_roles(session, project_id, list(clustered), name):
            refuse_shown(session, project_id, name)
        for item_id, stored in clustered.items():
            save_roles(session, project_id, item_id, stored, name)
