"""The five-minute tour of a demo project, in four steps."""

import streamlit as st

from judgelab.languages import _
from judgelab.runs import guided
from judgelab.ui.kit import text, widgets
from judgelab.ui.project import guided_steps, guided_story
from judgelab.ui.session import gate
from judgelab.ui.shared import first_step

person = gate.enter("guest")
project = gate.the_project()
if not guided.has_guided_path(project):
    widgets.header(_("The five-minute tour"))  # without the name of a project that has none
    tour = guided_steps.project_with_tour()
    if tour is not None:
        guided_steps.draw_way_to_tour(project, tour)
        st.stop()
    widgets.empty(
        _("This project has no tour; the one with product questions, which `judgelab demo` loads, has one."),
        **first_step.step_to(project, "pages/researcher/projects.py", label=_("Open the project")),
    )
    st.stop()
widgets.header(_("The five-minute tour"), text.plain(project.name))
widgets.answer(
    _("Can an LLM judge replace human raters? Find out in four steps, starting with your own ratings.")
)
guided_story.draw_guided_story(project, person)
