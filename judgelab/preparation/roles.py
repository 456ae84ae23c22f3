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
from judgelab.metrics.encoder import chosen, embed
from judgelab.preparation.asking import Asked, Progress, Writer, ask_all
from judgelab.preparation.clusters import nearest_to_centres
from judgelab.preparation.role_prompts import WAYS, read_roles, role_requests
from judgelab.protocols import protocols
from judgelab.protocols.panel_options import SIZES
from judgelab.protocols.panel_prompts import STATIC_ROLES
from judgelab.store.engine import Session, Store
from judgelab.store.panels import StoredRole, item_roles, judging_with, keep_roles, static_roles
from judgelab.store.projects import ProjectInfo, find_project
from judgelab.store.source_texts import SourceText, source_texts
from judgelab.wording import sentence

PURPOSE = "roles"
LONGEST_TYPE = 80


@dataclass(frozen=True)
class RolesReport:
    """What came of making roles: items with and without, roles, and what clusters them."""

    items: int
    roles: int
    encoder: str
    problems: Mapping[str, str]
    asked: Asked | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the report as `prepare --json` prints it."""
        asked = self.asked
        return {
            "items": self.items,
            "roles": self.roles,
            "encoder": self.encoder,
            "problems": dict(self.problems),
            "calls": asked.calls if asked else 0,
            "cost": asked.cost if asked else 0.0,
        }


def make_roles(
    store: Store,
    slug: str,
    writer: Writer,
    *,
    encoder: str = "",
    anew: bool = False,
    progress: Progress | None = None,
) -> RolesReport:
    """Let a model make the roles of every item that has none, cluster them, and store all.

    Args:
        store: the database.
        slug: the project.
        writer: who makes them.
        encoder: what the clusters see; empty for the one in effect.
        anew: make them for items that have some too; what a person changed there is lost.
        progress: is told how many calls of how many are done.

    Raises:
        UserError: no such project, endpoint, model or encoder; the project has no item.
    """
    project, texts = _items(store, slug)
    with store.reading() as session:
        known = item_roles(session, project.id, [one.item_id for one in texts])
    wanted = [one for one in texts if anew or one.item_id not in known]
    asked = ask_all(
        store, project.id, PURPOSE, writer, role_requests(wanted, project.task), progress=progress
    )
    problems: dict[str, str] = dict(asked.failed)
    made: dict[int, list[StoredRole]] = {}
    for one in wanted:
        roles = _of_replies(one, asked, writer, problems)
        if roles:
            made[one.item_id] = roles
    _keep(store, project.id, made, encoder=encoder)
    return RolesReport(len(made), sum(map(len, made.values())), encoder or chosen(), problems, asked)


def _of_replies(text: SourceText, asked: Asked, writer: Writer, problems: dict[str, str]) -> list[StoredRole]:
    """Return an item's roles of both prompts; with one of the two missing there are none, or k would lie."""
    found: list[StoredRole] = []
    for way in WAYS:
        key = f"{text.name} {way}"
        reply = asked.texts.get(key)
        roles = read_roles(reply.text) if reply else []
        if not roles:
            problems.setdefault(key, sentence("no line of the reply reads 'name: description'"))
            return []
        found += [StoredRole(kind, rest, way, writer.model) for kind, rest in roles]
    return found


def cluster_roles(store: Store, slug: str, *, encoder: str = "") -> RolesReport:
    """Cluster the roles that are stored anew: after they were edited, or with another encoder."""
    project, texts = _items(store, slug)
    with store.reading() as session:
        known = item_roles(session, project.id, [one.item_id for one in texts])
    _keep(store, project.id, known, encoder=encoder)
    roles = sum(len(own_roles(roles)) for roles in known.values())
    return RolesReport(len(known), roles, encoder or chosen(), {})


def save_item_roles(store: Store, slug: str, item_id: int, roles: Sequence[StoredRole]) -> None:
    """Store an item's roles as a person changed them, clustered by the encoder that was used before.

    Raises:
        InvalidInput: a role's name cannot be one, or a run that seats these roles is under way.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        _refuse_meanwhile(session, project.id)
        before = item_roles(session, project.id, [item_id]).get(item_id, [])
    encoder = next((one.by for one in before if one.by), "")
    named = [_checked(one) for one in roles]
    if not named:
        with store.writing() as session:
            keep_roles(session, project.id, item_id, [])
        return
    _keep(store, project.id, {item_id: named}, encoder=encoder)


def save_static_roles(store: Store, slug: str, roles: Sequence[StoredRole]) -> None:
    """Store the project's static roles; none brings the shipped ones back. Clusters of all roles follow.

    Raises:
        InvalidInput: a role's name cannot be one, or a run that seats these roles is under way.
    """
    named = [replace(_checked(one), kind="static", edited=True) for one in roles]
    with store.writing() as session:
        project = find_project(session, slug)
        _refuse_meanwhile(session, project.id)
        keep_roles(session, project.id, None, named)
    with store.reading() as session:
        ids = [one.item_id for one in source_texts(session, project.id)]
        known = item_roles(session, project.id, ids)
    if known:
        encoder = next((one.by for roles in known.values() for one in roles if one.by), "")
        _keep(store, project.id, known, encoder=encoder)


def panel_static(store: Store, slug: str) -> tuple[list[StoredRole], bool]:
    """Return the static roles in use, and whether they are the project's own."""
    with store.reading() as session:
        own = static_roles(session, find_project(session, slug).id)
    return own or shipped(), bool(own)


def own_roles(roles: Sequence[StoredRole]) -> list[StoredRole]:
    """Return those that were made for the item, without the static ones that were clustered with them."""
    return [one for one in roles if one.kind != "static"]


def shipped() -> list[StoredRole]:
    """Return the static roles that come with JudgeLab."""
    return [StoredRole(one.type, one.description, "static", "shipped") for one in STATIC_ROLES]


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
    kept: list[list[str]] = [[] for _ in range(fixed + len(roles))]
    for size in SIZES:
        if not size:
            continue
        for place in nearest_to_centres(likeness[fixed:, fixed:], size):
            kept[fixed + place].append(f"dynamic:{size}")
        for place in nearest_to_centres(likeness, size):
            kept[place].append(f"all:{size}")
    return kept[:fixed], kept[fixed:]


def _keep(store: Store, project_id: int, made: Mapping[int, Sequence[StoredRole]], *, encoder: str) -> None:
    if not made:
        return
    made = {item_id: own_roles(roles) for item_id, roles in made.items()}
    with store.reading() as session:
        static = static_roles(session, project_id) or shipped()
    flat = [one.text for one in static] + [one.text for roles in made.values() for one in roles]
    found = embed(flat, encoder)
    start, clustered = len(static), {}
    for item_id, roles in made.items():
        places = [*range(len(static)), *range(start, start + len(roles))]
        start += len(roles)
        of_static, own = kept_sizes(static, roles, found.table(places, places))
        clustered[item_id] = [
            replace(one, by=found.encoder, kept=tuple(sizes))
            for one, sizes in zip((*roles, *static), (*own, *of_static), strict=True)
        ]
    with store.writing() as session:
        for item_id, kept in clustered.items():
            keep_roles(session, project_id, item_id, kept)


def _checked(role: StoredRole) -> StoredRole:
    kind, description = " ".join(role.type.split()), " ".join(role.description.split())
    if not kind or len(kind) > LONGEST_TYPE or ":" in kind:
        raise InvalidInput(
            sentence(
                "'{name}' cannot be a role's name; write up to {most} characters without a colon.",
                name=kind,
                most=LONGEST_TYPE,
            )
        )
    return replace(role, type=kind, description=description)


def _refuse_meanwhile(session: Session, project_id: int) -> None:
    needing = [name for name, one in protocols.items() if "roles" in one.needs]
    if judging_with(session, project_id, needing):
        raise InvalidInput(
            sentence("a run with these roles is under way; wait until it is over, or cancel it first.")
        )


def _items(store: Store, slug: str) -> tuple[ProjectInfo, list[SourceText]]:
    with store.reading() as session:
        project = find_project(session, slug)
        texts = source_texts(session, project.id)
    if not texts:
        raise InvalidInput(
            sentence("project '{project}' holds no item yet; import some first.", project=project.slug)
        )
    return project, texts


__all__ = [
    "PURPOSE",
    "RolesReport",
    "cluster_roles",
    "kept_sizes",
    "make_roles",
    "own_roles",
    "panel_static",
    "read_roles",
    "role_requests",
    "save_item_roles",
    "save_static_roles",
    "shipped",
]
