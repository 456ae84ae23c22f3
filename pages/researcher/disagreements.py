"""Where a judge and the raters differ, response by response, with everybody's reasons."""

import streamlit as st

from judgelab.analysis.disagreement.disagreements import response_detail
from judgelab.languages import _
from judgelab.ui.cache import loaders, page_run
from judgelab.ui.explain import (
    disagreement_decision,
    disagreement_list,
    disagreement_words,
    failure_tags,
    judgment_record,
    pairs_view,
    panel_view,
    reading_links,
    reference_rank_view,
    response_scores,
)
from judgelab.ui.kit import help_link, text, viewport, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import compared, filter_note, first_step, response_view

person = gate.enter("reader")
project = gate.the_project()
gate.record_opened_judges(person, project)
disagreement_list.read_disagreement_link(project)

version = loaders.data_version(project.slug)
judges = [rater for rater in loaders.compared_raters(project.slug, version) if rater.kind == "judge"]
if compared.is_about_pairs(project, version, scored=bool(judges)):
    pairs_view.draw_pairs(project, version)
    page_run.finish_page()
if not judges:
    widgets.header(_("Disagreements"), text.plain(project.name), guide=help_link.EXPLAIN)
    widgets.empty(
        _(
            "On this page you read, response by response, where a judge and the raters differ, with all "
            "rationales. No judge has scored this project yet."
        ),
        **first_step.step_to(project, "pages/researcher/judges.py", label=_("Run a judge")),
    )
    st.stop()

heading = st.container(gap="xsmall")
narrow = viewport.is_narrow()
if narrow:
    list_place, response_place = st.expander(_("Judge, filters and list")), st.container()
else:
    list_place, response_place = st.columns([36, 64], gap="medium")

with list_place:
    disagreements = disagreement_list.choose_disagreements(project, judges, version)
    response = disagreement_list.current_response(disagreements)
    disagreement_list.write_disagreement_link(response)
    if len(disagreements.rows):
        disagreement_list.draw_disagreement_table(disagreements)
    else:
        st.caption(_("No differences match these filters."))

with heading:
    with st.container(horizontal=not narrow, vertical_alignment="bottom"):
        widgets.header(_("Disagreements"), guide=help_link.EXPLAIN)
        if response is not None:
            disagreement_list.draw_disagreement_navigation(disagreements, response)
    if sentence := disagreement_words.disagreements_sentence(disagreements):
        ratings = text.plain(filter_note.ratings_before_sentence(project))
        st.caption(f"{ratings}: {text.keep_together(sentence)}.")
    reading_links.draw_agreement_link(project, disagreements.judge, form=compared.RESPONSES)
    widgets.demo_notice(project)
    filter_note.draw_filter_note(project)

with response_place:
    if response is None:
        st.write(
            _(
                "No response has both a human rating and a score by this judge. Rate some responses, or "
                "run the judge on more."
            )
        )
    else:
        detail = response_detail(gate.store(), project.slug, response)
        criterion = disagreements.criterion
        left_out = loaders.excluded_raters(project.slug, version, response=response, criterion=criterion.key)
        response_view.draw_title(detail, rationales=response_scores.rationales(detail, criterion.key))
        texts, people = st.columns([5, 4], gap="large")
        with texts:
            response_view.draw_body(detail)
        with people:
            response_scores.draw_score_strip(
                detail, criterion, project.scale(criterion.key), chosen=disagreements.judge, left_out=left_out
            )
            reference_rank_view.write_own_scale_note(detail, criterion.key)
            response_scores.write_people_ratings(
                detail, criterion.key, project.scale(criterion.key), left_out=left_out
            )
            disagreement_decision.draw_disagreement_decision(
                project, person, response=response, criterion=criterion, version=version
            )
            response_scores.write_other_criteria(detail, project.criteria, criterion.key)
        response_scores.write_judges(
            detail, criterion.key, project.scale(criterion.key), chosen=disagreements.judge
        )
        judgments = response_scores.judgments_chosen_first(detail, criterion.key, disagreements.judge)
        panel_view.draw_judge_panels(judgments, chosen=disagreements.judge)
        reference_rank_view.draw_reference_rank(
            project, detail, criterion=criterion.key, chosen=disagreements.judge
        )
        failure_tags.draw_failure_tags(
            project, person, detail, judge=disagreements.judge, criterion=criterion.key, version=version
        )
        judgment_record.draw_judgment_records(
            detail, criterion.key, project.scale(criterion.key), chosen=disagreements.judge
        )
        response_scores.write_metric_scores(detail.metrics)
