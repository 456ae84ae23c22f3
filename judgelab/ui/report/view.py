"""The report on the screen: the same methods, flow chart and tables that the pack holds, and its download."""

from __future__ import annotations

import base64
import io
import tempfile
import zipfile
from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import streamlit as st

from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.analysis.trust.trust_table import trust_table
from judgelab.domain import Criterion
from judgelab.languages import _
from judgelab.latex import latex_table
from judgelab.package_files import package_path
from judgelab.reporting import flow, trust_overview
from judgelab.reporting.commands import recompute_commands
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.gathering import gather_facts, measure_judges
from judgelab.reporting.methods import methods
from judgelab.reporting.pack import write_pack
from judgelab.reporting.paper_tables import PaperTable, tables_on_page
from judgelab.runs.plan.code_version import code_version
from judgelab.store.db.engine import Store
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.agree.trust_overview import answer_table
from judgelab.ui.cache import stale_results
from judgelab.ui.kit import narrow_names, text, viewport, widgets
from judgelab.ui.report.recipe import ReportRequest
from judgelab.ui.session import gate
from judgelab.ui.shared import project_export
from judgelab.wording import mark


@stale_results.kept(8)
def load_report_facts(
    slug: str,
    version: str,
    request: ReportRequest | None = None,
    *,
    comparisons: bool = False,
    decisions: bool = False,
) -> ReportFacts:
    """Return what the report says, gathered once for each version of the data and each choice of figures."""
    level, coefficients = request or (None, ())
    return gather_facts(
        gate.store(),
        slug,
        level=level,
        coefficients=coefficients,
        comparisons=comparisons,
        decisions=decisions,
    )


@stale_results.kept(8, spinner=mark("Measuring each judge…"))
def load_trust(
    slug: str, version: str, request: ReportRequest, *, comparisons: bool, decisions: bool
) -> list[JudgeTrust]:
    """Return the evidence on each judge, by the same figures as the report."""
    facts = load_report_facts(slug, version, request, comparisons=comparisons, decisions=decisions)
    return measure_judges(gate.store(), facts)


def draw_trust_overview(project: ProjectInfo, version: str, facts: ReportFacts) -> None:
    """Draw what the report says of trust in each judge; measured once the reader opens it."""
    if all(row.rater_kind != "judge" for row in facts.rows):
        return
    section = st.expander(_("Trust at a glance"), key="report_trust", on_change="rerun")
    if not section.open:
        return
    with section:
        request = ReportRequest(facts.recipe.level, facts.recipe.coefficients)
        options = {
            "comparisons": facts.scores.compared is not None,
            "decisions": facts.recipe.decisions,
        }
        for trust in load_trust(project.slug, version, request, **options):
            st.caption(_("Can I trust {judge}?", judge=text.plain(trust.judge)))
            answers = answer_table(trust, trust_table(trust))
            widgets.table(answers, key=f"report_trust_{trust.judge}", height="content")
        st.caption(_(trust_overview.note(facts)))


def draw_pack_download(project: ProjectInfo, facts: ReportFacts) -> bool:
    """Offer the pack as one zip, written when it is asked for; return whether the data go into it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        data = st.checkbox(_("Include anonymised data"), value=True, key="report_data")
        may = gate.later_check("researcher", project)
        request = ReportRequest(facts.recipe.level, facts.recipe.coefficients)
        of_pairs = facts.scores.compared is not None
        pack = partial(
            pack_zip,
            gate.store(),
            project.slug,
            data=data,
            request=request,
            comparisons=of_pairs,
            decisions=facts.recipe.decisions,
        )
        st.download_button(
            f":violet[{_('Download the report files')}]",
            data=lambda: pack() if may() else project_export.refuse_export(),
            file_name=f"{project.slug}-report.zip",
            mime="application/zip",
            type="primary",
            key="report_download",
            on_click="ignore",
        )
    st.caption(
        _(
            "Methods, rater flow, tables (CSV, LaTeX, Markdown), figures (SVG, and HTML that opens offline), "
            "the raters' choice for each pair, and the commands that recompute every number. The files name "
            "no raters; texts are included only with the data."
        )
        if of_pairs
        else _(
            "Methods, rater flow, tables (CSV, LaTeX, Markdown), figures (SVG, and HTML that opens offline), "
            "the human score of each response, and the commands that recompute every number. The files name "
            "no raters; texts are included only with the data."
        )
    )
    return data


def draw_report(facts: ReportFacts, *, data: bool) -> None:
    """Draw the parts of the report; `data`: whether the pack holds the data to compute from."""
    prose = methods(facts, version=code_version())
    steps = flow.flow_steps(facts)
    widgets.heading(_("Raters"))
    theme = widgets.theme()
    inks = flow.ChartColours(theme.ink, theme.muted, theme.control, theme.paper)
    narrow = viewport.is_narrow()
    chart = flow.flow_svg(steps, inks, narrow=narrow, style=_typeface())
    st.image(chart, width=flow.chart_width(steps, narrow=narrow), alt=flow.alt_text(steps))
    widgets.heading(_("Agreement"))
    tables_by_criterion, shared_notes = tables_on_page(facts)
    for criterion in facts.scores.project.criteria:
        tables = tables_by_criterion[criterion.key]
        if not tables:
            st.caption(
                _("No judge or metric has scored {criterion} yet.", criterion=text.plain(criterion.label))
            )
            continue
        st.markdown(f"**{text.plain(criterion.label)}**")
        for paper_table, notes in tables:
            _draw_table(paper_table, notes, criterion)
    for note in shared_notes:
        st.caption(text.plain(note))
    widgets.heading(_("Methods"), _("to copy into a paper"))
    st.code(prose, language=None, wrap_lines=True)
    widgets.heading(_("Recompute every number"))
    st.code(recompute_commands(facts.scores.project.slug, facts, data=data), language=None, wrap_lines=True)


@cache
def _typeface() -> str:
    """Return the page's typeface as CSS; an image cannot use what the page has loaded."""
    font = package_path("static") / "ibm-plex-sans-latin-wght-normal.woff2"
    encoded = base64.b64encode(font.read_bytes()).decode()
    source = f"url(data:font/woff2;base64,{encoded})"
    return f'@font-face {{ font-family: "IBM Plex Sans"; font-weight: 100 700; src: {source}; }}'


def _draw_table(paper_table: PaperTable, notes: Sequence[str], criterion: Criterion) -> None:
    st.caption(text.capitalised(paper_table.title))
    columns: dict[str, Any] = {
        str(name): st.column_config.TextColumn(alignment="right") for name in paper_table.table.columns[1:]
    }
    widgets.table(
        paper_table.table,
        key=f"report_{paper_table.name}_{criterion.key}",
        height="content",
        **narrow_names.layout(paper_table.table, columns),
    )
    for note in notes:
        st.caption(text.plain(note))
    with st.expander("LaTeX"):
        caption, label = f"{criterion.label}, {paper_table.title}", f"tab:{paper_table.name}-{criterion.key}"
        st.code(
            latex_table(paper_table.table, caption=caption, label=label, notes=paper_table.notes),
            language=None,
            wrap_lines=True,
        )


def pack_zip(
    store: Store,
    slug: str,
    *,
    data: bool,
    request: ReportRequest | None = None,
    comparisons: bool | None = None,
    decisions: bool = False,
) -> bytes:
    """Return the pack as the bytes of a zip file."""
    packed = io.BytesIO()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "report"
        level, coefficients = request or (None, ())
        names = write_pack(
            store,
            slug,
            folder,
            level=level,
            coefficients=coefficients,
            comparisons=comparisons,
            decisions=decisions,
            data=data,
        )
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                archive.write(folder / name, name)
    return packed.getvalue()
