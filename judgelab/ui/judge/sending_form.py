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
                    "A batch goes to the endpoint as a file and comes back within 24 hours, at OpenAI for "
                    "half the price. Endpoints without a Batch API refuse it."
                ),
            )
            mode = chosen or "live"
    cache = mode == "batch" or st.checkbox(
        _("Take replies bought before"),
        True,
        key="judges_cache",
        help=_(
            "A reply to the very same question (endpoint, model, messages, parameters, sample) is taken from "
            "the cache: it costs nothing and comes at once."
        ),
    )
    if not source.endpoint.prices:
        return SendingOptions(None, mode, cache)
    with right:
        budget = st.number_input(
            _("Pause at, $"), 0.0, value=None, step=1.0, key="judges_budget", placeholder=_("no limit")
        )
    return SendingOptions(budget or None, mode, cache)
