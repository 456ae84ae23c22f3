"""The items that a preparation works on."""

from __future__ import annotations

from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Session
from judgelab.store.prepared.source_texts import SourceText, source_texts
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project
from judgelab.wording import sentence


def items_of(session: Session, slug: str) -> tuple[ProjectInfo, list[SourceText]]:
    """Return a project with its items, in the order they were imported.

    Raises:
        NotFound: no such project.
        InvalidInput: the project holds no item.
    """
    project = find_project(session, slug)
    items = source_texts(session, project.id)
    if not items:
        raise InvalidInput(
            sentence("project '{project}' has no items yet; import some first.", project=project.slug)
        )
    return project, items
