"""Creating a project and changing its settings; imported judgments are read again on a changed scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import Criterion
from judgelab.imports.widening import reread_imports
from judgelab.store.db import audit
from judgelab.store.db.engine import Store
from judgelab.store.projects import projects
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating.criteria import update_criterion


def create_project(
    store: Store,
    *,
    name: str,
    study: str,
    task: str,
    criteria: Sequence[Criterion],
    settings: Mapping[str, Any],
    guidelines: str,
    person_id: int,
) -> ProjectInfo:
    """Create a project in a person's name and return it; raises what `projects.create_project` does."""
    with store.writing() as session:
        project = projects.create_project(
            session,
            name=name,
            study=study,
            task=task,
            criteria=criteria,
            settings=settings,
            guidelines=guidelines,
        )
        audit.record(session, "created_project", project_id=project.id, person_id=person_id)
        return project


def change_settings(
    store: Store,
    project_id: int,
    *,
    settings: Mapping[str, Any],
    guidelines: str,
    criteria: Sequence[Criterion],
    person_id: int,
) -> None:
    """Store the settings, guidelines and criteria of a project in a person's name.

    Imported judgments that hold no score are read again.
    """
    with store.writing() as session:
        projects.update_project(session, project_id, settings=settings, guidelines=guidelines)
        for criterion in criteria:
            update_criterion(session, project_id, criterion)
            reread_imports(session, project_id, criterion)
        audit.record(session, "changed_settings", project_id=project_id, person_id=person_id)
