"""Saving a quality rule as a named version, locking it, and choosing the one every figure stands on."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from judgelab.analysis import quality
from judgelab.analysis.quality import PolicyInfo
from judgelab.annotation.quality import FilterPolicy
from judgelab.errors import UserError
from judgelab.store.projects import ProjectInfo
from judgelab.ui import failures, gate, text, widgets

ALL_RATINGS = ""
NO_RULE = "all ratings, no rule"
FIRST_NAME = "main"


def save(project: ProjectInfo, policy: FilterPolicy, known: list[PolicyInfo]) -> None:
    """Draw the name field and the buttons that save the rule as it stands."""
    current = next((rule for rule in known if rule.in_use), None)
    name = st.text_input(
        "Name of the rule", current.name if current else FIRST_NAME, key="quality_name", max_chars=60
    ).strip()
    version = 1 + max((rule.version for rule in known if rule.name == name), default=0)
    same = current is not None and current.policy == policy and current.name == name
    with st.container(horizontal=True):
        label = f"In use as version {current.version}" if same and current else f"Apply as version {version}"
        pressed = widgets.primary_button(label, key="quality_save", disabled=same or not name)
        lock = st.button(
            "Lock the rule",
            key="quality_lock",
            icon=":material/lock:",
            disabled=not name or bool(current and current.locked_at),
            help="Saves the rule for good: no other can be put in use. Best done before data are seen.",
        )
    if pressed or lock:
        _save(project, policy, name=name, lock=lock)
    if current and current.locked_at:
        st.caption(
            f":material/lock: {text.plain(current.quoted)} is locked since {text.when(current.locked_at)}."
        )


def versions(project: ProjectInfo, known: list[PolicyInfo]) -> None:
    """Draw which version is in use, with the others to choose from."""
    widgets.heading("Saved rules", text.count(len(known)))
    if not known:
        st.caption("None yet: every figure stands on all ratings.")
        return
    current = next((rule for rule in known if rule.in_use), None)
    locked = bool(current and current.locked_at)
    titles = [ALL_RATINGS, *(rule.title for rule in known)]
    st.selectbox(
        "Every figure stands on",
        titles,
        index=titles.index(current.title if current else ALL_RATINGS),
        format_func=lambda title: text.plain(title) if title else NO_RULE,
        key=f"quality_in_use_{current.title if current else ''}",
        on_change=_use,
        args=(project, known, f"quality_in_use_{current.title if current else ''}"),
        disabled=locked,
    )
    frame = pd.DataFrame(
        {
            "Rule": [rule.title for rule in known],
            "In short": [in_short(rule.policy) for rule in known],
            "Saved": [text.when(rule.created_at) for rule in known],
            "State": [_state(rule) for rule in known],
        }
    )
    widgets.table(frame, key="quality_versions")


def in_short(policy: FilterPolicy) -> str:
    """Return a rule in a few words: `r < 0.40, pairwise, worst first, overlap 5`."""
    parts = [
        f"r < {policy.threshold:.2f}",
        {"pairwise": "pairwise", "loo": "leave one out"}[policy.method],
        policy.passes.replace("_", " "),
        f"overlap {policy.min_overlap}",
    ]
    if policy.criterion != "each":
        parts.append(f"criterion {policy.criterion}")
    return ", ".join(parts)


def _state(rule: PolicyInfo) -> str:
    words = [word for word, so in (("in use", rule.in_use), ("locked", rule.locked_at)) if so]
    return ", ".join(words) or text.MISSING


def _save(project: ProjectInfo, policy: FilterPolicy, *, name: str, lock: bool) -> None:
    person = gate.enter("researcher")
    try:
        quality.save(gate.store(), project.slug, name, policy, person_id=person.id, lock=lock)
    except UserError as error:
        failures.show(error)
        return
    st.rerun()


def _use(project: ProjectInfo, known: list[PolicyInfo], key: str) -> None:
    if gate.allowed("researcher") is None:
        return
    title = st.session_state[key]
    chosen = next((rule for rule in known if rule.title == title), None)
    if chosen is None:
        quality.use(gate.store(), project.slug, None)
    else:
        quality.use(gate.store(), project.slug, chosen.name, chosen.version)
