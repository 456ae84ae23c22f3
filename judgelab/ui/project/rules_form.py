"""Form fields for what a rating must fulfil: required comments, skipping, a least time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from judgelab.annotation.rating.rules import RatingRules, rating_rules
from judgelab.annotation.rating.settings import LARGEST_SCORE, LONGEST_WAIT
from judgelab.languages import _


def draw_rule_fields(settings: Mapping[str, Any], *, form: str, key: str) -> dict[str, Any]:
    """Draw the fields and return their current values; `form` is the form of rating chosen."""
    rules = rating_rules(settings)
    with st.expander(_("Comments, skipping, time")):
        required = _draw_required_comments(rules, form=form, key=key)
        skip = st.checkbox(_("raters may skip"), rules.skip, key=f"{key}_skip")
        seconds = st.number_input(
            _("Minimum time before submitting (seconds)"),
            0.0,
            float(LONGEST_WAIT),
            rules.least_seconds,
            step=5.0,
            format="%g",
            key=f"{key}_least_seconds",
            help=_("0 for no minimum. The server measures the time."),
        )
    return {"comment_required": required, "skip": skip, "least_seconds": float(seconds)}


def _draw_required_comments(rules: RatingRules, *, form: str, key: str) -> dict[str, Any]:
    always = st.checkbox(
        _("require a comment for every score or choice"), rules.comment_always, key=f"{key}_required"
    )
    bounds: dict[str, float | None] = {"below": rules.comment_below, "above": rules.comment_above}
    if form == "pointwise" and not always:
        labels = {
            "below": _("Require a comment for scores below"),
            "above": _("Require a comment for scores above"),
        }
        for (bound, value), column in zip(bounds.items(), st.columns(2), strict=True):
            bounds[bound] = column.number_input(
                labels[bound],
                -float(LARGEST_SCORE),
                float(LARGEST_SCORE),
                value,
                step=1.0,
                format="%g",
                key=f"{key}_required_{bound}",
                placeholder=_("no score"),
            )
    return {"always": always, **bounds}
