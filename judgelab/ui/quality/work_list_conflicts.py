"""Conflicts on the work list: the same as on *Conflicts*, which decides them and is linked."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgelab.analysis.disagreement.conflicts import default_distance
from judgelab.analysis.disagreement.disagreements import response_detail
from judgelab.analysis.disagreement.pair_conflicts import PairConflict
from judgelab.analysis.disagreement.project_conflicts import AnyConflict
from judgelab.analysis.raters.work_list_entry import WorkListEntry
from judgelab.languages import _
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.cache import loaders
from judgelab.ui.kit import text, widgets
from judgelab.ui.quality import work_list_actions
from judgelab.ui.quality.work_list_words import KIND_WORDS, conflict_text, decision_text, rater_text
from judgelab.ui.session import gate
from judgelab.ui.shared import compared, response_view

CONFLICTS_PAGE = "pages/researcher/adjudicate.py"


def load_conflicts(project: ProjectInfo) -> list[AnyConflict]:
    """Return what `project_conflicts` does, from the results that *Conflicts* keeps."""
    slug, version = project.slug, loaders.data_version(project.slug)
    found: list[AnyConflict] = []
    for key in loaders.rated_criteria(slug, version):
        distance = default_distance(project.scale(key))
        found += loaders.conflicts(slug, version, criterion=key, distance=distance)
    for key in loaders.compared_criteria(slug, version):
        found += loaders.pair_conflicts(slug, version, criterion=key, ties=False)
    return found


def draw_conflict(
    entry: WorkListEntry, conflict: AnyConflict, shown: Sequence[WorkListEntry], project: ProjectInfo
) -> None:
    """Draw a conflict, the link to where it is decided, and its response.

    Systems are not named before the decision: *Conflicts* hides them, so that nobody decides by name.
    """
    widgets.heading(_(KIND_WORDS[entry.key.kind]), text.plain(rater_text(entry)))
    st.markdown(text.plain(conflict_text(conflict, project)))
    if entry.mark is not None:
        decided = _(
            "Decided by {person}, {when}: {outcome}",
            person=entry.mark.by or _("someone"),
            when=text.when(entry.mark.at),
            outcome=decision_text(conflict, project),
        )
        st.caption(text.plain(decided))
        if entry.mark.note:
            st.markdown(text.plain(entry.mark.note))
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        st.page_link(
            CONFLICTS_PAGE,
            label=_("Decide on Conflicts") if entry.mark is None else _("Open on Conflicts"),
            icon=":material/arrow_forward:",
            query_params={"project": project.slug, **_place(conflict)},
        )
        if not entry.done:
            work_list_actions.draw_next_button(work_list_actions.next_open(entry, shown))
    st.divider()
    blind = not entry.done
    detail = response_detail(gate.store(), project.slug, entry.unit.responses[0])
    if isinstance(conflict, PairConflict):
        response_view.draw_title(detail, blind=True)
        if not blind:
            st.caption(text.plain(" – ".join(entry.unit.systems)))
        return
    response_view.draw_title(detail, blind=blind)
    response_view.draw_body(detail)


def _place(conflict: AnyConflict) -> dict[str, str]:
    """Return the parameters of the link that opens a conflict on *Conflicts*."""
    if isinstance(conflict, PairConflict):
        pair = compared.pair_word(*conflict.pair)
        return {"form": compared.PAIRS, "compared": conflict.criterion, "pair": pair}
    response = str(conflict.response)
    return {"form": compared.RESPONSES, "criterion": conflict.criterion, "response": response}
