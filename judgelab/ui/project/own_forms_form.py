"""Form fields for the questions that a project asks its raters before and after their work."""

from __future__ import annotations

from typing import Any

import streamlit as st

from judgelab.annotation.links import own_forms
from judgelab.languages import _
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.kit import widgets
from judgelab.ui.shared.form_questions import draw_form_questions
from judgelab.wording import mark

LABELS = {
    own_forms.ENTRY: mark("Before the first rating, one question per line"),
    own_forms.EXIT: mark("After the last rating, one question per line"),
}


def draw_own_forms(project: ProjectInfo) -> dict[str, Any]:
    """Draw the fields and return the forms by the name of the setting.

    Raises:
        InvalidInput: a question is not valid.
    """
    widgets.heading(_("Questions about raters"), _("asked once, before and after the work"))
    when = _("A recruitment link with a form of its own asks that instead.")
    columns = st.columns(2)
    return {
        name: own_forms.read_form(
            draw_form_questions(
                column,
                _(label),
                own_forms.project_form(project.settings, name),
                key=f"settings_{project.slug}_{name}",
                when=when,
            )
        )
        for column, (name, label) in zip(columns, LABELS.items(), strict=True)
    }
