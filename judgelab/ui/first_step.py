"""Where an empty page leads: to its own next step, or to the data that every step needs first."""

from __future__ import annotations

from typing import TypedDict

from judgelab.store.projects import ProjectInfo
from judgelab.ui import loaders


class Step(TypedDict):
    """A page and the label of the button that leads there."""

    page: str
    label: str


def towards(project: ProjectInfo, page: str, *, label: str) -> Step:
    """Return `page` with its label, or the page of data while the project holds no response."""
    if loaders.responses(project.slug, loaders.data_version(project.slug)).empty:
        return {"page": "pages/researcher/data.py", "label": "Bring data"}
    return {"page": page, "label": label}
