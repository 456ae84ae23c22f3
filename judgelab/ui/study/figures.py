"""The papers' figures from a project's scores."""

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
from judgelab.store.projects.projects import ProjectInfo
from judgelab.store.rating.tags import KINDS
from judgelab.studies import Study
from judgelab.ui.kit import text, viewport, widgets
from judgelab.ui.session import gate
from judgelab.ui.study import data

MOST_RATERS = 6  # distributions under one another
MOST_ROWS = 12  # of a table that is shown whole
FigureDrawing = Callable[[ProjectInfo, str, Sequence[ReplayedTable]], None]


def draw_study_figures(
    project: ProjectInfo, study: Study, version: str, tables: Sequence[ReplayedTable]
) -> None:
    """Draw the figures of the study's paper, as far as the project has what they show."""
    for figure in FIGURES.get(study.name, ()):
        figure(project, version, tables)


def _draw_score_distributions(project: ProjectInfo, version: str, tables: Sequence[ReplayedTable]) -> None:
    raters = data.judges_on_scale(project.slug, version)
    groups = data.load_rated_groups(project.slug, version)
    if not raters and not data.load_rated_counts(project.slug, version)[1]:
        return
    of_paper = any(table.study == "elect" for table in tables)
    widgets.heading(_("Distribution of scores"), _("figures 1 and 2 of the paper") if of_paper else "")
    chosen: list[str] = []
    group = ""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if raters:
            chosen = st.multiselect(
                _("Judges"), raters, default=raters[: MOST_RATERS - 1], key="study_spread"
            )
        if len(groups) > 1:
            group = st.selectbox(
                _("Group"),
                ["", *groups],
                format_func=lambda word: word or _("all groups"),
                key="study_spread_group",
                width=240,
            )
    distributions = data.load_distribution(project.slug, version, raters=tuple(chosen), group=group)
    series = [
        ScoreHistogram(
            _n("{rater}, {n} response", "{rater}, {n} responses", rater.n, rater=_(rater.name)),
            _kind(rater.kind),
            rater.shares,
        )
        for rater in distributions.raters
    ]
    figure = score_histograms(
        distributions.bins, series, title=_("score, % of responses"), theme=widgets.theme()
    )
    lost = of_rows((rater.name, rater.lost.phrases()) for rater in distributions.raters)
    mostly = [
        f"{rater.name} {distributions.bins[rater.shares.index(max(rater.shares))]}"
        for rater in distributions.raters
    ]
    widgets.chart(
        figure, key="study_distributions", alt=_("Most frequent score: {list}", list=", ".join(mostly))
    )
    if lost:
        st.caption(text.plain(" ".join(_(word) for word in lost)))


def _draw_system_means(project: ProjectInfo, version: str, tables: Sequence[ReplayedTable]) -> None:
    raters = _raters_in(tables)
    if not raters:
        return
    widgets.heading(_("Systems as scored by people and by a judge"), _("figure 2 of the paper"))
    left, right = st.columns(2, gap="medium")
    for place, column in enumerate((left, right)):
        if place >= len(raters):
            continue
        with column:
            rater = st.selectbox(_("Judge or metric"), raters, index=place, key=f"study_systems_{place}")
            systems = data.load_system_means(project.slug, version, rater=str(rater))
            dots = systems.dots
            shown = [SystemMark(dot.system, dot.human, dot.judge) for dot in dots]
            figure = systems_scatter(shown, title=str(rater), theme=widgets.theme())
            counted_systems = _n("{n} system", "{n} systems", len(dots))
            widgets.chart(figure, key=f"study_systems_chart_{place}", alt=f"{rater}: {counted_systems}")
            st.caption(text.plain(_means_note(systems, counted_systems)))
    st.caption(_("On the line, a judge's mean equals the people's. Each mean uses all of its own scores."))


def _means_note(systems: figures.Systems, counted_systems: str) -> str:
    """Return how many systems are drawn, on how many responses each mean stands, and which have no mean."""
    counts = _(
        "{systems}; responses per system: raters {raters}, judge or metric {judge}.",
        systems=counted_systems,
        raters=text.n_range((dot.human_n for dot in systems.dots), bare=True),
        judge=text.n_range((dot.judge_n for dot in systems.dots), bare=True),
    )
    if not systems.without:
        return counts
    names = text.listing(list(systems.without))
    lost = _("Not drawn, because one mean is missing: {systems}.", systems=names)
    return f"{counts} {lost}"


def _draw_failures(project: ProjectInfo, version: str, tables: Sequence[ReplayedTable]) -> None:
    widgets.heading(_("Why word overlap fails"), _("figure 3 of the paper"))
    modes = failure_modes(gate.store(), project.slug)
    tagged = len({tag.response for tag in modes.tags if tag.state == "accepted"})
    if not tagged:
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
        drawn = failure_mode_bars(bars, theme=widgets.theme(), narrow=viewport.is_narrow())
        note = _n("Counts over {n} tagged response.", "Counts over {n} tagged responses.", tagged)
        widgets.chart(drawn, key="study_modes", alt=note)
    st.page_link(
        "pages/researcher/disagreements.py",
        label=_("Read and tag disagreements"),
        icon=":material/arrow_forward:",
        query_params={"project": project.slug},
    )


def _draw_roles(project: ProjectInfo, version: str, tables: Sequence[ReplayedTable]) -> None:
    table = next((table for table in tables if table.number == "figure 6"), None)
    # Of other collections than the figure's the paper's marks would stand alone.
    blocks = [block for block in table.blocks if block.answered] if table is not None else []
    if blocks:
        widgets.heading(_("Number of dynamic roles"), _("figure 6 of the paper"))
    for number, block in enumerate(blocks):
        lines: dict[str, list[SettingMark]] = {}
        stand: list[str] = []
        for line in block.lines:
            for over, points in figures.by_setting(block, line.label).items():
                counts = text.n_range(p.estimate.n for p in points if p.estimate.value is not None)
                stand += [f"{line.label}, {over}: {counts}."] if counts else []
                lines[f"{line.label}, {over}"] = [
                    SettingMark(p.at, p.estimate.value, p.estimate.ci, p.published) for p in points
                ]
        figure = settings_chart(
            dict(list(lines.items())[:4]), title=_("dynamic roles"), value_title="|r|", theme=widgets.theme()
        )
        widgets.chart(
            figure, key=f"study_roles_{number}", alt=_("Agreement over the number of dynamic roles.")
        )
        notes = [*stand, *map(_, export.common_words(block)), *map(_, block.left_out)]
        st.caption(text.plain(" ".join([*([f"{block.model}."] if block.model else []), *notes])))


def _draw_reference_draws(project: ProjectInfo, version: str, tables: Sequence[ReplayedTable]) -> None:
    """Draw means with the standard deviation over draws, printed ones as ticks."""
    for table in (table for table in tables if table.number in ("9", "10")):
        for model, drawn in figures.draws(table):
            if not any(point.deviation is not None for point in drawn):
                continue  # one draw says nothing about how much depends on the draw
            widgets.heading(_("Draws of the reference lists"), text.plain(f"{_(table.title)} {model or ''}"))
            counted = [
                _n("{method}: {n} draw.", "{method}: {n} draws.", point.draws, method=point.method)
                for point in drawn
                if point.mean is not None
            ]
            rows = [
                ReplicatedNumber(point.method, point.published_mean, point.mean, _spread_interval(point))
                for point in drawn
            ]
            figure = replication_forest(
                rows, title=_("mean ± standard deviation; printed ❙"), theme=widgets.theme()
            )
            widgets.chart(
                figure, key=f"study_draws_{table.number}_{model}", alt=_("Means over draws, by method.")
            )
            st.caption(text.plain(" ".join(counted)))


def _spread_interval(point: figures.DrawPoint) -> tuple[float, float] | None:
    if point.mean is None or point.deviation is None:
        return None
    return point.mean - point.deviation, point.mean + point.deviation


def _draw_case(project: ProjectInfo, version: str, tables: Sequence[ReplayedTable]) -> None:
    """Show one question with every rater's score brought to 0 to 10, as in the paper's case."""
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
    shown["system"] = [name or str(n + 1) for n, name in enumerate(frame["system"])]
    settings: dict[Any, Any] = {"system": {"label": _("Response")}}
    for name in shown.columns[1:]:
        shown[name] = [text.number(value, 1) for value in shown[name]]
        settings[name] = st.column_config.TextColumn(_(str(name)), alignment="right")
    height: Any = "content" if len(shown) <= MOST_ROWS else "auto"
    place = widgets.table(shown, key=f"study_case_table_{item}", columns=settings, select=True, height=height)
    ranges = "; ".join(f"{_(name)} {span}" for name, span in case.ranges.items())
    st.caption(text.plain(_("0 to 10 corresponds to: {ranges}.", ranges=ranges)))
    if case.without:
        lost = _("On an unbounded scale, so not mapped to 0 to 10: {raters}.", raters=", ".join(case.without))
        st.caption(text.plain(lost))
    if place is None:
        st.caption(_("Select a row to read the response."))
        return
    st.text(texts.get(int(frame["response"].iloc[place]), ""))


def _raters_in(tables: Sequence[ReplayedTable]) -> list[str]:
    """Return the judges and metrics that the tables speak of, judges first."""
    raters: dict[str, str] = {}
    for table in tables:
        for *_place, cell in table.cells():
            if cell.rater and cell.value is not None:
                raters[cell.rater] = cell.kind
    return sorted(raters, key=lambda name: raters[name] != "judge")


def _kind(kind: str) -> Any:
    return kind if kind in ("human", "metric") else "judge"


FIGURES: dict[str, tuple[FigureDrawing, ...]] = {
    "elect": (_draw_score_distributions,),
    "bioasq": (_draw_score_distributions,),
    "qa_eval": (_draw_system_means, _draw_failures),
    "drpe": (_draw_roles,),
    "linkage": (_draw_reference_draws, _draw_case),
    "summeval": (_draw_system_means,),
}
