"""Your own ratings compared with the other raters and the judges: in total, and answer by answer."""

import streamlit as st

from judgelab.analysis.data import saved_filters
from judgelab.analysis.raters import self_comparison
from judgelab.languages import _
from judgelab.ui.cache import loaders, page_cache
from judgelab.ui.explain import own_ratings_view, own_ratings_words
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import filter_note, first_step

person = gate.enter("reader")
project = gate.the_project()
gate.record_opened_judges(person, project)

top = st.container(gap="xsmall")
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    name = own_ratings_view.choose_person(person, project)
    criteria = self_comparison.criteria_rated_by(gate.store(), project.slug, name)
    if not criteria:
        with top:
            widgets.header(_("You and the judges"), text.plain(project.name))
            widgets.demo_notice(project)
        if loaders.compared_criteria(project.slug, loaders.data_version(project.slug)):
            widgets.empty(
                _(
                    "This page compares ratings of single responses. *Explain* shows each choice between "
                    "two responses."
                ),
                page="pages/researcher/disagreements.py",
                label=_("See the comparisons"),
            )
            st.stop()
        widgets.empty(
            _(
                "This page compares your ratings with the other raters’ and the judges’, response by "
                "response. You have no ratings here yet."
            )
            if name == person.name
            else _(
                "This page compares a rater's ratings with the other raters’ and the judges’, response by "
                "response. {who} has no ratings here yet.",
                who=text.plain(name),
            ),
            **first_step.step_to(project, "pages/annotator/rate.py", label=_("Rate responses")),
        )
        st.stop()
    criterion = criteria[0]
    if len(criteria) > 1:
        criterion = st.segmented_control(
            _("Criterion"),
            list(criteria),
            default=criteria[0],
            required=True,
            wrap=True,
            format_func=lambda key: text.plain(project.criterion(key).label),
            key="you_criterion",
        )
    scale = project.scale(criterion)
    coefficient = own_ratings_view.choose_measure(scale)

version = loaders.data_version(project.slug)
comparison = page_cache.unless_written(
    project,
    ("placed", name, criterion, coefficient),
    lambda: self_comparison.compare_person(
        gate.store(), project.slug, name, criterion=criterion, coefficient=coefficient
    ),
    rows=lambda result: len(result.scores) + len(result.responses),
)
raters = {
    compared_rater.name: compared_rater for compared_rater in loaders.compared_raters(project.slug, version)
}
shown_name = own_ratings_view.person_name(name, person)
with top:
    label = text.plain(project.criterion(criterion).label)
    widgets.header(
        _("You and the judges"),
        _("{project}, “{criterion}”", project=text.plain(project.name), criterion=label),
    )
    widgets.demo_notice(project)
    filter_note.draw_filter_note(project)
    widgets.answer(own_ratings_words.own_ratings_sentence(comparison, coefficient, shown_name))
    if warning := own_ratings_words.few_responses_warning(len(comparison.responses)):
        st.markdown(f":orange[:material/info: {warning}]")
if comparison.responses.empty:
    st.write(_("No other counted rater has rated these answers, so there is no crowd to compare with."))
    st.stop()

if scale.ordered:
    left, right = st.columns([58, 42], gap="large")
    with left:
        widgets.heading(_("Answer by answer"), _("the widest gaps first"))
        own_ratings_view.draw_widest_gaps(comparison, project, criterion, shown_name)
    with right:
        widgets.heading(_("Compared with the other raters’ mean"), _("on the same answers"))
        own_ratings_view.draw_crowd_agreement(comparison, coefficient, shown_name)
else:  # labels without an order have no places on an axis
    widgets.heading(_("Compared with the label of most others"), _("on the same answers"))
    own_ratings_view.draw_crowd_agreement(comparison, coefficient, shown_name)
    widgets.heading(_("Answer by answer"), _("different labels first"))
response = own_ratings_view.draw_response_table(
    comparison, shown_name, scale=scale, key=f"you_by_answer_{project.id}_{criterion}_{name}"
)
if response is None:
    st.caption(_("Select a row to read the answer with all rationales."))
else:
    st.page_link(
        "pages/researcher/disagreements.py",
        label=_("Read this answer with all rationales"),
        icon=":material/arrow_forward:",
        query_params={"project": project.slug, "response": str(response), "criterion": criterion},
    )
widgets.heading(_("All raters on these answers"))
own_ratings_view.draw_crowd_agreement_table(comparison, coefficient, shown_name, raters)
saved_filter = saved_filters.filter_in_use(gate.store(), project.slug)
st.caption(
    text.plain(
        own_ratings_words.own_ratings_recipe(
            comparison, coefficient, saved_filter.title if saved_filter else None
        )
    )
)
