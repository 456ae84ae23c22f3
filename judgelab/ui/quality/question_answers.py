"""Draw what raters answered to the questions beside the scores: statistics, free texts, and a download."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.analysis.raters import question_answers
from judgelab.analysis.raters.question_answers import AnsweredQuestion, ProjectAnswers
from judgelab.annotation.rating.questions import KINDS
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import stale_results
from judgelab.ui.kit import missing_values, text, widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import downloads

MOST_KEPT, MOST_TEXTS, HEIGHT = 8, 500, 360


def draw_answers(project: ProjectInfo) -> None:
    """Draw the answers to the questions that the project asks; nothing if it asks none."""
    if not project.settings.get("questions"):
        return
    version = question_answers.answers_fingerprint(gate.store(), project.slug)
    found = _load_answers(project.slug, version)
    st.divider()
    widgets.heading(_("Answers to questions"), _("of all raters, whatever the filter"))
    if not found.given:
        st.caption(_("There are no answers yet."))
        return
    _draw_statistics(found)
    _draw_options(found)
    for asked in found.questions:
        if asked.texts:
            _draw_texts(asked)
    files = [downloads.File(_("Every answer (CSV)"), "csv", found.to_csv)]
    downloads.draw_downloads(project, files, name="answers", key="answers_export", role="researcher")


@stale_results.kept(MOST_KEPT, version_now=question_answers.answers_fingerprint)
def _load_answers(slug: str, version: str) -> ProjectAnswers:
    return question_answers.project_answers(gate.store(), slug)


def _draw_statistics(found: ProjectAnswers) -> None:
    rows = []
    for asked in found.questions:
        statistics, alpha = asked.statistics, asked.statistics.alpha
        rows.append(
            {
                "Question": asked.question.text,
                "Kind": _(KINDS[asked.question.kind]),
                "n": text.count(statistics.n),
                "Mean": text.number(statistics.mean),
                "Median": text.number(statistics.median),
                "α": text.number(alpha.value if alpha else None),
                "95 % interval": text.interval(alpha.ci if alpha else None),
            }
        )
    column = st.column_config.TextColumn
    widgets.table(
        pd.DataFrame(rows),
        key="answers_statistics",
        columns={
            "Question": column(_("Question"), width=320),
            "Kind": column(_("Kind")),
            "n": column("n", alignment="right"),
            "Mean": column(_("Mean"), alignment="right"),
            "Median": column(_("Median"), alignment="right"),
            "α": column(
                "α",
                alignment="right",
                help=_("Krippendorff's alpha of the raters: interval for numbers, nominal for one option."),
            ),
            "95 % interval": column(_("95 % interval"), alignment="right"),
        },
        height="content",
    )
    missing_values.write_missing_reasons(
        (asked.question.text, asked.statistics.alpha.reason)
        for asked in found.questions
        if asked.statistics.alpha is not None
    )
    for asked in found.questions:
        if left_out := asked.statistics.not_fitting:
            st.caption(
                text.plain(
                    _(
                        "“{question}”: {n} left out, because the question had another kind when they were "
                        "given.",
                        question=asked.question.text,
                        n=text.count(left_out),
                    )
                )
            )


def _draw_options(found: ProjectAnswers) -> None:
    rows = [
        {
            "Question": asked.question.text,
            "Option": option.option,
            "n": text.count(option.n),
            "Share": text.share(option.n, asked.statistics.n) if asked.statistics.n else text.MISSING,
            "α": text.number(option.alpha.value if option.alpha else None),
            "95 % interval": text.interval(option.alpha.ci if option.alpha else None),
        }
        for asked in found.questions
        for option in asked.statistics.options
    ]
    if not rows:
        return
    frame = pd.DataFrame(rows)
    if not any(option.alpha for asked in found.questions for option in asked.statistics.options):
        frame = frame.drop(columns=["α", "95 % interval"])
    column = st.column_config.TextColumn
    widgets.table(
        frame,
        key="answers_options",
        columns={
            "Question": column(_("Question"), width=320),
            "Option": column(_("Option")),
            "n": column("n", alignment="right"),
            "Share": column(_("Share of answers"), alignment="right"),
            "α": column(
                "α",
                alignment="right",
                help=_("Krippendorff's alpha, nominal, of whether several options include this one."),
            ),
            "95 % interval": column(_("95 % interval"), alignment="right"),
        },
        height="content" if len(frame) <= 12 else HEIGHT,
    )
    missing_values.write_missing_reasons(
        (option.option, option.alpha.reason)
        for asked in found.questions
        for option in asked.statistics.options
        if option.alpha is not None
    )


def _draw_texts(asked: AnsweredQuestion) -> None:
    shown = asked.texts[:MOST_TEXTS]
    with st.expander(text.plain(f"{asked.question.text} ({text.count(len(asked.texts))})")):
        frame = pd.DataFrame(
            {
                "Answer": [str(unit.answers[asked.question.key]) for unit in shown],
                "Rater": [unit.rater for unit in shown],
                "Item": [unit.item for unit in shown],
                "System": [" – ".join(unit.systems) for unit in shown],
            }
        )
        column = st.column_config.TextColumn
        widgets.table(
            frame,
            key=f"answers_texts_{asked.question.key}",
            columns={
                "Answer": column(_("Answer"), width=520),
                "Rater": column(_("Rater")),
                "Item": column(_("Item")),
                "System": column(_("System")),
            },
            height="content" if len(frame) <= 12 else HEIGHT,
        )
        if len(shown) < len(asked.texts):
            st.caption(_("The first {n}; the file has all.", n=text.count(len(shown))))
