import streamlit as st

from judgelab.analysis.disagreement.disagreements import response_detail
from judgelab.languages import _
from judgelab.ui.cache import loaders
from judgelab.ui.explain import disagreement_decision, failure_tags, reference_rank_view, response_scores
from judgelab.ui.explain import disagreement_list as differences
from judgelab.ui.kit import help_link, text, viewport, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import filter_note, first_step, response_view

person = gate.enter("reader")
project = gate.the_project()
gate.record_opened_judges(person, project)
differences.read_link(project)

version = loaders.data_version(project.slug)
judges = [rater for rater in loaders.compared_raters(project.slug, version) if rater.kind == "judge"]
if not judges:
    widgets.header(_("Disagreements"), text.plain(project.name), guide=help_link.EXPLAIN)
    widgets.empty(
        _(
            "Here you read, response by response, where a judge and the raters differ, with everybody's "
            "reasons. No judge has scored a response of this project yet."
        ),
        **first_step.step_to(project, "pages/researcher/judges.py", label=_("Run a judge")),
    )
    st.stop()

heading = st.container(gap="xsmall")
narrow = viewport.is_narrow()
if narrow:
    chosen_at, read_at = st.expander(_("Judge, filters and list")), st.container()
else:
    chosen_at, read_at = st.columns([29, 71], gap="medium")

with chosen_at:
    listed = differences.choose_disagreements(project, judges, version)
    response = differences.current_response(listed)
    differences.write_link(response)
    if len(listed.rows):
        differences.draw_disagreement_table(listed)
    else:
        st.caption(_("No difference passes these filters."))

with heading:
    with st.container(horizontal=not narrow, vertical_alignment="bottom"):
        widgets.header(_("Disagreements"), differences.summary_sentence(listed), guide=help_link.EXPLAIN)
        if response is not None:
            differences.draw_navigation(listed, response)
    widgets.demo_notice(project)
    filter_note.draw_filter_note(project)

with read_at:
    if response is None:
        st.write(
            _(
                "No response has both a rating by a person and a score of this judge. Rate some, or judge "
                "more."
            )
        )
    else:
        detail = response_detail(gate.store(), project.slug, response)
        criterion = listed.criterion
        out = loaders.excluded_raters(project.slug, version, response=response, criterion=criterion.key)
        response_view.draw_title(detail)
        texts, people = st.columns([5, 4], gap="large")
        with texts:
            response_view.draw_body(detail)
        with people:
            response_scores.draw_score_strip(
                detail, criterion, project.scale(criterion.key), chosen=listed.judge, left_out=out
            )
            reference_rank_view.scale_note(detail, criterion.key)
            response_scores.write_ratings(detail, criterion.key, left_out=out)
            disagreement_decision.draw_disagreement_decision(
                project, person, response=response, criterion=criterion, version=version
            )
            response_scores.write_other_criteria(detail, project.criteria, criterion.key)
        response_scores.write_judges(detail, criterion.key, chosen=listed.judge)
        response_scores.draw_panels(detail, criterion.key, chosen=listed.judge)
        reference_rank_view.draw_reference_rank(project, detail, criterion=criterion.key, chosen=listed.judge)
        failure_tags.draw_failure_tags(
            project, person, detail, judge=listed.judge, criterion=criterion.key, version=version
        )
        response_scores.draw_prompt_folds(detail, criterion.key, chosen=listed.judge)
        response_scores.write_metric_scores(detail.metrics)
viewport.watch()
