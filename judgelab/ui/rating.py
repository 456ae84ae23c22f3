"""The rating screen as a page: mounted as a component, storing what arrives through it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial

import streamlit as st

from judgelab.annotation import service
from judgelab.annotation.screen import QueueItem
from judgelab.errors import NotAllowed, NotFound, StoreUnavailable
from judgelab.languages import _
from judgelab.store.people import PersonInfo
from judgelab.store.projects import ProjectInfo
from judgelab.ui import gate, owner_link, rater, rater_units, rating_route, rating_work, who_rates
from judgelab.ui.rater.words import words
from judgelab.ui.rating_work import Memory


@st.fragment
def desk(person: PersonInfo, project: ProjectInfo, history: Sequence[QueueItem]) -> None:
    """Show the rating screen of one person; reruns alone whenever operations arrive."""
    if not may_rate_as(person.id, project.id):
        st.rerun()  # access was withdrawn: the page says so
    key = rating_work.key_of(person.id, project.id)
    try:
        data = rating_work.screen_data(gate.store(), person.id, project, _memory(key))
        data["words"] = words()  # for the screen as long as it stands; the route's answers bring none
        data["history"] = [asdict(item) for item in reversed(history)]
        st.session_state[f"{key}_data"] = data
    except StoreUnavailable:
        if f"{key}_data" not in st.session_state:
            raise
        # The screen must stay: it holds what is not stored yet, and tries again by itself.
        data = st.session_state[f"{key}_data"]
    except (NotAllowed, NotFound):
        st.rerun()
    rater.mount(data, key=key, on_ops=partial(receive, person.id, project.id))
    if not data["queue"] and data["passed"]:
        skipped = rater_units.counted_units(data["passed"], rater_units.kind_of(project))
        offer = _("Offer the {answers} once more", answers=skipped)
        st.button(offer, key="rate_offer", on_click=_offer_again, args=(person.id, project.id))


def may_rate_as(person_id: int, project_id: int) -> bool:
    """Return whether who is here may rate here as this person: themselves, or a rater at the desk."""
    visitor = gate.allowed("annotator", project_id)
    return visitor is not None and (visitor.id == person_id or who_rates.picks(visitor))


def receive(person_id: int, project_id: int) -> None:
    """Store what arrived as the component's state."""
    if may_rate_as(person_id, project_id):
        key = rating_work.key_of(person_id, project_id)
        sent = (st.session_state.get(key) or {}).get("ops")
        rating_work.take(gate.store(), person_id, project_id, sent, _memory(key))


def _memory(key: str) -> Memory:
    path = rating_route.path() if owner_link.served() else ""
    kept: Memory = st.session_state.setdefault(f"{key}_memory", Memory(path=path))
    return kept


def _offer_again(person_id: int, project_id: int) -> None:
    if may_rate_as(person_id, project_id):
        service.offer_again(gate.store(), person_id, project_id)
