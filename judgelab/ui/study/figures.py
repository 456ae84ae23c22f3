"""Draw the papers' figures from a project's scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.disagreement.failure_modes import failure_modes
from judgelab.charts.failure_modes import ModeBar, failure_mode_bars
from judgelab.charts.study import (
    ReplicatedNumber,
    ScoreHistogram,
    SettingMark,
    SystemMark,
    replication_forest,
    score_histograms,
    settings_chart,
    systems_scatter,
)
from judgelab.languages import _, _n
from judgelab.metaeval.coefficients.left_out import of_rows
from judgelab.replication import export, figures
from judgelab.replication.cells import ReplayedTable
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating.tags import KINDS
from judgelab.studies import Study
from judgelab.ui.kit import text, viewport, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import text_view
from judgelab.ui.study import data
from judgelab.wording import joined

MOST_RATERS = 6  # distributions in one figure
MOST_ROWS = 12  # of a table without its own scroll bar
FigureDrawing = Callable[[ProjectInfo, str, Sequence[ReplayedTable]], None]


def draw_study_figures(
    project: ProjectInfo, study: Study, version: str, tables: Sequence[ReplayedTable]
) -> None:
    """Draw the figures of the study's paper that the project has data for."""
    for figure in FIGURES.get(study.name, ()):
        figure(project, version, tables)


def _draw_score_distributions(project: ProjectInfo, version: str, tables: Sequence[ReplayedTable]) -> None:
    raters = data.judges_on_scale(project.slug, version)
    groups = data.load_rated_groups(project.slug, version)
    if not raters and not data.load_rated_counts(project.slug, version)[1]:
        return
    of_paper = any(table.study == "elect" for table in tables)
    widgets.heading(_("Distribution of scores"), _("as in figures 1 and 2 of the paper") if of_paper else "")
    chosen: list[str] = []
    group = ""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if raters:
            chosen = widgets.choose_several(
                _("Judges"), raters, default=raters[: MOST_RATERS - 1], key="study_spread"
            )
        if len(groups) > 1:
            group = st.selectbox(
                _("Group"),
                ["", *groups],
                format_func=lambda note: note or _("all groups"),
                key="study_spread_group",
                width=240,
            )
    distributions = data.load_distribution(project.slug, version, raters=tuple(chosen), group=group)
    series = [
        ScoreHistogram(
            _n(
                "{rater}, {n} response",
                "{rater}, {n} responses",
                rater.n,
                rater=_(rater.name) if rater.kind == "human" else rater.name,
            ),
            _histogram_kind(rater.kind),
            rater.shares,
        )
        for rater in distributions.raters
    ]
    figure = score_histograms(
        distributions.bins, series, title=_("score, % of responses"), theme=widgets.theme()
    )
    left_out = of_rows(
        (rater.name, [joined(phrases)]) for rater in distributions.raters if (phrases := rater.lost.phrases())
    )
    most_frequent = [
        f"{rater.name} {distributions.bins[rater.shares.index(max(rater.shares))]}"
        for rater in distributions.raters
    ]
    widgets.chart(
        figure, key="study_distributions", alt=_("Most frequent score: {list}", list=", ".join(most_frequent))
    )
    notes = [_(note) for note in (*distributions.notes, *left_out)]
    st.caption(text.plain(" ".join([_criterion_note(project, distributions.criterion), *notes])))


def _draw_system_means(project: ProjectInfo, version: str, tables: Sequence[ReplayedTable]) -> None:
    raters = _raters_in(tables)
    if not raters:
        return
    of_paper = any(table.study == "qa_eval" for table in tables)
    widgets.heading(
        _("Systems as scored by raters and by a judge"), _("figure 2 of the paper") if of_paper else ""
    )
    left, right = st.columns(2, gap="medium")
    for index, column in enumerate((left, right)):
        if index >= len(raters):
            continue
        with column:
            rater = st.selectbox(_("Judge or metric"), raters, index=index, key=f"study_systems_{index}")
            systems = data.load_system_means(project.slug, version, rater=str(rater))
            points = systems.dots
            marks = [SystemMark(point.system, point.human, point.judge) for point in points]
            figure = systems_scatter(marks, title=str(rater), theme=widgets.theme())
            system_count = _n("{n} system", "{n} systems", len(points))
            widgets.chart(figure, key=f"study_systems_chart_{index}", alt=f"{rater}: {system_count}")
            st.caption(text.plain(_means_note(systems, system_count)))
    note = f"{_criterion_note(project, systems.criterion)} {_(figures.EQUAL_MEANS)}"
    st.caption(text.plain(note))


def _means_note(systems: figures.Systems, system_count: str) -> str:
    """Return how many systems are drawn, from how many responses each mean is, and which are missing."""
    counts = _(
        "{systems}; responses per system: raters {raters}, judge or metric {judge}.",
        systems=system_count,
        raters=text.n_range((point.human_n for point in systems.dots), bare=True),
        judge=text.n_range((point.judge_n for point in systems.dots), bare=True),
    )
    if not systems.without:
        return counts
    names = text.listing(list(systems.without))
    missing_note = _("Not drawn, because one mean is missing: {systems}.", systems=names)
    return f"{counts} {missing_note}"


def _draw_failures(project: ProjectInfo, version: str, tables: Sequence[ReplayedTable]) -> None:
    widgets.heading(_("Why word overlap fails"), _("figure 3 of the paper"))
    modes = failure_modes(gate.store(), project.slug)
    responses_tagged = len({tag.response for tag in modes.tags if tag.state == "accepted"})
    if not responses_tagged:
        st.write(_("No disagreement is tagged yet; you can tag six kinds of failure while reading them."))
    bars = [
        ModeBar(
            row.rater,
            "metric" if row.rater_kind == "metric" else "judge",
            _(KINDS[row.kind]),
            row.wrong,
            row.tagged,
        )
        for row in modes.rows
        if row.tagged
    ]
    if bars:
        figure = failure_mode_bars(bars, theme=widgets.theme(), narrow=viewport.is_narrow())
        note = _n("Counts over {n} tagged response.", "Counts over {n} tagged responses.", responses_tagged)
        widgets.chart(figure, key="study_modes", alt=note)
    st.page_link(
        "pages/researcher/disagreements.py",
        label=_("Read and tag disagreements"),
        icon=":material/arrow_forward:",
        query_params={"project": project.slug},
    )


def _draw_roles(project: ProjectInfo, version: str, tables: Sequence[ReplayedTable]) -> None:
    table = next((table for table in tables if table.number == "figure 6"), None)
    # On other datasets than the paper's, only the paper's marks would be drawn.
    blocks = [block for block in table.blocks if block.answered] if table is not None else []
    if blocks:
        widgets.heading(_("Number of dynamic roles"), _("figure 6 of the paper"))
    for index, block in enumerate(blocks):
        lines: dict[str, list[SettingMark]] = {}
        n_notes: list[str] = []
        for line in block.lines:
            for setting, points in figures.by_setting(block, line.label).items():
                counts = text.n_range(
                    point.estimate.n for point in points if point.estimate.value is not None
                )
                n_notes += [f"{line.label}, {setting}: {counts}."] if counts else []
                lines[f"{line.label}, {setting}"] = [
                    SettingMark(point.at, point.estimate.value, point.estimate.ci, point.published)
                    for point in points
                ]
        figure = settings_chart(
            dict(list(lines.items())[:4]), title=_("dynamic roles"), value_title="|r|", theme=widgets.theme()
        )
        widgets.chart(
            figure, key=f"study_roles_{index}", alt=_("Agreement over the number of dynamic roles.")
        )
        notes = [
            *n_notes,
            *map(_, export.common_words(block)),
            *map(_, block.sentences_left_out(by_level=True)),
        ]
        st.caption(text.plain(" ".join([*([f"{block.model}."] if block.model else []), *notes])))


def _draw_reference_draws(project: ProjectInfo, version: str, tables: Sequence[ReplayedTable]) -> None:
    """Draw means and standard deviations over draws, with the printed means as ticks."""
    for table in (table for table in tables if table.number in ("9", "10")):
        for model, points in figures.draws(table):
            if not any(point.deviation is not None for point in points):
                continue  # a single draw has no deviation
            widgets.heading(_("Draws of the reference lists"), text.plain(f"{_(table.title)} {model or ''}"))
            draw_counts = [
                _n("{method}: {n} draw.", "{method}: {n} draws.", point.draws, method=point.method)
                for point in points
                if point.mean is not None
            ]
            rows = [
                ReplicatedNumber(point.method, point.published_mean, point.mean, _spread_interval(point))
                for point in points
            ]
            figure = replication_forest(
                rows, title=_("mean ± standard deviation; ❙ in the paper"), theme=widgets.theme()
            )
            widgets.chart(
                figure, key=f"study_draws_{table.number}_{model}", alt=_("Means over draws, by method.")
            )
            st.caption(text.plain(" ".join(draw_counts)))


def _spread_interval(point: figures.DrawPoint) -> tuple[float, float] | None:
    if point.mean is None or point.deviation is None:
        return None
    return point.mean - point.deviation, point.mean + point.deviation


def _draw_case(project: ProjectInfo, version: str, tables: Sequence[ReplayedTable]) -> None:
    """Draw one question with every rater's score mapped to 0 to 10, as in the paper's case study."""
    responses = data.load_judged_items(project.slug, version)
    if not responses:
        return
    widgets.heading(_("One question, all raters on one scale"), _("figure 3 of the paper"))
    item = st.selectbox(
        _("Question"), responses, key="study_case", format_func=lambda item_id: responses[item_id]
    )
    if item is None:
        return
    case = data.load_case(project.slug, version, item=str(item))
    frame = case.scores
    shown: pd.DataFrame = frame.drop(columns="response")
    texts = data.load_texts(project.slug, version, item=str(item))
    shown["system"] = [name or str(index + 1) for index, name in enumerate(frame["system"])]
    settings: dict[Any, Any] = {"system": {"label": _("Response")}}
    for name in shown.columns[1:]:
        shown[name] = [text.number(value, 1) for value in shown[name]]
        settings[name] = st.column_config.TextColumn(_(str(name)), alignment="right")
    height: Any = "content" if len(shown) <= MOST_ROWS else "auto"
    selected = widgets.table(
        shown, key=f"study_case_table_{item}", columns=settings, select=True, height=height
    )
    ranges = "; ".join(f"{_(name)} {value_range}" for name, value_range in case.ranges.items())
    note = _("0 to 10 corresponds to: {ranges}.", ranges=ranges)
    st.caption(text.plain(f"{_criterion_note(project, case.criterion)} {note}"))
    if case.without:
        missing_note = _(
            "On an unbounded scale, so not mapped to 0 to 10: {raters}.", raters=", ".join(case.without)
        )
        st.caption(text.plain(missing_note))
    if selected is None:
        st.caption(_("Select a row to read the response."))
        return
    text_view.ask_as_typed(("response",))
    text_view.draw_text(texts.get(int(frame["response"].iloc[selected]), ""), "response")


def _criterion_note(project: ProjectInfo, key: str) -> str:
    """Return which criterion a figure is of."""
    return _("Criterion: {criterion}.", criterion=project.criterion(key).label)


def _raters_in(tables: Sequence[ReplayedTable]) -> list[str]:
    """Return the judges and metrics that have a value in the tables, judges first."""
    raters: dict[str, str] = {}
    for table in tables:
        for *_place, cell in table.cells():
            if cell.rater and cell.value is not None:
                raters[cell.rater] = cell.kind
    return sorted(raters, key=lambda name: raters[name] != "judge")


def _histogram_kind(kind: str) -> Any:
    return kind if kind in ("human", "metric") else "judge"


FIGURES: dict[str, tuple[FigureDrawing, ...]] = {
    "elect": (_draw_score_distributions,),
    "bioasq": (_draw_score_distributions,),
    "qa_eval": (_draw_system_means, _draw_failures),
    "drpe": (_draw_roles,),
    "linkage": (_draw_reference_draws, _draw_case),
    "summeval": (_draw_system_means,),
}
