"""References for metrics on items without one: the best rated of the item's own responses."""

from __future__ import annotations

import streamlit as st

from judgelab.languages import _, _n
from judgelab.preparation.best_references import count_without_reference
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import widgets
from judgelab.ui.session import gate
from judgelab.ui.shared import preparation_work


def draw_best_reference_form(project: ProjectInfo) -> None:
    """Draw how many items have no reference, and the button that chooses one, if there are ratings."""
    preparation_work.write_outcome()
    if not loaders.rated_criteria(project.slug, loaders.data_version(project.slug)):
        return
    unreferenced = count_without_reference(gate.store(), project.id)
    if not unreferenced:
        return
    widgets.heading(_("References for metrics"), _n("{n} item has none", "{n} items have none", unreferenced))
    st.caption(
        _(
            "Metrics compare a response with a reference. The best-rated response of an item can serve as "
            "one; it and its copies are then not scored, and judges don't see it."
        )
    )
    if st.button(_("Use the best-rated responses"), key="lists_best"):
        preparation_work.run_step(project, "references", {"kind": "best"})
