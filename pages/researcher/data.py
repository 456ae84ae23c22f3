"""Importing data, seeing the contents, scoring with metrics, and exporting."""

import streamlit as st

from judgelab.analysis.project_contents import project_counts
from judgelab.languages import _
from judgelab.ui.data import contents, import_form, metrics_form
from judgelab.ui.kit import help_link, text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import project_export

person = gate.enter("researcher")
project = gate.the_project()
counts = project_counts(gate.store(), project)

top = st.container(gap="xsmall")
with top:
    widgets.header(_("Data"), text.plain(project.name), guide=help_link.DATA)
    widgets.demo_notice(project)
    import_form.write_import_result()

if not counts.responses:
    widgets.answer(
        _(
            "**No data yet.** Import questions or documents together with the responses of one or more "
            "systems."
        )
    )
    st.caption(
        _(
            "One row per response is enough: a question, the response, and the system that wrote it; or "
            "one row per question with a column for each system. Add context, references, groups and "
            "scores if you have them; ratings and judgments can follow in separate files."
        )
    )
    import_form.draw_import_form(project)
    st.stop()

with top:
    widgets.answer(contents.contents_sentence(counts))
if st.toggle(_("Add files"), key="data_adding"):
    import_form.draw_import_form(project)
contents.draw_contents(project)

metrics_column, export_column = st.columns([2, 1], gap="large")
with metrics_column:
    widgets.heading(_("Score with metrics"))
    metrics_form.draw_metrics_form(project, references=counts.references > 0)
with export_column:
    project_export.draw_project_export(project)
