"""The field that limits how many responses, or other units, one rater rates."""

from __future__ import annotations

from streamlit.delta_generator import DeltaGenerator

from judgelab.annotation.rating.settings import assignment_policy
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text
from judgelab.wording import mark

LABELS = {"pointwise": mark("Maximum responses per rater"), "pairwise": mark("Maximum pairs per rater")}
OF_ITEMS = mark("Maximum items per rater")  # where raters see all responses to an item at once


def limit_label(project: ProjectInfo) -> str:
    """Return the label of a field that limits how much one rater rates."""
    return _(LABELS.get(str(project.settings.get("form", "pointwise")), OF_ITEMS))


def draw_limit_field(
    place: DeltaGenerator, project: ProjectInfo, value: int | None, *, key: str
) -> int | None:
    """Draw the field and return its value; empty is None, for the limit in the project's settings."""
    of_project = assignment_policy(project.settings).max_units
    unset = _("no limit") if of_project is None else _("as in Settings: {n}", n=text.count(of_project))
    return place.number_input(
        limit_label(project),
        1,
        value=value,
        key=key,
        placeholder=unset,
        help=_("Checks and repeats count; training does not. Leave it empty to use the project's setting."),
    )
