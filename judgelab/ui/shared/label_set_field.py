"""A field for a set of labels: one switch per label, and one for the empty set."""

from __future__ import annotations

import streamlit as st

from judgelab.languages import _
from judgelab.scales import Scale
from judgelab.scales.categorical import NO_LABEL, Categorical
from judgelab.ui.kit import text


def choose_labels(label: str, scale: Scale, current: float | None, *, key: str) -> float | None:
    """Draw the labels of a scale with `several`; return the set chosen, None while nothing is chosen."""
    assert isinstance(scale, Categorical) and scale.several
    default = None if current is None else scale.members(current) or [NO_LABEL]
    chosen = st.pills(
        label,
        [*scale.labels, NO_LABEL],
        selection_mode="multi",
        default=default,
        format_func=lambda name: _(name) if name == NO_LABEL else text.plain(name),
        key=key,
    )
    if not chosen:
        return None
    return scale.read("|".join(name for name in chosen if name != NO_LABEL) or NO_LABEL)
