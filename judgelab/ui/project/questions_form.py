"""A table to edit what raters are asked beside the criteria."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.annotation.rating.question_rows import completed_questions
from judgelab.annotation.rating.questions import KINDS
from judgelab.domain import Criterion
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets

COLUMNS = ("key", "text", "kind", "options", "required", "when")


def draw_questions(project: ProjectInfo, criteria: Sequence[Criterion], *, form: str) -> list[dict[str, Any]]:
    """Draw the table and return its rows as the settings store them.

    Args:
        project: the project whose questions are edited.
        criteria: the criteria as chosen on the page: a condition may name a label that was just renamed.
        form: the form of rating chosen on the page.

    Raises:
        InvalidInput: a question cannot be asked.
    """
    widgets.heading(_("Questions for raters"), _("shown below the scores; answers are exported, not scored"))
    stored = project.settings.get("questions") or []
    usual = {"kind": "text"}  # a question of a file may leave its kind out
    rows = [
        [*(str(row.get(name) or usual.get(name, "")) for name in COLUMNS[:3]), *_rest(row)] for row in stored
    ]
    frame = pd.DataFrame(rows, columns=list(COLUMNS))
    edited = st.data_editor(
        frame.astype({name: "bool" if name == "required" else "object" for name in COLUMNS}),
        key=f"settings_{project.slug}_questions",
        num_rows="dynamic",
        hide_index=True,
        row_height=28,
        column_config={
            "key": st.column_config.TextColumn(
                _("Key"),
                width=90,
                help=_(
                    "Its name in conditions and exports. Leave empty to make it from the question's text."
                ),
            ),
            "text": st.column_config.TextColumn(_("Question"), width=230),
            "kind": st.column_config.SelectboxColumn(
                _("Kind"),
                options=list(KINDS),
                format_func=lambda kind: _(KINDS[kind]) if kind in KINDS else "",
                default="text",
                width=110,
            ),
            "options": st.column_config.TextColumn(_("Options, separated by |"), width=150),
            "required": st.column_config.CheckboxColumn(_("Required"), default=False),
            "when": st.column_config.TextColumn(
                _("Ask only if"),
                help=_(
                    "A condition such as relevance < 3; leave empty to always ask. It names a criterion "
                    "(label or key) or an earlier question (text or key), in any case. Names: {names}.",
                    names=_names(project),
                ),
            ),
        },
    )
    written = [
        {name: "" if name != "required" and pd.isna(row[name]) else row[name] for name in COLUMNS}
        for row in edited.to_dict("records")
    ]
    filled = ("key", "text", "options", "when")
    asked = [row for row in written if any(str(row[name]).strip() for name in filled)]
    for row in asked:
        row["required"] = row["required"] is True
        row["options"] = [part.strip() for part in str(row["options"]).split("|") if part.strip()]
    return completed_questions(asked, criteria, form=form, earlier=stored)


def _names(project: ProjectInfo) -> str:
    """Return what conditions can name, as stored: a text that changes while one types empties the table."""
    criteria = [
        criterion.key
        if criterion.label.casefold() == criterion.key
        else f"{criterion.label} ({criterion.key})"
        for criterion in project.criteria
    ]
    questions = [str(row.get("key") or "") for row in project.settings.get("questions") or []]
    return text.plain(", ".join(filter(None, [*criteria, *questions])) or "–")


def _rest(row: dict[str, Any]) -> list[Any]:
    return ["|".join(row.get("options") or []), bool(row.get("required")), str(row.get("when") or "")]
