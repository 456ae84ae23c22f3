"""Taking what a page shows along: one button that opens the files there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import streamlit as st

from judgelab.domain import Role
from judgelab.languages import _
from judgelab.store.projects.projects import ProjectInfo
from judgelab.ui.session import gate
from judgelab.ui.shared import project_export

Written = TypeVar("Written", str, bytes)


class File(NamedTuple):
    """One file: what its button says, how its name ends, and what writes it when it is asked for."""

    label: str
    ending: str
    write: Callable[[], str]


def draw_downloads(
    project: ProjectInfo, files: list[File], *, name: str, key: str, role: Role = "reader"
) -> None:
    """Draw the button that opens one download a file; the right to it is asked for again at each.

    Args:
        project: the project whose results these are.
        files: what can be taken along.
        name: of the files, without ending; the project's name comes before it.
        key: of the widgets.
        role: who may take them.
    """
    with st.popover(_("Export"), icon=":material/download:"):
        for file in files:
            st.download_button(
                file.label,
                data=guarded_writer(project, file.write, role=role),
                file_name=f"{project.slug}-{name}.{file.ending}",
                key=f"{key}_{file.ending}",
                on_click="ignore",
            )


def guarded_writer(
    project: ProjectInfo, write: Callable[[], Written], *, role: Role
) -> Callable[[], Written]:
    """Return what writes a file for those who may still have it when they ask; raises `NotAllowed` then."""
    may_still = gate.later_check(role, project)
    return lambda: write() if may_still() else project_export.refuse_export()
