"""Whether a project uses a published study's questions, and the notice about that."""

from __future__ import annotations

from judgelab.languages import _
from judgelab.protocols import Protocol
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.studies import studies
from judgelab.ui.kit import text


def uses(project: ProjectInfo, protocol: Protocol) -> bool:
    """Return whether the project was made from a study that used this protocol."""
    return project.study in studies.names() and studies.get(project.study).uses(protocol.name)


def notice(project: ProjectInfo) -> str:
    """Return the notice that the criteria are a study's; empty if they are the project's own."""
    if project.study not in studies.names():
        return ""
    study = studies.get(project.study)
    reworded = study.worded(project.criteria)
    if not reworded:
        return ""
    return _(
        "{criteria}: the questions of this project's study, in JudgeLab's own wording. If your project is "
        "about something else, change them under Project, Settings.",
        criteria=text.plain(text.quoted_names([criterion.label for criterion in reworded])),
    )
