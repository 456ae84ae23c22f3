"""The ratings on which a rater differs most from the others."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.analysis.raters.rater_profile import RaterProfile
from judgelab.languages import _, _n
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.kit import text, widgets

DISAGREEMENTS_PAGE = "pages/researcher/disagreements.py"
MOST_CHARACTERS = 400  # characters of a response shown with a difference


def draw_differences(profile: RaterProfile, project: ProjectInfo, rater: str) -> None:
    """Draw a table of the largest differences; a selected row shows its response and a link to *Explain*."""
    rows = profile.differences
    counts = _n("{some} of {n} rating", "{some} of {n} ratings", profile.n_compared, some=len(rows))
    widgets.heading(_("Differs most on"), counts)
    if rows.empty:
        st.caption(_("No response has a score by this rater that differs from another rater's."))
        return
    labels = {criterion.key: criterion.label for criterion in project.criteria}
    scales = [project.scale(key) for key in rows["criterion"]]
    frame = pd.DataFrame(
        {
            "Item": rows["item"],
            "System": rows["system"],
            "Criterion": rows["criterion"].map(labels),
            "Score": [
                scale.label_of(score) or f"{score:g}"
                for score, scale in zip(rows["score"], scales, strict=True)
            ],
            "Others": [
                f"{scale.label_of(mean) or text.number(mean, 1)} ({n:z.0f})"
                for mean, n, scale in zip(rows["others"], rows["raters"], scales, strict=True)
            ],
            "Diff.": [
                text.signed(value, 1) if scale.ordered else ""
                for value, scale in zip(rows["difference"], scales, strict=True)
            ],
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
            "System": column(_("System")),
            "Criterion": column(_("Criterion")),
            "Score": column(_("Score"), alignment="right"),
            "Others": column(_("Others"), alignment="right"),
            "Diff.": column(_("Diff."), alignment="right"),
            "Comment": column(_("Comment")),
        },
        height=28 * 9,
    )
    if selected is None:
        st.caption(_("Select a row to read the response."))
        return
    row = rows.iloc[selected]
    response_text = "" if pd.isna(row["text"]) else str(row["text"])
    st.text(response_text if len(response_text) <= MOST_CHARACTERS else f"{response_text[:MOST_CHARACTERS]}…")
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
