"""How a run is sent, and its budget."""

from __future__ import annotations

from typing import NamedTuple

import streamlit as st

from judgelab.backends import backends
from judgelab.languages import _
from judgelab.runs.batch.mode import Mode
from judgelab.ui.shared.model_form import ModelSource


class SendingOptions(NamedTuple):
    """The form's values.

    Attributes:
        budget: dollars at which the run pauses, if any.
        mode: live, or as a batch.
        cache: whether cached replies may be used.
    """

    budget: float | None
    mode: Mode
    cache: bool = True


def draw_sending_form(source: ModelSource) -> SendingOptions:
    """Draw the fields and return their values."""
    if source.endpoint is None:
        return SendingOptions(None, "live")
    mode: Mode = "live"
    left, right = st.columns(2)
    if backends.get(source.backend).batches_known:
        with left:
            labels: dict[Mode, str] = {
                "live": _("live, call by call"),
                "batch": _("as a batch, within a day"),
            }
            chosen = st.selectbox(
                _("Send"),
                list(labels),
                format_func=labels.__getitem__,
                key="judges_mode",
                help=_(
                    "A batch is sent to the endpoint as a file and returned within 24 hours, at OpenAI "
                    "for half the price. Endpoints without a Batch API refuse it."
                ),
            )
            mode = chosen or "live"
    cache = mode == "batch" or st.checkbox(
        _("Reuse cached replies"),
        True,
        key="judges_cache",
        help=_(
            "If the same request (endpoint, model, messages, parameters, sample) was answered before, its "
            "reply is taken from the cache, free and at once."
        ),
    )
    if not source.endpoint.prices:
        return SendingOptions(None, mode, cache)
    with right:
        budget = st.number_input(
            _("Pause at cost, $"), 0.0, value=None, step=1.0, key="judges_budget", placeholder=_("no limit")
        )
    return SendingOptions(budget or None, mode, cache)
