"""The results of a project as a page: raters, agreement under each criterion, biases, methods."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from judgelab.analysis.trust.measured_trust import JudgeTrust
from judgelab.reporting import figures, html_shell, trust_overview
from judgelab.reporting.facts import ReportFacts
from judgelab.reporting.flow import flow_steps, flow_svg
from judgelab.reporting.judge_biases import bias_sentences, bias_table
from judgelab.reporting.methods import methods
from judgelab.reporting.paper_tables import PaperTable, tables_on_page


def subtitle(facts: ReportFacts, *, version: str) -> str:
    """Return the line under the title: whether it is a demo, JudgeLab's version, how the filter was fixed."""
    is_demo = facts.scores.project.settings.get("demo")
    demo = "Demo content: not study results." if is_demo else ""
    return f"{demo} Report of JudgeLab {version}. {facts.note}".strip()


def sections(facts: ReportFacts, trust: Sequence[JudgeTrust], *, version: str) -> list[str]:
    """Return the sections of the page, without texts of the study or names of raters.

    `trust` is the evidence on each judge (`gathering.measure_judges`).
    """
    tables, shared = tables_on_page(facts)
    return [
        html_shell.section(
            "Raters",
            html_shell.scrollable(flow_svg(flow_steps(facts)), name="How many raters remain at each step"),
        ),
        *(
            _criterion_section(facts, criterion.key, criterion.label, tables[criterion.key])
            for criterion in facts.scores.project.criteria
        ),
        *([html_shell.section("Notes on the tables", *map(html_shell.prose, shared))] if shared else []),
        *_trust_section(trust, trust_overview.note(facts)),
        *_biases_section(facts),
        html_shell.section("Methods", html_shell.prose(methods(facts, version=version))),
    ]


def results_page(facts: ReportFacts, trust: Sequence[JudgeTrust], *, version: str) -> str:
    """Return the results as one HTML page without scripts or external resources."""
    return html_shell.page(
        facts.title, subtitle(facts, version=version), sections(facts, trust, version=version)
    )


def _trust_section(measured: Sequence[JudgeTrust], note: str) -> list[str]:
    parts = []
    for trust in measured:
        name = f"Can {trust.judge} be trusted?"
        parts += [
            f"<p><strong>{escape(name)}</strong></p>",
            html_shell.table(trust_overview.overview(trust), name=name),
        ]
    if not parts:
        return []
    return [html_shell.section("Trust at a glance", *parts, html_shell.prose(note))]


def _biases_section(facts: ReportFacts) -> list[str]:
    table = bias_table(facts)
    if table.empty:
        return []
    name = "Judge biases, compared with the raters' own"
    paragraphs = [html_shell.prose(sentence) for sentence in bias_sentences(facts)]
    return [html_shell.section(name, *paragraphs, html_shell.table(table, name=name))]


def _criterion_section(
    facts: ReportFacts, key: str, label: str, tables: Sequence[tuple[PaperTable, list[str]]]
) -> str:
    rows, ceiling = figures.forest_rows(facts, key)
    if not rows:
        return html_shell.section(label, f"<p>No judge or metric has scored these {facts.units}.</p>")
    svg = figures.forest_svg(rows, ceiling, caption=figures.axis_title(facts, key))
    parts = [html_shell.scrollable(svg, name=f"{label}, drawn")]
    for paper_table, own_notes in tables:
        notes = [html_shell.prose(note) for note in own_notes]
        title = f"{paper_table.title[0].upper()}{paper_table.title[1:]}"
        parts += [
            html_shell.prose(f"**{title}**"),
            html_shell.table(paper_table.table, name=f"{label}: {title}"),
            *notes,
        ]
    return html_shell.section(label, *parts)
