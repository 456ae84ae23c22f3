"""How far each judge and metric agrees with the raters, compared with the raters among themselves."""

import streamlit as st

from judgelab.languages import _
from judgelab.scales import unordered
from judgelab.ui.agree import (
    agreement_table,
    choices_view,
    controls,
    decided,
    export,
    group_table,
    pair_view,
    raters_target,
    score_notes,
    view,
)
from judgelab.ui.cache import loaders, page_run
from judgelab.ui.kit import help_link, text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import compared, filter_note, findings, first_step

person = gate.enter("reader")
project = gate.the_project()
gate.record_opened_judges(person, project)

version = loaders.data_version(project.slug)
raters = {rater.name: rater for rater in loaders.compared_raters(project.slug, version)}
if compared.is_about_pairs(project, version, scored=bool(raters)):
    choices_view.draw_choices(project, version)
    page_run.finish_page()
if not raters:
    widgets.header(_("Agreement"), text.plain(project.name), guide=help_link.AGREE)
    widgets.empty(
        _(
            "This page shows how well each judge and metric agrees with the raters, compared with the "
            "raters among themselves. No judge or metric has scored this project yet."
        ),
        **first_step.step_to_comparison(project, rated=True),
    )
    st.stop()
top = st.container(gap="xsmall")
request = controls.draw_agreement_controls(project, version)
options = {
    "level": request.level,
    "coefficient": request.coefficient,
    "policy": request.policy,
    "decisions": request.decisions,
    "constant_groups": request.constant_groups,
}
results = loaders.agreement_and_ceiling(project.slug, version, **options)
table, vs_ceiling = results.table, results.vs_ceiling
labels = {criterion.key: criterion.label for criterion in project.criteria}
agreement = view.rows_of_criterion(table, vs_ceiling, request.criterion, raters=raters, labels=labels)
with top:
    scope = [
        project.name,
        *([project.criteria[0].label] if len(project.criteria) == 1 else []),
        request.ratings,
        *filter_note.decided_first(request.decisions, comparisons=False),
    ]
    with widgets.header_row():
        widgets.header(_("Agreement"), text.plain(", ".join(scope)), guide=help_link.AGREE)
        download_place = st.container(width="content")
    widgets.demo_notice(project)
    filter_note.draw_filter_note(project)
    if table.too_few_to_rank:
        warning = _(
            "An item has at most {n} responses here, so within an item a coefficient can only be −1, 0 or "
            "1 and perfect values mean little. Choose *pooled*.",
            n=table.rated_per_item,
        )
        st.markdown(f":orange[:material/priority_high: {warning}]", width=widgets.ANSWER_WIDTH)
    chosen = controls.chosen_rater()
    answer = view.draw_answer(agreement, chosen=chosen)
    pair_view.draw_run_link(raters.get(chosen or ""), project=project.slug)
if not agreement.compared:
    st.write(_("With these settings, no response has both a human rating and a score by a judge or metric."))
    st.stop()

plot_column, pair_column = st.columns([66, 34], gap="large")
with plot_column:
    widgets.heading(_("Agreement with the raters, by judge and metric"))
    clicked = view.draw_forest(agreement, coefficient=request.coefficient)
with pair_column:
    above = st.container(gap=None)
    best = min(agreement.compared, key=lambda row: row.rater_kind != "judge")
    rater = controls.choose_rater([row.rater for row in agreement.compared], clicked, first=best.rater)
    criterion = controls.first_scored_criterion(request, project, scored=raters[rater].criteria)
    with above:
        widgets.heading(_("Read individual differences"), text.plain(project.criterion(criterion).label))
    used = {"policy": request.policy, "decisions": request.decisions}
    pairs = loaders.paired_scores(project.slug, version, rater=rater, criterion=criterion, **used)
    scale = project.scale(criterion)
    clicked_responses = pair_view.draw_score_pairs(raters[rater], pairs, scale, table.aggregation)
    pair_view.draw_links(raters[rater], project=project.slug, criterion=criterion, to_run=rater != chosen)
controls.write_agreement_link()
if clicked_responses is not None:
    pair_view.draw_response_list(
        clicked_responses, scale, project=project.slug, rater=raters[rater], criterion=criterion
    )
decided.write_note(project, version, table.n_decided, comparisons=False)
score_notes.write_score_notes(table, labels)
shown_table = agreement_table.draw_agreement_table(
    agreement,
    coefficient=request.coefficient,
    level=request.level,
    constant_groups=request.constant_groups,
)
recipe = findings.recipe(
    {row.rater: row.estimate for row in agreement.compared},
    level=request.level,
    coefficient=request.coefficient,
    ratings=request.ratings,
    constant_groups=request.constant_groups,
)
caption = raters_target.agreement_caption(project, recipe, table.aggregation, comparable=agreement.comparable)
st.caption(text.plain(caption))

group_rows = []
if loaders.project_shape(project.slug, version).groups > 1:
    group_rows = loaders.group_rows(
        project.slug,
        version,
        coefficient=request.coefficient,
        criterion=request.single_criterion,
        **used,
    )
    group_table.draw_group_table(
        group_rows,
        criterion=request.criterion,
        ordered=request.criterion not in unordered(project.scales),
        aggregation=table.aggregation,
        coefficient=request.coefficient,
        constant_groups=request.constant_groups,
    )
rated = loaders.rated_criteria(project.slug, version)
with download_place:
    export.draw_agreement_download(
        project,
        table,
        vs_ceiling,
        group_rows,
        shown=shown_table,
        title=controls.criterion_title(project, request.criterion, rated),
        request=request,
        answer=answer,
        recipe=caption,
    )
