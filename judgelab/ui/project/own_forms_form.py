"""Form fields for the questions that a project asks its raters before and after their work."""

from __future__ import annotations

from typing import Any

import streamlit as st

from judgelab.annotation.links import own_forms
from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import failures, widgets
from judgelab.ui.shared.form_questions import ENTRY_EXAMPLE, EXIT_EXAMPLE, draw_form_questions
from judgelab.wording import mark

LABELS = {
    own_forms.ENTRY: mark("Before the first rating, one question per line"),
    own_forms.EXIT: mark("After the last rating, one question per line"),
}
EXAMPLES = {own_forms.ENTRY: ENTRY_EXAMPLE, own_forms.EXIT: EXIT_EXAMPLE}


def draw_own_forms(project: ProjectInfo, problems: list[UserError]) -> dict[str, Any]:
    """Draw the fields and return the valid forms by the name of the setting; errors go into `problems`."""
    widgets.heading(_("Questions about raters"), _("asked once, before and after the work"))
    when = _("A recruitment link with a form of its own asks that instead.")
    forms = {}
    for column, (name, label) in zip(st.columns(2), LABELS.items(), strict=True):
        with column, failures.collected(problems):
            lines = draw_form_questions(
                column,
                _(label),
                own_forms.project_form(project.settings, name),
                key=f"settings_{project.slug}_{name}",
                when=when,
                example=EXAMPLES[name],
            )
            forms[name] = own_forms.read_form(lines)
    return forms
