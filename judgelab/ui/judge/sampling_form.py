"""The number of replies per unit, and how they are combined into one score."""

from __future__ import annotations

import streamlit as st

from judgelab.languages import _
from judgelab.protocols import Protocol
from judgelab.protocols.core.aggregation import AGGREGATIONS
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import option_words, study_words


def draw_sampling_form(project: ProjectInfo, protocol: Protocol) -> tuple[int, str]:
    """Draw both fields with a note on the cost, and return their values.

    The default is the paper's number of replies if the project's study used the protocol, else one.
    """
    left, right = st.columns(2)
    of_item = protocol.judges == "item"  # several calls may ask about the pairs of an item
    samples = left.number_input(
        _("Replies per call") if of_item else _("Replies per response"),
        1,
        100,
        protocol.samples if study_words.uses(project, protocol) else 1,
        key=f"judges_samples_{protocol.name}",
        help=_("Replies requested per call; they are combined into one score.")
        if of_item
        else _("Replies requested per response; they are combined into one score."),
    )
    methods = list(AGGREGATIONS)
    combine = right.selectbox(
        _("Combine by"),
        methods,
        index=methods.index(protocol.aggregation),
        format_func=option_words.choice,
        key=f"judges_combine_{protocol.name}",
    )
    if note := _samples_note(int(samples), protocol):
        st.caption(note)
    return int(samples), combine


def _samples_note(samples: int, protocol: Protocol) -> str:
    """Return a note on the cost and benefit of several replies; empty if the paper too used one."""
    if samples > 1 and protocol.judges == "item":
        return _(
            "{n} replies per call cost up to {n} times as much as one. Combined, they rank responses more "
            "finely.",
            n=samples,
        )
    if samples > 1:
        return _(
            "{n} replies per response cost up to {n} times as much as one. Combined, they rank responses "
            "more finely.",
            n=samples,
        )
    if protocol.samples > 1:
        return _(
            "Start with one reply per response: it is cheapest. The paper of this protocol combines {n}, "
            "which ranks responses more finely at up to {n} times the cost.",
            n=protocol.samples,
        )
    return ""
