"""The failures of a run so far: causes, waits, costs, and the slowest calls."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from judgelab.languages import _, _n
from judgelab.runs.execute.failure_report import EndpointTraffic, FailureReport, report_failures
from judgelab.runs.service import RunStatus
from judgelab.store.judging.failure_report import CauseCount, SlowCall
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import text, widgets
from judgelab.ui.session import gate
from judgelab.wording import mark

DETAILS_KEY = "runs_faults_detailed"
UNANSWERED = mark("Judgments without a reply")
CAUSES = {
    "rate_limit": mark("429 too many requests"),
    "overload": mark("503 overloaded"),
    "server_error": mark("500 server error"),
    "broken_body": mark("reply truncated or malformed"),
    "too_large": mark("reply too large"),
    "redirected": mark("redirected elsewhere"),
    "timeout": mark("timed out"),
    "connection": mark("connection lost"),
    "unreachable": mark("server unreachable"),
    "tls": mark("TLS connection failed"),
    "truncated": mark("cut off at the token limit"),
    "bad_key": mark("key refused"),
    "quota": mark("quota used up"),
    "not_found": mark("no such model or address"),
    "bad_request": mark("request refused"),
    "no_reply": mark("no scripted reply for this prompt"),
    "answered_twice": mark("answered twice, this reply not used"),
    "unread": mark("no score in the reply, asked again"),
    "too_long": mark("prompt too long for the model"),
    "no_prompt": mark("no prompt could be built for this judgment"),
    "score_missing": mark("a score that the prompt needs is missing"),
    "no_model": mark("model not found or not loadable"),
    "out_of_memory": mark("out of memory"),
    "worker_died": mark("crashed its worker"),
    "not_installed": mark("torch not installed"),
}


def draw_failure_report(project: ProjectInfo, status: RunStatus) -> None:
    """Draw the failure report of a run."""
    detailed = bool(st.session_state.get(DETAILS_KEY))
    report = report_failures(gate.store(), status.run, detailed=detailed)
    widgets.heading(_("Failures") if status.resting else _("Failures so far"))
    if report.traffic:
        _draw_traffic(report.traffic)
    if status.faults or status.failures:
        _draw_table(status)
        _draw_sums(report)
    else:
        no_faults = _("No failures: every call succeeded on the first attempt.")
        st.caption(no_faults if status.calls else _("No calls yet."))
    if status.calls:
        st.toggle(_("Attempts, waits and the slowest calls"), key=DETAILS_KEY)
        if detailed:
            _draw_details(project, report)


def cause_name(cause: str) -> str:
    """Return the label of a cause."""
    return _(CAUSES.get(cause, cause.replace("_", " ")))


def _draw_traffic(traffic: EndpointTraffic) -> None:
    if traffic.rests_until:
        st.markdown(
            ":orange[:material/hourglass: {said}]".format(
                said=_(
                    "The endpoint is paused until {time}: {reason}",
                    time=text.clock(traffic.rests_until),
                    reason=text.plain(_(traffic.rests_because)),
                )
            )
        )
    if traffic.processes:
        st.caption(_("Concurrent calls: {now} of {limit}.", now=traffic.at_once, limit=traffic.limit))


def _draw_table(status: RunStatus) -> None:
    heads = {"Cause": _("Cause"), "Times": _("Count"), UNANSWERED: _(UNANSWERED)}
    widgets.table(
        _counts(status.faults, status.failures),
        key="runs_faults",
        columns={column: {"label": head} for column, head in heads.items()},
        height="content",
    )
    share = text.share(sum(status.faults.values()), status.calls)
    st.caption(
        _n(
            "{share} of {n} call. A failure never becomes a score.",
            "{share} of {n} calls. A failure never becomes a score.",
            status.calls,
            share=share,
        )
    )


def _counts(faults: Mapping[str, int], failures: Mapping[str, int]) -> pd.DataFrame:
    causes = sorted({*faults, *failures}, key=lambda cause: -faults.get(cause, 0))
    rows = [(cause_name(cause), faults.get(cause, 0), failures.get(cause, 0)) for cause in causes]
    total = (_("All failures"), sum(faults.values()), sum(failures.values()))
    return pd.DataFrame([*rows, total], columns=["Cause", "Times", UNANSWERED])


def _draw_sums(report: FailureReport) -> None:
    if not report.failed:
        return
    sentences = [
        _(
            "Failed calls took {lasted} in total; {waited} were spent waiting before the next ones.",
            lasted=text.duration(report.lasted),
            waited=text.duration(report.waited),
        )
    ]
    tokens = (report.prompt_tokens or 0) + (report.completion_tokens or 0)
    if report.cost is not None:
        sentences.append(
            _("They cost {money}, which is included in the total.", money=text.money(report.cost))
        )
    elif tokens:
        sentences.append(_n("They used {n} token.", "They used {n} tokens.", tokens))
    else:
        sentences.append(_("The endpoint reported no token counts for them."))
    st.caption(" ".join(sentences))


def _draw_details(project: ProjectInfo, report: FailureReport) -> None:
    if report.attempts:
        _draw_attempts(report.attempts)
    for cause in report.causes:
        _cause(cause)
    for call in report.slowest:
        _draw_slow_call(project, call)


def _draw_attempts(attempts: Mapping[int, int]) -> None:
    first, most = attempts.get(1, 0), max(attempts)
    if most == 1:
        st.caption(_("Every reply came on the first call."))
        return
    repeated = sum(attempts.values()) - first
    st.caption(
        _n(
            "{n} reply needed more than one call, {most} at most; {first} came on the first.",
            "{n} replies needed more than one call, {most} at most; {first} came on the first.",
            repeated,
            most=most,
            first=first,
        )
    )


def _cause(cause: CauseCount) -> None:
    head = _n(
        "**{cause}**: {n} call, {waited} waited.",
        "**{cause}**: {n} calls, {waited} waited.",
        cause.calls,
        cause=text.plain(cause_name(cause.cause)),
        waited=text.duration(cause.waited),
    )
    st.caption(f"{head} {text.plain(_(cause.message))}")


def _draw_slow_call(project: ProjectInfo, call: SlowCall) -> None:
    unit = " · ".join(word for word in (call.item, call.system, call.criteria.replace("*", "")) if word)
    with st.container(horizontal=True, vertical_alignment="center"):
        outcome = cause_name(call.cause) if call.cause else _("answered")
        st.markdown(
            _(
                "{seconds} s, {ended}: {where}",
                seconds=text.number(call.seconds, 1),
                ended=text.plain(outcome),
                where=text.plain(unit),
            ),
            width="stretch",
        )
        st.page_link(
            "pages/researcher/disagreements.py",
            label=_("Read the response"),
            query_params={"project": project.slug, "response": str(call.response)},
        )
