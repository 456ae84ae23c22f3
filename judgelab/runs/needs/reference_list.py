"""Lists of references: those that were made for the project under the judge's `list` and `draw`."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from judgelab.domain import Reference
from judgelab.runs.plan.protocol_needs import NeedSource, sources
from judgelab.store.db.engine import Session
from judgelab.store.prepared.rated_examples import same_text_responses
from judgelab.store.prepared.reference_lists import list_sets, lists_of, response_ids_in_set
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.wording import sentence


class ReferenceLists(NeedSource):
    """What `judgelab prepare PROJECT references` made; its members are never judged with it."""

    def load(
        self, session: Session, project_id: int, options: Mapping[str, Any], item_ids: Collection[int]
    ) -> Mapping[int, Sequence[Reference]]:
        """Return the list of each item, best first."""
        lists = lists_of(session, project_id, *_named(options), item_ids)
        return {
            item_id: [entry.shown() for entry in item_list.entries]
            for item_id, item_list in lists.items()
            if item_list.entries
        }

    def refusal(
        self,
        session: Session,
        project: ProjectInfo,
        options: Mapping[str, Any],
        responses: Mapping[int, Sequence[int]],
    ) -> str | None:
        """Return the refusal if no such list exists; single items without one fail with their own reason."""
        name, draw = _named(options)
        if any(item_list.entries for item_list in lists_of(session, project.id, name, draw).values()):
            return None
        available = [
            f"{item_list.name}, draw {item_list.draw}" for item_list in list_sets(session, project.id)
        ]
        if available:
            return sentence(
                "there are no reference lists named '{name}', draw {draw}; choose from: {known}.",
                name=name,
                draw=str(draw),
                known="; ".join(available[:12]),
            )
        return sentence(
            "this project has no reference lists yet; create them on *Preparation* or with `judgelab "
            "prepare {project} references`.",
            project=project.slug,
        )

    def reserved(self, session: Session, project_id: int, options: Mapping[str, Any]) -> Collection[int]:
        """Return the members of the lists, and responses with the same text to the same question."""
        return same_text_responses(
            session, project_id, response_ids_in_set(session, project_id, *_named(options))
        )


def _named(options: Mapping[str, Any]) -> tuple[str, int]:
    return str(options["list"]), int(options["draw"])


sources.register("reference_list")(ReferenceLists())
