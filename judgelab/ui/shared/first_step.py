"""The next step that an empty page offers: its own, or importing the data that every step needs."""

from __future__ import annotations

from typing import TypedDict

from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.session import gate, navigation


class FirstStep(TypedDict, total=False):
    """A page and the label of the button that leads there; empty if the visitor may not open it."""

    page: str
    label: str


def step_to(project: ProjectInfo, page: str, *, label: str) -> FirstStep:
    """Return `page` with its label, or the data page while the project has no responses.

    A project with comparisons but no scores leads to *Agreement*, which shows them.
    """
    version, agreement = loaders.data_version(project.slug), navigation.AGREE[0]
    if loaders.responses(project.slug, version).empty:
        page, label = "pages/researcher/data.py", _("Import data")
    elif page != agreement and loaders.compared_criteria(project.slug, version):
        page, label = agreement, _("See the comparisons")
    person = gate.visitor()
    if person is None or not navigation.may_open(page, person, project):
        return {}
    return {"page": page, "label": label}


def step_to_comparison(project: ProjectInfo, *, rated: bool) -> FirstStep:
    """Return the step that makes a comparison possible: running a judge, or rating first."""
    if rated:
        return step_to(project, "pages/researcher/judges.py", label=_("Run a judge"))
    return step_to(project, "pages/annotator/rate.py", label=_("Rate responses"))
