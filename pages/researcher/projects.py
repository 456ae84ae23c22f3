"""The current project (its seven steps, results and activity), or the list of all projects."""

import streamlit as st

from judgelab.analysis.project_steps import list_steps
from judgelab.languages import _
from judgelab.studies import studies
from judgelab.studies.tables import published_tables
from judgelab.ui.kit import help_link, study_words, text, widgets
from judgelab.ui.project import activity, form, live_study_view, progress, project_table
from judgelab.ui.project import steps as step_rows
from judgelab.ui.session import gate

person = gate.enter("researcher")
project = gate.project(needed=False)
view = st.session_state.get("projects_view", "home" if project else "list")

if view == "new":
    widgets.header(_("New project"), guide=help_link.PROJECT)
    if st.button(_("All projects"), key="projects_back", icon=":material/arrow_back:", type="tertiary"):
        project_table.show_view("list")
    form.draw_new_project()
    st.stop()

if view == "list" or project is None:
    project_table.draw_project_table()
    st.stop()

if view == "settings":
    widgets.header(_("Settings"), text.plain(project.name), guide=help_link.PROJECT)
    if st.button(
        _("Back to the project"), key="projects_home", icon=":material/arrow_back:", type="tertiary"
    ):
        project_table.show_view("home")
    if form.draw_settings(project):
        project_table.show_view("home")
    st.stop()

with st.container(gap="xsmall"):
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.title(text.plain(project.name), anchor=False, width="content")
        st.space("stretch")
        if st.button(_("Settings"), key="projects_settings", icon=":material/tune:"):
            project_table.show_view("settings")
        if st.button(_("All projects"), key="projects_all", icon=":material/folder_open:"):
            project_table.show_view("list")
    st.caption(project_table.project_description(project))
    if notice := study_words.notice(project):
        st.caption(f":material/edit_note: {notice}")
    widgets.demo_notice(project)

left, right = st.columns([2, 1], gap="large")
with left:
    step_rows.draw_project_steps(list_steps(gate.store(), project.slug), slug=project.slug)
with right:
    live_study_view.draw_live_study(project)
    progress.draw_progress(project)
    if published_tables(project.study):
        study_title = text.plain(_(studies.get(project.study).title).partition(":")[0])
        with st.container(key="projects_comparison"):
            st.page_link(
                "pages/researcher/studies.py",
                label=_("Compare with the {study} paper", study=study_title),
                icon=":material/table_chart:",
                query_params={"project": project.slug},
            )
    activity.draw_activity(project)
