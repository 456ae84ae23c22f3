"""Panels of roles: the static ones of the project, and those made for each item that clustering keeps."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from judgelab.domain import PanelRole
from judgelab.runs.plan.protocol_needs import NeedSource, sources
from judgelab.store.db.engine import Session
from judgelab.store.prepared.panels import (
    DEFAULT_PANEL,
    StoredRole,
    count_without_reference,
    item_roles,
    panels,
    static_roles,
)
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import counted, joined, sentence


class Roles(NeedSource):
    """What `judgelab prepare PROJECT roles` made, as the options `k` and `clustering` choose of it."""

    def load(
        self, session: Session, project_id: int, options: Mapping[str, Any], item_ids: Collection[int]
    ) -> Mapping[int, Sequence[PanelRole]]:
        """Return the panel of each item; shipped static roles are the protocol's own and not in it."""
        name = _named(options)
        static = static_roles(session, project_id, name)
        prepared = item_roles(session, project_id, item_ids, name) if _wants_made(options) else {}
        by_item = {item_id: _panel(static, prepared.get(item_id, ()), options) for item_id in item_ids}
        return {item_id: [role.on_panel() for role in roles] for item_id, roles in by_item.items() if roles}

    def refusal(
        self,
        session: Session,
        project: ProjectInfo,
        options: Mapping[str, Any],
        responses: Mapping[int, Sequence[int]],
    ) -> str | None:
        """Return the refusal if no such panel exists, or items lack roles of their own or a reference."""
        name, panel_names = _named(options), [panel.name for panel in panels(session, project.id)]
        if name not in panel_names:
            return sentence(
                "there is no panel named '{name}'; choose from: {known}.",
                name=name,
                known=", ".join(panel_names),
            )
        problems = []
        bare = count_without_reference(session, responses)
        if bare:
            problems.append(
                counted(
                    "{n} item has no reference to compare with; import one, or generate it with `judgelab "
                    "prepare {project} references --option kind=generated`",
                    "{n} items have no reference to compare with; import some, or generate them with "
                    "`judgelab prepare {project} references --option kind=generated`",
                    bare,
                    project=project.slug,
                )
            )
        if _wants_made(options):
            missing = len(set(responses) - set(item_roles(session, project.id, responses, name)))
            if missing:
                problems.append(
                    counted(
                        "{n} item has no roles of its own; generate them on *Preparation* or with "
                        "`judgelab prepare {project} roles`, or choose k=0",
                        "{n} items have no roles of their own; generate them on *Preparation* or with "
                        "`judgelab prepare {project} roles`, or choose k=0",
                        missing,
                        project=project.slug,
                    )
                )
        return joined([joined(problems, "; "), "."], "") if problems else None


def _named(options: Mapping[str, Any]) -> str:
    return str(options.get("roles", DEFAULT_PANEL))


def _wants_made(options: Mapping[str, Any]) -> bool:
    return bool(options.get("panel", True) and options.get("k", 4))


def _panel(
    static: Sequence[StoredRole], prepared: Sequence[StoredRole], options: Mapping[str, Any]
) -> list[StoredRole]:
    clustering = options.get("clustering", "dynamic")
    if clustering == "no":
        return [*static, *(role for role in prepared if role.kind != "static")]
    size = f"{clustering}:{options.get('k', 4)}"
    of_size = [role for role in prepared if size in role.kept]
    if clustering == "all":
        return sorted(of_size, key=lambda role: role.kind != "static")
    return [*static, *of_size]


sources.register("roles")(Roles())
