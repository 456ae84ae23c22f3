"""The ratings or comparisons on which a rater differs most from the others."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.raters.rater_profile import MOST_DIFFERENCES, RaterProfile
from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.shared import text_view

DISAGREEMENTS_PAGE = "pages/researcher/disagreements.py"


def draw_differences(profile: RaterProfile, project: ProjectInfo, rater: str) -> None:
    """Draw a table of the largest differences; a selected row shows its response and a link to *Explain*."""
    rows, compared = profile.differences, profile.form == "pairwise"
    widgets.heading(
        _("Largest differences from other raters"),
        counts_text(profile, several_criteria=len(project.criteria) > 1),
    )
    if rows.empty:
        st.caption(
            _("No pair has a choice by this rater that differs from another rater's.")
            if compared
            else _("No response has a score by this rater that differs from another rater's.")
        )
        return
    labels = {criterion.key: criterion.label for criterion in project.criteria}
    cells = _choice_cells(rows) if compared else _score_cells(rows, project)
    frame = pd.DataFrame(
        {
            "Item": rows["item"],
            "System": [" – ".join(_side_names(row)) for _index, row in rows.iterrows()]
            if compared
            else rows["system"],
            "Criterion": rows["criterion"].map(labels),
            **cells,
            "Comment": rows["comment"],
        }
    )
    empty = [name for name in ("System", "Comment", "Diff.") if (frame[name] == "").all()]
    if len(labels) == 1:
        empty.append("Criterion")
    column = st.column_config.Column
    selected = widgets.table(
        frame.drop(columns=empty),
        key=f"raters_differences_{project.id}_{rater}",
        select=True,
        columns={
            "Item": column(_("Item")),
            "System": column(_("Pair") if compared else _("System")),
            "Criterion": column(_("Criterion")),
            "Score": column(_("Choice")) if compared else column(_("Score"), alignment="right"),
            "Others": column(_("Others")) if compared else column(_("Others"), alignment="right"),
            "Diff.": column(_("Diff."), alignment="right"),
            "Comment": column(_("Comment")),
        },
        height=28 * 9,
    )
    if selected is None:
        st.caption(
            _("Select a row to read the two responses.")
            if compared
            else _("Select a row to read the response.")
        )
        return
    row = rows.iloc[selected]
    text_view.ask_as_typed(("response",))
    if compared:
        for name, response_text in zip(_side_names(row), (row["text"], row["text_second"]), strict=True):
            st.caption(text.plain(name))
            _write_text(response_text, key=name)
        st.page_link(
            DISAGREEMENTS_PAGE,
            label=_("Pairs in Explain"),
            icon=":material/arrow_forward:",
            query_params={"project": project.slug, "compared": str(row["criterion"]), "form": "pairs"},
        )
        return
    _write_text(row["text"])
    st.page_link(
        DISAGREEMENTS_PAGE,
        label=_("Open in Explain"),
        icon=":material/arrow_forward:",
        query_params={
            "project": project.slug,
            "criterion": str(row["criterion"]),
            "response": str(int(row["response"])),
        },
    )


def counts_text(profile: RaterProfile, *, several_criteria: bool) -> str:
    """Return how many ratings differ, or that the largest differences are listed, and what is left out."""
    some, n, alone, tied = len(profile.differences), profile.n_compared, profile.n_alone, profile.n_tied
    if profile.form == "pairwise":
        parts = [
            _n(
                "the {some} largest, of {n} comparison",
                "the {some} largest, of {n} comparisons",
                n,
                some=some,
            )
            if some == MOST_DIFFERENCES
            else _n("{some} of {n} comparison differs", "{some} of {n} comparisons differ", n, some=some)
        ]
        left_out = _n(
            "without {n} of a pair that none of the others compared",
            "without {n} of pairs that none of the others compared",
            alone,
        )
    else:
        parts = [
            _n("the {some} largest, of {n} rating", "the {some} largest, of {n} ratings", n, some=some)
            if some == MOST_DIFFERENCES
            else _n("{some} of {n} rating differs", "{some} of {n} ratings differ", n, some=some)
        ]
        left_out = _n(
            "without {n} of a response that none of the others rated",
            "without {n} of responses that none of the others rated",
            alone,
        )
    parts += [_("all criteria")] if several_criteria else []
    parts += [left_out] if alone else []
    if tied:
        parts.append(_("without {n} where the others tie", n=text.count(tied)))
    return ", ".join(parts)


def _score_cells(rows: pd.DataFrame, project: ProjectInfo) -> dict[str, list[str]]:
    scales = [project.scale(key) for key in rows["criterion"]]
    return {
        "Score": [
            scale.label_of(score) or f"{score:g}" for score, scale in zip(rows["score"], scales, strict=True)
        ],
        "Others": [
            f"{scale.label_of(mean) or text.number(mean, 1)} ({n:z.0f})"
            for mean, n, scale in zip(rows["others"], rows["raters"], scales, strict=True)
        ],
        "Diff.": [
            text.signed(value, 1) if scale.ordered else ""
            for value, scale in zip(rows["difference"], scales, strict=True)
        ],
    }


def _choice_cells(rows: pd.DataFrame) -> dict[str, list[str]]:
    """Return the rater's choice and the others' with their numbers."""
    choices, others = list[str](), list[str]()
    for _index, row in rows.iterrows():
        first, second = _side_names(row)
        choices.append({1.0: first, -1.0: second}.get(row["score"], _("tie")))
        votes = ((first, row["n_first"]), (_("tie"), row["n_tie"]), (second, row["n_second"]))
        others.append(", ".join(f"{name} ({n})" for name, n in votes if n))
    return {"Score": choices, "Others": others, "Diff.": [""] * len(rows)}


def _side_names(row: pd.Series[Any]) -> tuple[str, str]:
    """Return the two systems, or what the responses are called without different ones."""
    first, second = str(row["system_first"]), str(row["system_second"])
    return (
        (first, second)
        if first and second and first != second
        else (_("First response"), _("Second response"))
    )


def _write_text(response_text: Any, *, key: str = "") -> None:
    shown = "" if pd.isna(response_text) else str(response_text)
    with text_view.box(shown):
        text_view.draw_text(shown, "response", key=key)
