"""The list of differences between a judge and the people: filters, table, and the place in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.analysis.data.scored_raters import ComparedRater
from judgelab.charts.labels import shortened
from judgelab.domain import Criterion
from judgelab.languages import _, _n
from judgelab.metaeval.core.defaults import ANSWERS, for_scale
from judgelab.metaeval.judges.large_disagreements import large_disagreement_from
from judgelab.scales import scale_from_json
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import text, view_state, widgets
from judgelab.wording import mark

LINK = {
    "judge": "explain_judge",
    "criterion": "explain_criterion",
    "show": "explain_show",
    "system": "explain_system",
    "group": "explain_group",
    "apart": "explain_apart",
    "response": "explain_response",
}
ALL_PARTS = "all"
DIRECTIONS = {"any": mark("all"), "higher": mark("judge higher"), "lower": mark("lower")}
HEIGHT = 520
LONGEST_NAME = 21
LONGEST_SYSTEM = 10  # beside a question; the column shows some 24 letters
LONGEST_ID = 18  # digits; a database holds no larger number
ROWS_AT_ONCE = 1_000  # rows of the list; the browser and the server are slow with ten times as many
FORMATS: dict[Any, Any] = {
    "Raters": lambda value: text.number(value, 1),
    "Judge": lambda value: text.number(value, 1),
    "Diff.": text.signed,
}


@dataclass(frozen=True)
class DisagreementList:
    """The differences that pass the filters, and what they were taken from."""

    judge: str
    criterion: Criterion
    rows: pd.DataFrame
    compared: int
    far: float
    far_apart: int

    def position(self, response: int) -> int | None:
        """Return the place of a response in the list, from 0; None when it is filtered out."""
        found = self.rows.index[self.rows["response"] == response]
        return int(found[0]) if len(found) else None


def choose_disagreements(project: ProjectInfo, judges: list[ComparedRater], version: str) -> DisagreementList:
    """Draw the filters and return the differences that pass them, the largest first."""
    names = [judge.name for judge in judges]
    view_state.drop_unavailable("explain_judge", names)
    marks = {judge.name: f"{judge.name}, {_(judge.mark)}" if judge.mark else judge.name for judge in judges}
    name = st.selectbox(
        _("Judge"), names, format_func=marks.__getitem__, key="explain_judge", persist_state="session"
    )
    criterion = _choose_criterion(project, next(judge for judge in judges if judge.name == name))
    frame = loaders.differences(project.slug, version, rater=name, criterion=criterion.key)
    kept = _filter_by_direction(_filter_by_origin(frame))
    scale = project.scale(criterion.key)
    far = large_disagreement_from(scale)
    apart = int((frame["difference"].abs() >= far - 1e-9).sum())
    return DisagreementList(name, criterion, kept.reset_index(drop=True), len(frame), far, apart)


def draw_disagreement_table(listed: DisagreementList) -> None:
    """Draw the list with the response in hand tinted, or its part of a long one; a click opens another."""
    at = listed.position(int(st.session_state.get("explain_response") or 0))
    start = (at or 0) // ROWS_AT_ONCE * ROWS_AT_ONCE
    rows = listed.rows.iloc[start : start + ROWS_AT_ONCE].reset_index(drop=True)
    shown = pd.DataFrame(
        {
            "Question": _row_labels(rows),
            "Raters": rows["human"],
            "Judge": rows["judge"],
            "Diff.": rows["difference"],
        }
    )
    styled = shown.style.format(FORMATS)
    if at is not None:
        styled = styled.set_properties(
            subset=([at - start], slice(None)), **{"background-color": widgets.theme().tint}
        )
    # A selected cell would stay where it was clicked while the neighbours are read one by one.
    st.session_state["explain_table"] = {"selection": {"rows": [], "columns": [], "cells": []}}
    st.dataframe(
        styled,
        key="explain_table",
        hide_index=True,
        row_height=28,
        height=min(HEIGHT, 38 + 28 * max(1, len(shown))),
        on_select=lambda: _open_clicked(listed, start),
        selection_mode="single-cell",
        column_config=widgets.column_settings(shown, _columns()),
    )
    if len(rows) < len(listed.rows):
        st.caption(
            _(
                "Rows {first} to {last} of {n}; narrow the list, or go on with the buttons.",
                first=text.count(start + 1),
                last=text.count(start + len(rows)),
                n=text.count(len(listed.rows)),
            )
        )


def _columns() -> dict[str, Any]:
    column = st.column_config.Column
    return {
        "Question": column(_("Question"), width=166),
        "Raters": column(_("Raters"), width=60),
        "Judge": column(_("Judge"), width=58),
        "Diff.": column(_("Diff."), width=54),
    }


def _row_labels(rows: pd.DataFrame) -> list[str]:
    """Return what stands for each row: its question, after the system where several answer the same."""
    named = rows["question"] != ""
    several = bool(rows.loc[named, "question"].duplicated().any())
    return [_row_label(row, several) for row in rows.to_dict("records")]


def _row_label(row: Mapping[Any, Any], with_system: bool) -> str:
    """Return the question, else system and item, whose middle goes first when they are long."""
    if not row["question"]:
        return shortened(f"{row['system']} {row['item']}".strip(), LONGEST_NAME)
    if not (with_system and row["system"]):
        return str(row["question"])
    return f"{shortened(str(row['system']), LONGEST_SYSTEM)}: {row['question']}"


def draw_navigation(listed: DisagreementList, response: int) -> None:
    """Draw the place in the list with the ways to the neighbours."""
    at = listed.position(response)
    with st.container(
        horizontal=True, horizontal_alignment="right", vertical_alignment="center", gap="small"
    ):
        if at is None:
            said = _("not in this list")
        else:
            said = _("{place} of {n}", place=at + 1, n=len(listed.rows))
        st.caption(said, width="content")
        _draw_step("previous", _("Previous"), listed, None if at is None else at - 1)
        _draw_step("next", _("Next"), listed, 0 if at is None else at + 1)


def current_response(listed: DisagreementList) -> int | None:
    """Return the response to show: the one chosen or linked, else the first of the list."""
    chosen = str(st.session_state.get("explain_response") or "")
    if chosen.isdecimal() and len(chosen) <= LONGEST_ID:
        return int(chosen)
    return int(listed.rows["response"].iloc[0]) if len(listed.rows) else None


def write_link(response: int | None) -> None:
    """Write the judge, the filters and the response into the link."""
    st.session_state["explain_response"] = response
    values = {word: st.session_state.get(key) for word, key in LINK.items()}
    dropped = {"show": "any", "system": ALL_PARTS, "group": ALL_PARTS, "apart": 0.0}
    view_state.write_link(
        "explain", {word: None if dropped.get(word) == value else value for word, value in values.items()}
    )


def read_link(project: ProjectInfo) -> None:
    """Take judge, filters and response from the link; a response of another project does not stay."""
    if st.session_state.get("explain_project") != project.slug:
        st.session_state.pop("explain_response", None)
        st.session_state["explain_project"] = project.slug
    view_state.follow_link("explain", LINK)
    apart = st.session_state.get("explain_apart")
    if isinstance(apart, str):
        st.session_state["explain_apart"] = float(apart) if apart.replace(".", "", 1).isdecimal() else 0.0


def _choose_criterion(project: ProjectInfo, judge: ComparedRater) -> Criterion:
    keys = [c.key for c in project.criteria if c.key in judge.criteria]
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


def _filter_by_origin(frame: pd.DataFrame) -> pd.DataFrame:
    """Draw the filters by system, group and size; returns what passes."""
    with st.popover(_("More filters"), icon=":material/filter_list:", width="stretch"):
        for column, label in (("system", _("System")), ("group", _("Group"))):
            names = sorted(name for name in frame[column].unique() if name)
            if len(names) < 2:
                continue
            key = f"explain_{column}"
            view_state.drop_unavailable(key, [ALL_PARTS, *names])
            chosen = st.selectbox(
                label, [ALL_PARTS, *names], key=key, format_func=_origin, persist_state="session"
            )
            if chosen != ALL_PARTS:
                frame = frame[frame[column] == chosen]
        apart = st.number_input(
            _("At least so many points apart"), 0.0, step=0.5, key="explain_apart", persist_state="session"
        )
    return frame[frame["difference"].abs() >= apart]


def _origin(name: str) -> str:
    return _("all") if name == ALL_PARTS else name


def _filter_by_direction(frame: pd.DataFrame) -> pd.DataFrame:
    difference = frame["difference"]
    parts = {"any": frame, "higher": frame[difference > 0], "lower": frame[difference < 0]}
    view_state.drop_unavailable("explain_show", list(DIRECTIONS))
    chosen = st.segmented_control(
        _("Show"),
        list(DIRECTIONS),
        format_func=lambda key: f"{_(DIRECTIONS[key])} {len(parts[key]):,}",
        default=None if "explain_show" in st.session_state else "any",
        required=True,
        wrap=True,
        key="explain_show",
        persist_state="session",
    )
    return parts[chosen or "any"]


def _open_clicked(listed: DisagreementList, start: int) -> None:
    cells = st.session_state["explain_table"]["selection"]["cells"]
    if cells:
        st.session_state["explain_response"] = int(listed.rows["response"].iloc[start + cells[0][0]])


def _draw_step(way: str, word: str, listed: DisagreementList, to: int | None) -> None:
    possible = to is not None and 0 <= to < len(listed.rows)
    target = int(listed.rows["response"].iloc[to]) if possible and to is not None else None
    st.button(
        word,
        key=f"explain_{way}",
        disabled=not possible,
        on_click=_open_response,
        args=(target,),
    )


def _open_response(response: int | None) -> None:
    st.session_state["explain_response"] = response


def summary_sentence(listed: DisagreementList) -> str:
    """Return how many responses are far apart, for the page's header."""
    if not listed.compared:
        return ""
    far = _n("{some} of {n} response", "{some} of {n} responses", listed.compared, some=listed.far_apart)
    if for_scale(scale_from_json(listed.criterion.scale)).wording == ANSWERS:
        return _("{responses} with opposite answers", responses=far)
    distance = text.points(listed.far)
    return _("{responses} are {distance} or more apart", responses=far, distance=distance)
