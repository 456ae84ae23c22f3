"""The images that a project's texts show: how many there are, and deleting some."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgelab.errors import UserError
from judgelab.imports.images import delete_images, image_sizes
from judgelab.languages import _, _n
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import failures, text, widgets
from judgelab.ui.session import gate

CHOSEN_KEY = "data_images"


def draw_images(project: ProjectInfo) -> None:
    """Draw the number of images, and a list from which some can be deleted."""
    sizes = image_sizes(gate.store(), project.slug)
    if not sizes:
        return
    megabytes = text.number(sum(sizes.values()) / 1_000_000, 1)
    widgets.heading(_("Images"), _("{n}, {size} MB", n=text.count(len(sizes)), size=megabytes))
    with st.popover(_("Delete images")):
        st.write(_("Texts then say that these images are missing. Uploading them again brings them back."))
        chosen = widgets.choose_several(_("Images"), list(sizes), key=CHOSEN_KEY)
        st.button(
            _n("Delete {n} image", "Delete {n} images", len(chosen)),
            key="data_images_delete",
            disabled=not chosen,
            on_click=_delete,
            args=(project, chosen),
        )


def _delete(project: ProjectInfo, paths: Sequence[str]) -> None:
    person = gate.enter("researcher", project)
    try:
        delete_images(gate.store(), project.slug, paths, person_id=person.id)
    except UserError as error:
        failures.show(error)
    st.session_state.pop(CHOSEN_KEY, None)
