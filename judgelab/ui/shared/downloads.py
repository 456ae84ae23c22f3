"""Downloading what a page shows: one button that opens the list of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import streamlit as st

from judgelab.domain import Role
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.session import gate
from judgelab.ui.shared import project_export

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

Written = TypeVar("Written", str, bytes)


class File(NamedTuple):
    """One file: its button's label, its name's ending, and the function that writes it on request.

    `criterion` is the key of the only criterion that the file is about; it is part of the file's name.
    """

    label: str
    ending: str
    write: Callable[[], str]
    criterion: str = ""


def draw_export_button() -> DeltaGenerator:
    """Draw the button that opens the downloads and return the place for them."""
    return st.popover(_("Export"), icon=":material/download:")


def draw_downloads(
    project: ProjectInfo,
    files: list[File],
    *,
    name: str,
    key: str,
    role: Role = "reader",
    place: DeltaGenerator | None = None,
) -> None:
    """Draw the downloads with the button that opens them; the permission is checked again at each.

    Args:
        project: the project whose results these are.
        files: the files on offer.
        name: the files' name without its ending; the project's slug is put before it.
        key: prefix of the widgets' keys.
        role: the role that may download them.
        place: what `draw_export_button` returned, if the button was drawn before the files were known.
    """
    with draw_export_button() if place is None else place:
        for file in files:
            st.download_button(
                file.label,
                data=guarded_writer(project, file.write, role=role),
                file_name="-".join(filter(None, [project.slug, name, file.criterion])) + f".{file.ending}",
                key=f"{key}_{file.ending}",
                on_click="ignore",
            )


def guarded_writer(
    project: ProjectInfo, write: Callable[[], Written], *, role: Role
) -> Callable[[], Written]:
    """Return a function that writes a file, or raises `NotAllowed` if the visitor has lost the right."""
    may_still = gate.later_check(role, project)
    return lambda: write() if may_still() else project_export.refuse_export()
