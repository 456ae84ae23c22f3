"""The editor of preparation prompts: a project's own texts of their parts, and the resulting prompt."""

from __future__ import annotations

import streamlit as st

from judgelab.errors import UserError
from judgelab.languages import _
from judgelab.preparation.generation.prompts import prompts
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.judge import template_form
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.session import gate


def draw_prompt_editor(project: ProjectInfo) -> None:
    """Draw the choice of a prompt, with its parts on the left and the first item's prompt on the right."""
    name = st.selectbox(
        _("Prompt"),
        prompts.names(),
        key="prompts_which",
        format_func=lambda prompt_name: f"{_(prompts.get(prompt_name).title)} ({prompt_name})",
        width=420,
    )
    subject = prompts.get(str(name))
    left, right = st.columns([56, 40], gap="large")
    with left:
        widgets.heading(_("Own texts"), _("leave empty for JudgeLab's text"))
        own_texts = template_form.draw_template_form(project, subject)
    with right:
        widgets.heading(_("Preview as sent"), _("for the first item"))
        try:
            preview = subject.preview(gate.store(), project.slug, own_texts)
        except UserError as error:
            failures.show(error)
            return
        if preview.forgotten:
            warning = _(
                "Your text does not mention {signs}, which the parser looks for.",
                signs=text.listing(list(preview.forgotten)),
            )
            st.warning(text.plain(warning))
        for message in preview.calls[0].messages:
            st.caption(message.role)
            st.code(message.content, language=None, wrap_lines=True)
