"""The list of differences between a judge and the raters: filters, table, and navigation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from judgelab.analysis.data.scored_raters import ComparedRater
from judgelab.analysis.disagreement.disagreements import DifferenceSizes, difference_sizes
from judgelab.charts.labels import shortened
from judgelab.domain import Criterion
from judgelab.languages import _
from judgelab.scales import Scale, scale_from_json
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.explain.response_scores import score_text
from judgelab.ui.kit import column_widths, row_list, text, view_state, viewport
from judgelab.wording import mark

SESSION_KEYS = {  # by query parameter
    "judge": "explain_judge",
    "criterion": "explain_criterion",
    "show": "explain_show",
    "system": "explain_system",
    "group": "explain_group",
    "apart": "explain_apart",
    "response": "explain_response",
}
ALL_PARTS = "all"
DIRECTIONS = {
    "any": mark("all"),
    "higher": mark("higher"),
    "lower": mark("lower"),
    "same": mark("equal"),
}
LABEL_DIRECTIONS = {
    "any": mark("all"),
    "higher": mark("different"),
    "same": mark("equal"),
}  # without an order
SIGNS = {"higher": 1, "lower": -1, "same": 0}  # of a difference
HEIGHT, TALL = 520, 940  # on a phone, and beside the response
LONGEST_NAME, LONGEST_SYSTEM = 21, 9  # characters
LONGEST_ID = 18  # digits; larger numbers do not fit a database id
ROWS_AT_ONCE = 1_000  # browser and server are slow with ten times as many rows
FORMATS: dict[Any, Any] = {
    "Raters": lambda value: text.number(value, 1),
    "Judge": lambda value: text.number(value, 1),
    "Diff.": text.signed,
}


@dataclass(frozen=True)
class DisagreementList:
    """The differences that pass the filters, with counts over all differences.

    Attributes:
        rows: the differences that pass the filters, largest first.
        sizes: how large all differences are, whether or not they pass the filters.
    """

    judge: str
    criterion: Criterion
    rows: pd.DataFrame
    sizes: DifferenceSizes

    def position(self, response: int) -> int | None:
        """Return the index of a response in the list; None if it is filtered out."""
        places = self.rows.index[self.rows["response"] == response]
        return int(places[0]) if len(places) else None


def choose_disagreements(project: ProjectInfo, judges: list[ComparedRater], version: str) -> DisagreementList:
    """Draw the filters and return the differences that pass them, largest first."""
    by_name = {judge.name: judge for judge in judges}
    labels = {name: f"{name}, {_(judge.badge)}" if judge.badge else name for name, judge in by_name.items()}
    view_state.drop_unavailable("explain_judge", list(labels))
    name = st.selectbox(
        _("Judge"), labels, format_func=labels.__getitem__, key="explain_judge", persist_state="session"
    )
    criterion = _choose_criterion(project, by_name[name])
    differences = loaders.disagreement_table(project.slug, version, rater=name, criterion=criterion.key)
    scale = project.scale(criterion.key)
    filtered = _filter_by_direction(_filter_by_origin(differences, scale), scale)
    sizes = difference_sizes(differences["difference"], scale)
    return DisagreementList(name, criterion, filtered.reset_index(drop=True), sizes)


def draw_disagreement_table(disagreements: DisagreementList) -> None:
    """Draw the list (of a long one a part), with the current response tinted; a click opens another."""
    place = disagreements.position(int(st.session_state.get("explain_response") or 0))
    start = (place or 0) // ROWS_AT_ONCE * ROWS_AT_ONCE
    rows = disagreements.rows.iloc[start : start + ROWS_AT_ONCE].reset_index(drop=True)
    table = pd.DataFrame(
        {
            "Question": _row_labels(rows),
            "System": rows["system"],  # before the numbers: several rows have the same question
            "Diff.": rows["difference"],
            "Raters": rows["human"],
            "Judge": rows["judge"],
        }
    )
    scale = scale_from_json(disagreements.criterion.scale)
    formats = FORMATS
    if not scale.ordered:
        del table["Diff."]
        formats = dict.fromkeys(("Raters", "Judge"), lambda value: scale.label_of(value) or score_text(value))
    if table["System"].nunique() < 2 or not rows["question"].any():
        del table["System"]
    row_list.draw_row_list(
        table,
        key="explain_table",
        columns=_columns(),
        height=min(HEIGHT if viewport.is_narrow() else TALL, 38 + 28 * max(1, len(table))),
        current=None if place is None else place - start,
        on_click=lambda row: st.session_state.update(
            {"explain_response": int(disagreements.rows["response"].iloc[start + row])}
        ),
        formats={
            **formats,
            "Question": column_widths.short_labels(table["Question"], _question_width()).__getitem__,
            "System": lambda name: shortened(name, LONGEST_SYSTEM),
        },
    )
    if len(rows) < len(disagreements.rows):
        st.caption(
            _(
                "Rows {first} to {last} of {n}; narrow the list, or use the buttons.",
                first=text.count(start + 1),
                last=text.count(start + len(rows)),
                n=text.count(len(disagreements.rows)),
            )
        )


def _columns() -> dict[str, Any]:
    column = st.column_config.Column
    return {
        "Question": column(_("Item"), width=_question_width()),
        "System": column(_("System"), width=66 if viewport.is_narrow() else 84),
        "Diff.": column(_("Diff.")),
        "Raters": column(_("Raters")),
        "Judge": column(_("Judge")),
    }


def _question_width() -> int:
    """Return the width that system and numbers leave."""
    return 84 if viewport.is_narrow() else 120


def _row_labels(rows: pd.DataFrame) -> list[str]:
    """Return each row's item with its question; where no item has one, system and item."""
    items, questions = rows["item"].astype(str).tolist(), rows["question"].astype(str).tolist()
    if any(questions):
        return column_widths.item_labels(questions, items, _question_width())
    systems = rows["system"].astype(str).tolist()
    return [
        shortened(f"{system} {item}".strip(), LONGEST_NAME)
        for system, item in zip(systems, items, strict=True)
    ]


def draw_disagreement_navigation(disagreements: DisagreementList, response: int) -> None:
    """Draw the position in the list and buttons to the neighbours."""
    place = disagreements.position(response)
    with st.container(
        horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small"
    ):
        if place is None:
            position = _("not in this list")
        else:
            position = _("{place} of {n}", place=place + 1, n=len(disagreements.rows))
        st.caption(position, width="content")
        _draw_step("previous", _("Previous"), disagreements, None if place is None else place - 1)
        _draw_step("next", _("Next"), disagreements, 0 if place is None else place + 1)


def current_response(disagreements: DisagreementList) -> int | None:
    """Return the chosen or linked response, else the first of the list."""
    chosen = str(st.session_state.get("explain_response") or "")
    if chosen.isdecimal() and len(chosen) <= LONGEST_ID:
        return int(chosen)
    return int(disagreements.rows["response"].iloc[0]) if len(disagreements.rows) else None


def write_disagreement_link(response: int | None) -> None:
    """Write the judge, the filters and the response into the page's URL."""
    st.session_state["explain_response"] = response
    values = {parameter: st.session_state.get(key) for parameter, key in SESSION_KEYS.items()}
    defaults = {"show": "any", "system": ALL_PARTS, "group": ALL_PARTS, "apart": 0.0}
    view_state.write_link(
        "explain",
        {
            parameter: None if defaults.get(parameter) == value else value
            for parameter, value in values.items()
        },
    )


def read_disagreement_link(project: ProjectInfo) -> None:
    """Take judge, filters and response from the URL; forget a response of another project."""
    if st.session_state.get("explain_project") != project.slug:
        st.session_state.pop("explain_response", None)
        st.session_state["explain_project"] = project.slug
    view_state.follow_link("explain", SESSION_KEYS)
    least_distance = st.session_state.get("explain_apart")
    if isinstance(least_distance, str):
        st.session_state["explain_apart"] = (
            float(least_distance) if least_distance.replace(".", "", 1).isdecimal() else 0.0
        )


def _choose_criterion(project: ProjectInfo, judge: ComparedRater) -> Criterion:
    keys = [criterion.key for criterion in project.criteria if criterion.key in judge.criteria]
    view_state.drop_unavailable("explain_criterion", keys)
    if len(keys) == 1:
        st.session_state["explain_criterion"] = keys[0]
        return project.criterion(keys[0])
    key = st.selectbox(
        _("Criterion"),
        keys,
        format_func=lambda key: project.criterion(key).label,
        key="explain_criterion",
        persist_state="session",
    )
    return project.criterion(key)


def _filter_by_origin(frame: pd.DataFrame, scale: Scale) -> pd.DataFrame:
    """Draw the filters by system, group and size; return the rows that pass."""
    with st.popover(_("More filters"), icon=":material/filter_list:", width="stretch"):
        for column, label in (("system", _("System")), ("group", _("Group"))):
            names = sorted(name for name in frame[column].unique() if name)
            if len(names) < 2:
                continue
            key = f"explain_{column}"
            view_state.drop_unavailable(key, [ALL_PARTS, *names])
            chosen = st.selectbox(
                label,
                [ALL_PARTS, *names],
                key=key,
                format_func=lambda name: _("all") if name == ALL_PARTS else name,
                persist_state="session",
            )
            if chosen != ALL_PARTS:
                frame = frame[frame[column] == chosen]
        if not scale.ordered:
            return frame
        least_distance = st.number_input(
            _("Minimum difference"), 0.0, step=0.5, key="explain_apart", persist_state="session"
        )
    return frame[frame["difference"].abs() >= least_distance]


def _filter_by_direction(frame: pd.DataFrame, scale: Scale) -> pd.DataFrame:
    directions = DIRECTIONS if scale.ordered else LABEL_DIRECTIONS
    signs = np.sign(frame["difference"])
    parts: dict[str, pd.DataFrame] = {
        "any": frame,
        **{direction: frame[signs == sign] for direction, sign in SIGNS.items()},
    }
    view_state.drop_unavailable("explain_show", list(directions))
    chosen = st.segmented_control(
        _("Judge’s score") if scale.ordered else _("Judge’s label"),
        list(directions),
        format_func=lambda key: f"{_(directions[key])} {len(parts[key]):,}",
        default=None if "explain_show" in st.session_state else "any",
        required=True,
        wrap=True,
        key="explain_show",
        persist_state="session",
    )
    return parts[chosen or "any"]


def _draw_step(direction: str, label: str, disagreements: DisagreementList, index: int | None) -> None:
    possible = index is not None and 0 <= index < len(disagreements.rows)
    target = int(disagreements.rows["response"].iloc[index]) if possible and index is not None else None
    st.button(
        label,
        key=f"explain_{direction}",
        disabled=not possible,
        on_click=st.session_state.update,
        kwargs={"explain_response": target},
    )
