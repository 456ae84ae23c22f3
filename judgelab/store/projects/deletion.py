"""Delete a project with everything that only it used."""

from __future__ import annotations

from sqlalchemy import delete
from sqlalchemy.orm import Session

from judgelab.store.judging import prompts
from judgelab.store.models import Project
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.embeddings import delete_vectors


def delete_project(session: Session, slug: str) -> None:
    """Delete a project with everything in it, and the vectors and prompts that only it used.

    Raises:
        NotFound: there is no such project.
    """
    project_id = find_project(session, slug).id
    session.get(Project, project_id, with_for_update=True)
    delete_vectors(session, project_id)
    hashes = prompts.prompt_hashes_of(session, project_id)
    session.execute(delete(Project).where(Project.id == project_id))
    prompts.remove_unused(session, hashes)
