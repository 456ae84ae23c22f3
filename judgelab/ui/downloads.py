"""Taking what a page shows along: one button that opens the files there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from judgelab.languages import _
from judgelab.store.projects import ProjectInfo
from judgelab.ui import gate, project_export


class File(NamedTuple):
    """One file: what its button says, how its name ends, and what writes it when it is asked for."""

    label: str
    ending: str
    write: Callable[[], str]


def offer(project: ProjectInfo, files: list[File], *, name: str, key: str) -> None:
    """Draw the button that opens one download a file; the right to read is asked for again at each.

    Args:
        project: the project whose results these are.
        files: what can be taken along.
        name: of the files, without ending; the project's name comes before it.
        key: of the widgets.
    """
    may = gate.asked_later("reader", project)
    with st.popover(_("Export"), icon=":material/download:"):
        for file in files:
            st.download_button(
                file.label,
                data=_asked(file.write, may),
                file_name=f"{project.slug}-{name}.{file.ending}",
                key=f"{key}_{file.ending}",
                on_click="ignore",
            )


def _asked(write: Callable[[], str], may: Callable[[], bool]) -> Callable[[], str]:
    return lambda: write() if may() else project_export.refused()
