"""The line on result pages that says when the quality rule was locked, or why it was set aside."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis.data import saved_filters
from judgelab.languages import _
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.kit import text
from judgelab.ui.session import gate


def draw_filter_note(project: ProjectInfo) -> None:
    """Write the line, if the project has ever locked a rule."""
    saved_note = saved_filters.lock_note(gate.store(), project.slug)
    if saved_note:
        note = _("Quality filter: {rule}.", rule=text.plain(_(saved_note)))
        st.caption(f":material/lock: {note}")
