"""What the report's figures are: the level and the coefficients, as the person wants them printed."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from judgelab.languages import _
from judgelab.reporting.facts import ReportRecipe
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.agree import controls
from judgelab.ui.cache import loaders
from judgelab.ui.kit import text, widgets


class ReportRequest(NamedTuple):
    """The level and coefficients asked for; the first coefficient is the one that figures are drawn of."""

    level: str
    coefficients: tuple[str, ...]


def draw_report_choices(project: ProjectInfo, version: str, usual: ReportRecipe) -> ReportRequest:
    """Draw both choices, at first as a report usually has them; with none chosen it has its usual ones."""
    shape = loaders.project_shape(project.slug, version)
    possible = {
        "none": True,
        "item": shape.per_item > 1,
        "system": shape.systems > 1,
        "system_paired": shape.systems > 1,
    }
    possible |= {"sys": shape.systems > 1, "group": shape.groups > 0}
    levels = [level for level in text.LEVELS if possible[level] or level == usual.level]
    coefficients = dict.fromkeys(
        [*usual.coefficients, *controls.MAIN_COEFFICIENTS, *controls.OTHER_COEFFICIENTS]
    )
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        level = st.selectbox(
            _("Level"),
            levels,
            index=levels.index(usual.level),
            format_func=text.level,
            key="report_level",
            width=180,
        )
        chosen = widgets.choose_several(
            _("Coefficients"),
            list(coefficients),
            default=list(usual.coefficients),
            format_func=text.coefficient,
            key="report_coefficients",
            width=560,
            help=_(
                "Figures use the first one. The page, the report files and their commands show the same "
                "numbers."
            ),
        )
    return ReportRequest(level, tuple(chosen) or usual.coefficients)
