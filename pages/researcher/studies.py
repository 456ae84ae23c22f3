"""A paper replicated on this project: its question, its tables next to ours, missing runs, ablations."""

import streamlit as st

from judgelab.languages import _
from judgelab.replication import export
from judgelab.replication.datasets import set_dataset
from judgelab.replication.planning import plan_study
from judgelab.studies.tables import published_tables
from judgelab.ui.cache import loaders
from judgelab.ui.kit import help_link, text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import downloads, filter_note
from judgelab.ui.study import ablations, answer, data, figures, plan, view

person = gate.enter("researcher")
project = gate.the_project()
gate.record_opened_judges(person, project)

papers = {study.name: study for study in data.studies_with_tables()}
with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
    st.title(_("Study"), anchor=False, width="content")
    st.caption(text.plain(project.name), width="content")
    help_link.draw_help_link(help_link.STUDY)
    st.space("stretch")
    download_place = st.container(width="content")
widgets.demo_notice(project)
filter_note.draw_filter_note(project)


def keep_dataset(key: str) -> None:
    gate.enter("researcher", project)
    set_dataset(gate.store(), project.slug, st.session_state[key])


names = list(papers)
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    chosen = st.selectbox(
        _("Paper"),
        names,
        index=names.index(project.study) if project.study in papers else None,
        key="study_paper",
        format_func=lambda name: _(papers[name].title),
        placeholder=_("Choose a paper"),
        width=420,
    )
    if chosen is None:
        widgets.empty(
            _(
                "This page fills a paper's tables with this project's scores, and shows what is missing "
                "and what the missing runs would cost. This project follows no paper; choose a paper to "
                "replicate with this project's data."
            )
        )
        st.stop()
    study = papers[chosen]
    published = published_tables(study.name)
    numbers = {table.number: table for table in published}
    number = st.segmented_control(
        _("Table"), list(numbers), default=published[0].number, key=f"study_number_{study.name}"
    )
    table = numbers[number or published[0].number]
    dataset = str(project.settings.get("study_dataset", ""))
    if table.datasets:
        dataset_key = f"study_dataset_{study.name}_{table.number}_{dataset}"
        st.selectbox(
            _("Data in this project"),
            ["", *table.datasets, "own"],
            index=["", *table.datasets, "own"].index(dataset) if dataset in {*table.datasets, "own"} else 0,
            format_func=lambda dataset_name: {
                "": _("as its name or groups say"),
                "own": _("data of its own"),
            }.get(dataset_name, dataset_name),
            key=dataset_key,
            width=240,
            on_change=keep_dataset,
            args=(dataset_key,),
        )

with st.expander(_("What the paper asks, finds and needs"), expanded=False):
    for label, words in (
        (_("Asked"), study.question),
        (_("Finding"), study.finding),
        (_("Needs"), study.needs),
    ):
        st.markdown(f"**{label}** {text.plain(_(words))}", width=widgets.ANSWER_WIDTH)
    st.caption(text.plain(study.source))

version = loaders.data_version(project.slug)
tables = data.load_tables(project.slug, version, study=study.name, dataset=dataset)
filled_table = next(candidate for candidate in tables if candidate.number == table.number)
with download_place:
    files = [
        downloads.File("CSV", "csv", lambda: export.to_csv(tables)),
        downloads.File("Markdown", "md", lambda: "\n".join(export.to_markdown(table) for table in tables)),
        downloads.File("LaTeX", "tex", lambda: "\n".join(export.to_latex(table) for table in tables)),
    ]
    downloads.draw_downloads(project, files, name=study.name, key="study", role="researcher")

kind_label = _("Figure") if filled_table.is_figure else _("Table")
source_name, _space, short_number = filled_table.number.rpartition(" ")
table_name = f"{kind_label} {short_number}"
if source_name and not filled_table.is_figure:  # the table is from another paper than the study's data
    table_name = f"{source_name}, {table_name}"
widgets.heading(text.plain(table_name), text.plain(_(filled_table.title)))
above = st.container()
with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
    chosen_block = view.choose_block(filled_table)
    measure = view.choose_measure(filled_table, chosen_block)
with above:
    answer.write_answer(filled_table, chosen_block, name=table_name)
    answer.write_judge_origins(chosen_block, data.load_score_origins(project.slug))
block = view.with_measure(chosen_block, measure)
view.draw_panels(filled_table, block)
view.draw_study_table(filled_table, block)
st.caption(
    text.plain(
        _(
            "{intervals}; quality filter: {rule}; JudgeLab {version}.",
            intervals=answer.intervals_phrase(block, resamples=filled_table.recipe["resamples"]),
            rule=filled_table.recipe["policy"] or _("none"),
            version=filled_table.recipe["version"],
        )
    )
)

figures.draw_study_figures(project, study, version, tables)

widgets.heading(_("Missing runs"), _("all with the endpoint chosen here"))
plan.write_missing_metrics(project, study, version)
source = plan.choose_source()
rated = plan.choose_responses(project, version)
examples = plan.choose_examples(study)
if source is None:
    st.caption(_("Choose a model to see the cost of its runs."))
elif st.toggle(_("List the missing runs"), key="study_plan"):
    plan.draw_plan(
        project,
        lambda: plan_study(
            gate.store(), project.slug, source, study=study.name, rated=rated, examples=examples
        ),
        depends_on=repr((source, study.name, rated, examples)),
        key="study_plan_all",
    )
ablations.draw_ablations(project, study, version, source, rated)
