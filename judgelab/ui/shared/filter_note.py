"""The line that says on every page how the quality rule in use was fixed: locked when, or set aside why."""

from __future__ import annotations

import streamlit as st

from judgelab.analysis.data import saved_filters
from judgelab.languages import _
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.kit import text
from judgelab.ui.session import gate


def draw_filter_note(project: ProjectInfo) -> None:
    """Write the line; nothing for a project that never locked a rule."""
    saved_note = saved_filters.note(gate.store(), project.slug)
    if saved_note:
        note = _("Quality rule: {rule}.", rule=text.plain(_(saved_note)))
        st.caption(f":material/lock: {note}")
