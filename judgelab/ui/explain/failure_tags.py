"""Draw the six failure modes of a judge on a response, one key each, and their counts per judge."""

from __future__ import annotations

from collections.abc import Container

import pandas as pd
import streamlit as st

from judgelab.analysis.disagreement.failure_modes import (
    FailureModes,
    dismiss_tag,
    failure_modes,
    response_tags,
    tag_states,
    toggle_tag,
)
from judgelab.charts.failure_modes import ModeBar, failure_mode_bars
from judgelab.languages import _, _n
from judgelab.store.frames.details import ResponseDetail
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating.tags import KINDS, MEANINGS, OF_QUESTIONS, TagInfo
from judgelab.ui.kit import failures, text, viewport, widgets
from judgelab.ui.session import gate


def draw_failure_tags(
    project: ProjectInfo,
    person: PersonInfo,
    detail: ResponseDetail,
    *,
    judge: str,
    criterion: str,
    version: str,
) -> None:
    """Draw the chosen judge's tags on this response, and in an expander the counts of all judges.

    Only for question answering: the six modes are about answers compared with known ones. Without a
    reference, the modes about it are not offered.
    """
    if project.task != "qa":
        return
    response = detail.response
    keys = _("keys 1 to 6") if detail.references and not viewport.is_narrow() else ""
    widgets.heading(_("Why do they differ?"), keys)
    tags = {
        tag.kind: tag for tag in response_tags(gate.store(), project.slug, response=response, judge=judge)
    }
    if gate.allowed("researcher", project):
        offered = KINDS if detail.references else {*OF_QUESTIONS, *tags}
        _draw_tag_buttons(project, person, response, judge, tags, offered)
    else:
        names = [_(KINDS[kind]) for kind, tag in tags.items() if tag.state == "accepted"]
        st.caption(text.listing(names, limit=6) or _("No reasons tagged yet."))
    _draw_proposals(project, person, response, judge, tags)
    _draw_counts(project, criterion, version)


def _draw_tag_buttons(
    project: ProjectInfo,
    person: PersonInfo,
    response: int,
    judge: str,
    tags: dict[str, TagInfo],
    offered: Container[str],
) -> None:
    with st.container(horizontal=True, gap="small"):
        for number, kind in enumerate(KINDS, 1):
            if kind not in offered:
                continue
            tag, shortcut = tags.get(kind), None if viewport.is_narrow() else str(number)
            is_set = tag is not None and tag.state == "accepted"
            button = widgets.primary_button if is_set else st.button
            if button(_(KINDS[kind]), key=f"explain_tag_{kind}", shortcut=shortcut, help=_(MEANINGS[kind])):
                _toggle_tag(project, person, response, judge, kind)


def _draw_proposals(
    project: ProjectInfo, person: PersonInfo, response: int, judge: str, tags: dict[str, TagInfo]
) -> None:
    for kind, tag in tags.items():
        if tag.state != "proposed":
            continue
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(
                _(
                    ":orange[Proposed by {model}, not counted yet:] {kind}",
                    model=text.plain(tag.proposer),
                    kind=_(KINDS[kind]),
                )
            )
            if gate.allowed("researcher", project):
                if st.button(_("Accept"), key=f"explain_accept_{kind}"):
                    _toggle_tag(project, person, response, judge, kind)
                if st.button(_("Dismiss"), key=f"explain_dismiss_{kind}", type="tertiary"):
                    _dismiss_tag(project, response, judge, kind)
        if tag.note:
            st.caption(text.plain(tag.note))


def _toggle_tag(project: ProjectInfo, person: PersonInfo, response: int, judge: str, kind: str) -> None:
    if not gate.allowed("researcher", project):
        st.rerun()  # the rerun says that access was withdrawn
    with failures.errors_explained():
        toggle_tag(gate.store(), project.slug, response=response, judge=judge, kind=kind, person_id=person.id)
        st.rerun()


def _dismiss_tag(project: ProjectInfo, response: int, judge: str, kind: str) -> None:
    if not gate.allowed("researcher", project):
        st.rerun()
    with failures.errors_explained():
        dismiss_tag(gate.store(), response=response, judge=judge, kind=kind)
        st.rerun()


@st.cache_data(max_entries=16, show_spinner=False)
def _load_failure_modes(
    slug: str, version: str, criterion: str, states: tuple[tuple[int, str], ...]
) -> FailureModes:
    return failure_modes(gate.store(), slug, criterion=criterion)


def _draw_counts(project: ProjectInfo, criterion: str, version: str) -> None:
    states = tag_states(gate.store(), project.slug)
    if not any(state == "accepted" for __, state in states):
        return
    modes = _load_failure_modes(project.slug, version, criterion, states)
    tagged = len({tag.response for tag in modes.tags if tag.state == "accepted"})
    label = _n(
        "How often each judge fails in this way ({n} response tagged)",
        "How often each judge fails in this way ({n} responses tagged)",
        tagged,
    )
    with st.expander(label):
        bars = [
            ModeBar(row.rater, "metric" if row.rater_kind == "metric" else "judge",
                    _(KINDS[row.kind]), row.wrong, row.tagged)
            for row in modes.rows
            if row.tagged
        ]  # fmt: skip
        if bars:
            figure = failure_mode_bars(bars, theme=widgets.theme(), narrow=viewport.is_narrow())
            widgets.chart(figure, key="explain_modes", alt=_worst_sentence(modes))
        st.caption(
            _(
                "For each failure mode: how many of the tagged responses a judge or metric scores {far} "
                "or more points away from the raters. Tags are set by hand, so these are counts of tagged "
                "responses, not shares of all.",
                far=f"{modes.large_from:g}",
            )
        )
        widgets.table(_mode_table(modes), key="explain_modes_table", columns=_columns(), height="content")


def _mode_table(modes: FailureModes) -> pd.DataFrame:
    rows = [row for row in modes.rows if row.tagged or row.own or row.proposed]
    return pd.DataFrame(
        {
            "Judge": [row.rater for row in rows],
            "Mode": [str(_(KINDS[row.kind])) for row in rows],
            "Wrong": [row.wrong for row in rows],
            "Of": [row.tagged for row in rows],
            "Own": [row.own for row in rows],
            "Proposed": [row.proposed for row in rows],
        }
    )


def _columns() -> dict[str, object]:
    column = st.column_config.Column
    return {
        "Judge": column(_("Judge")),
        "Mode": column(_("Mode")),
        "Wrong": column(_("Wrong")),
        "Of": column(_("Of")),
        "Own": column(_("Own tags")),
        "Proposed": column(_("Proposed")),
    }


def _worst_sentence(modes: FailureModes) -> str:
    worst = max(modes.rows, key=lambda row: row.wrong, default=None)
    if worst is None or not worst.wrong:
        return _("No judge fails on a tagged response.")
    return _(
        "Most failures: {judge}, {mode}, {wrong} of {tagged}.",
        judge=worst.rater,
        mode=_(KINDS[worst.kind]),
        wrong=worst.wrong,
        tagged=worst.tagged,
    )
