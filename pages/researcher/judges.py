"""A new judge: protocol, model and scope, its prompt for a real response, and the start of a run."""

import streamlit as st

from judgelab.languages import _
from judgelab.runs import service
from judgelab.runs.plan import worker_kinds
from judgelab.ui.cache import loaders
from judgelab.ui.judge import form, judge_table, jury_form, learned_view, prompt_view, start
from judgelab.ui.kit import help_link, study_words, text, widgets
from judgelab.ui.session import gate

gate.enter("researcher")
project = gate.the_project()
responses = loaders.responses(project.slug, loaders.data_version(project.slug))
criteria = text.quoted_names([criterion.label for criterion in project.criteria])

top = st.container(gap="xsmall")
with top:
    widgets.header(_("New judge"), text.plain(f"{project.name}, {criteria}"), guide=help_link.JUDGE)
    widgets.demo_notice(project)
if responses.empty:
    widgets.empty(
        _(
            "On this page you set up a judge, preview its prompt for a real response, and start it. This "
            "project has no responses yet."
        ),
        page="pages/researcher/data.py",
        label=_("Import data"),
    )
    st.stop()
if not service.live_workers(gate.store(), "api"):
    waiting_note = _("{no_worker} A run started now will wait for one.", no_worker=_(worker_kinds.NO_WORKER))
    top.caption(f":material/power_off: {waiting_note}")

left, right = st.columns([36, 60], gap="large")
with left:
    judge = form.draw_judge_form(project, responses)
with right:
    preview = start.preview_run(project, judge)
    prompt_view.draw_prompt_preview(
        project,
        form.for_preview(judge.spec),
        responses,
        criteria=judge.selection.criteria or [criterion.key for criterion in project.criteria],
        refused=preview.refusal,
    )
    if notice := study_words.notice(project):
        st.caption(f":material/edit_note: {notice}")
    start.draw_start(project, judge, preview)
judge_table.draw_judge_table(project, service.list_runs(gate.store(), project.slug))
jury_form.draw_jury_form(project)
learned_view.draw_learned_judge(project)
