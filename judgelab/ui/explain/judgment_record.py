"""Draw how judgments came about: prompts as sent, raw replies, and every call with what came back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from judgelab.errors import NotFound
from judgelab.languages import _, _n
from judgelab.runs.execute import provenance
from judgelab.scales import Scale
from judgelab.store.frames.details import JudgeResult, ResponseDetail, SampleReply
from judgelab.store.judging.judgment_records import JudgmentTrace, RecordedFailure, RecordedReply
from judgelab.ui.explain.response_scores import judgments_chosen_first, score_text
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate

RecordedCall = RecordedReply | RecordedFailure
SHORTEST_WAIT = 0.05  # seconds; shorter waits before a retry are not shown


def draw_judgment_records(
    detail: ResponseDetail, criterion: str, scale: Scale, *, chosen: str | None
) -> None:
    """Draw each judge's prompt and raw replies, in expanders."""
    for judgment in judgments_chosen_first(detail, criterion, chosen):
        if not judgment.samples:
            continue
        name, count = text.plain(judgment.judge), len(judgment.samples)
        if judgment.samples[0].messages:
            label = _n(
                "{judge}: prompt as sent, {n} raw reply",
                "{judge}: prompt as sent, {n} raw replies",
                count,
                judge=name,
            )
        else:
            label = _n("{judge}: {n} raw reply", "{judge}: {n} raw replies", count, judge=name)
        with st.expander(label):
            _draw_record_tabs(judgment, criterion, scale, response=detail.response)


def _draw_record_tabs(judgment: JudgeResult, criterion: str, scale: Scale, *, response: int) -> None:
    prompt, replies, calls = st.tabs([_("Prompt as sent"), _("Raw replies"), _("Every call")])
    first = judgment.samples[0]
    with prompt:
        if not first.messages:
            st.caption(_("The import did not include the prompt."))
        calls_made = dict.fromkeys(sample.call for sample in judgment.samples)
        if len(calls_made) > 1:
            st.caption(
                _n(
                    "The first of {n} call; all are under “Every call”.",
                    "The first of {n} calls; all are under “Every call”.",
                    len(calls_made),
                )
            )
        for message in first.messages:
            st.caption(message.role)
            st.code(message.content, language=None, wrap_lines=True)
    with replies:
        for sample in judgment.samples:
            st.caption(_reply_heading(sample, criterion, scale))
            st.code(sample.text or _("(an empty reply)"), language=None, wrap_lines=True)
    with calls:
        _draw_calls(judgment.run, response, criterion)


def _reply_heading(sample: SampleReply, criterion: str, scale: Scale) -> str:
    score = sample.scores.get(criterion)
    place = f"{sample.sample + 1} ({sample.call})" if sample.call else str(sample.sample + 1)
    choice = sample.detail.get("choice")
    if score is None and choice is not None and not sample.reason:
        return text.plain(_("reply {place}, read as {score}", place=place, score=str(choice)))
    if score is not None:
        return text.plain(_("reply {place}, read as {score}", place=place, score=score_text(score, scale)))
    reason = _(sample.reason) if sample.reason else _("none read")
    return text.plain(_("reply {place}, no score: {reason}", place=place, reason=reason))


def _draw_calls(run: int, response: int, criterion: str) -> None:
    """Draw all calls as a table, one of them in full, and the request of the judgment.

    Args:
        run: the run's id.
        response: the response's row id.
        criterion: the criterion's key.
    """
    try:
        record = provenance.judgments(gate.store(), run, response, criterion=criterion)[0]
    except NotFound:
        st.caption(_("This judgment no longer exists."))
        return
    calls: list[RecordedCall] = sorted(
        [*record.replies, *record.failures],
        key=lambda call: (call.sample, isinstance(call, RecordedReply), getattr(call, "number", 0)),
    )
    if not calls:
        st.caption(_("No call was made."))
        _draw_json(_("Request"), _request_facts(record))
        return
    key = f"explain_calls_{run}_{response}_{criterion}"
    widgets.table(_call_table(calls), key=key, columns=_columns(), height="content")
    place = st.selectbox(
        _("Show in full"),
        range(len(calls)),
        format_func=lambda place: _call_name(calls[place]),
        key=f"{key}_chosen",
        width=360,
    )
    _draw_call(calls[place])
    _draw_json(_("Request"), _request_facts(record))


def _request_facts(record: JudgmentTrace) -> dict[str, Any]:
    """Return model, endpoint, protocol and settings, under the names that exports use."""
    names = ("model", "endpoint", "address", "protocol", "options", "template_version", "parameters")
    other_names = ("samples", "aggregation", "backend", "mode", "run", "code_version")
    return {name: value for name in (*names, *other_names) if (value := getattr(record, name))}


def _call_table(calls: Sequence[RecordedCall]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Call": [_call_name(call) for call in calls],
            "Model": [call.model if isinstance(call, RecordedReply) else "" for call in calls],
            "Request": [call.request_id for call in calls],
            "Seconds": [text.number(call.latency, 2) for call in calls],
            "Input": [text.count(call.prompt_tokens) for call in calls],
            "Output": [text.count(call.completion_tokens) for call in calls],
            "Cost": [_call_cost(call.cost) for call in calls],
        }
    )


def _call_cost(cost: float | None) -> str:
    # One call costs fractions of a cent.
    return text.money(cost) if cost is None or cost >= 1 else f"${cost:z.6f}"


def _columns() -> dict[str, Any]:
    left = {"Call": _("Call"), "Model": _("Model that answered"), "Request": _("Request id")}
    right = {
        "Seconds": _("Duration (s)"),
        "Input": _("Input"),
        "Output": _("Output"),
        "Cost": _("Cost"),
    }
    heads: dict[str, Any] = {name: {"label": label} for name, label in left.items()}
    return {**heads, **{name: {"label": label, "alignment": "right"} for name, label in right.items()}}


def _call_name(call: RecordedCall) -> str:
    place = _reply_number(call)
    if isinstance(call, RecordedFailure):
        cause = call.cause.replace("_", " ")
        if call.status is not None:
            return _(
                "failed call {n} for reply {place}: {cause}, status {status}",
                n=call.number,
                place=place,
                cause=cause,
                status=str(call.status),
            )
        return _("failed call {n} for reply {place}: {cause}", n=call.number, place=place, cause=cause)
    if call.cause:
        return _("reply {place}: abandoned", place=place)
    return _("reply {place}, from the cache", place=place) if call.cached else _("reply {place}", place=place)


def _reply_number(call: RecordedCall) -> str:
    """Return the number of the reply, with the key of the call if a judgment takes several."""
    number = str(call.sample + 1)
    key = call.call_key if isinstance(call, RecordedReply) else ""
    return _("{place} ({call})", place=number, call=key) if key else number


def _draw_call(call: RecordedCall) -> None:
    if isinstance(call, RecordedFailure):
        st.text(call.message)
        if call.waited >= SHORTEST_WAIT:
            st.caption(_("The next call was delayed by {seconds} s.", seconds=text.number(call.waited, 1)))
    if isinstance(call, RecordedReply) and call.messages:
        with st.expander(_("Prompt as sent")):
            for message in call.messages:
                st.caption(message["role"])
                st.code(message["content"], language=None, wrap_lines=True)
    _draw_json(_("Parameters sent"), call.sent)
    if isinstance(call, RecordedReply):
        _draw_json(_("Reply"), _reply_facts(call))
    st.caption(_("Body"))
    st.code(call.body or _("(not stored)"), language=None, wrap_lines=True)


def _reply_facts(reply: RecordedReply) -> dict[str, Any]:
    """Return the reply's metadata, under the names that exports use."""
    names = ("model", "finish_reason", "usage", "reading", "code_version")
    return {name: value for name in names if (value := getattr(reply, name))}


def _draw_json(title: str, value: Mapping[str, Any]) -> None:
    if value:
        st.caption(title)
        st.json(dict(value), expanded=True)
