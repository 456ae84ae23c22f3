"""The rating screen on its page, mounted as a component."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from judgelab.annotation.screen import QueueItem
from judgelab.errors import NotAllowed, NotFound, StoreUnavailable
from judgelab.store.people.people import PersonInfo
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui import rater
from judgelab.ui.rater import who_rates, work
from judgelab.ui.rater.rendered_texts import queue_data
from judgelab.ui.rater.words import component_texts
from judgelab.ui.rater.work import Memory
from judgelab.ui.session import gate
from judgelab.ui.session.page_tokens import image_token, page_token, questions_token


@st.fragment
def draw_rating_screen(person: PersonInfo, project: ProjectInfo, history: Sequence[QueueItem]) -> None:
    """Draw the rating screen of one person; reruns on its own when the screen asks for new data."""
    if not may_rate_as(person.id, project.id):
        st.rerun()  # access was revoked: the page says so
    key = work.screen_key(person.id, project.id)
    try:
        # Ratings go by the route, so nothing that this page counted before is true any more.
        data = work.screen_data(gate.store(), person.id, project, Memory())
        # Needed once per mounted screen; the route's answers do not include these.
        data["words"] = component_texts()
        data["pass"] = page_token(f"{key}_pass")
        data["image_pass"] = image_token()
        data["questions_pass"] = questions_token()
        data["history"] = queue_data(gate.store(), project, reversed(history))
        st.session_state[f"{key}_data"] = data
    except StoreUnavailable:
        if f"{key}_data" not in st.session_state:
            raise
        # Keep the screen: it holds unsaved work and tries again by itself.
        data = st.session_state[f"{key}_data"]
    except (NotAllowed, NotFound):
        st.rerun()
    rater.mount(data, key=key)


def may_rate_as(person_id: int, project_id: int) -> bool:
    """Return whether the visitor may rate as this person: themselves, or a rater they chose."""
    visitor = gate.allowed("annotator", project_id)
    return visitor is not None and (visitor.id == person_id or who_rates.chooses_rater(visitor))
