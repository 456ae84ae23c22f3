"""The batches of a run with their states."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.languages import _
from judgelab.runs.batch.journal import BatchEntry
from judgelab.runs.status import RunStatus
from judgelab.ui.kit import text, widgets
from judgelab.wording import mark

STATES = {
    "intended": mark("being sent"),
    "validating": mark("checked by the endpoint"),
    "in_progress": mark("running"),
    "finalizing": mark("replies are being written"),
    "completed": mark("complete"),
    "failed": mark("refused"),
    "expired": mark("expired"),
    "cancelling": mark("being cancelled"),
    "cancelled": mark("cancelled"),
}


def draw_batch_table(status: RunStatus) -> None:
    """Draw one row per batch; nothing for a live run."""
    if status.mode != "batch" and not status.batches:
        return
    widgets.heading(_("Batches"))
    if not status.batches:
        st.caption(
            _(
                "The first judgment is made live to learn which parameters the endpoint refuses. The rest "
                "follows as a batch."
            )
        )
        return
    frame = pd.DataFrame(
        {
            "State": [_state(entry) for entry in status.batches],
            "Requests": [text.count(entry.requests) for entry in status.batches],
            "Answered": [text.count(entry.answered) for entry in status.batches],
            "Refused": [text.count(entry.refused) for entry in status.batches],
            "At the endpoint": [entry.id for entry in status.batches],
        }
    )
    right_aligned = {"alignment": "right"}
    columns = {
        "State": {"label": _("State")},
        "Requests": {"label": _("Requests"), **right_aligned},
        "Answered": {"label": _("Answered"), **right_aligned},
        "Refused": {"label": _("Refused"), **right_aligned},
        "At the endpoint": {"label": _("Name at the endpoint")},
    }
    widgets.table(frame, key=f"runs_batches_{status.run}", columns=columns, height="content")
    for entry in status.batches:
        if entry.problem and not entry.merged:
            st.caption(text.plain(_(entry.problem)))


def _state(entry: BatchEntry) -> str:
    label = _(STATES[entry.state]) if entry.state in STATES else entry.state.replace("_", " ")
    return label if not entry.ended or entry.merged else _("{state}, being read", state=label)
