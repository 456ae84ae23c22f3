"""The format of the files: one's own, a published data set's, or an annotation tool's."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgelab.imports.presets import preset_for_study, presets
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text
from judgelab.wording import mark

OWN_FILES = "own"
OWN_FILES_LABEL = mark("my own files")


def choose_shape(project: ProjectInfo, files: Sequence[str], round_number: int) -> str | None:
    """Draw the choice of a format; returns the preset's name, or None for files of one's own.

    Args:
        project: the project.
        files: the names of the files.
        round_number: the form's round, a part of its state keys.
    """
    recognised = _recognised(project, files, round_number)
    chosen = st.selectbox(
        _("Format"),
        [OWN_FILES, *presets.names()],
        format_func=lambda name: _(OWN_FILES_LABEL if name == OWN_FILES else presets.get(name).title),
        key=f"data_preset_{round_number}",
    )
    if chosen == OWN_FILES:
        return None
    preset = presets.get(chosen)
    if chosen == recognised:
        st.caption(f":material/check: {_('Recognised by the file names.')}")
    summary = _(preset.summary)
    if preset.needs:
        summary = _("{summary} Needs {files}.", summary=summary, files=", ".join(preset.needs))
    st.caption(text.plain(summary))
    return str(chosen)


def _recognised(project: ProjectInfo, files: Sequence[str], round_number: int) -> str | None:
    """Return the study's preset that matches the files, if any, and preselect it once for them."""
    shape = preset_for_study(project.study, files) if files else None
    state_key = f"data_seen_{round_number}"
    if st.session_state.get(state_key) != sorted(files):
        st.session_state[state_key] = sorted(files)
        if shape is not None:
            st.session_state[f"data_preset_{round_number}"] = shape
    return shape
