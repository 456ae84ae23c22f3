"""One run on the screen: its progress, results and failures."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import streamlit as st

from judgelab.charts.progress import ProgressCounts, run_progress_bar
from judgelab.languages import _, _n
from judgelab.runs.blocked_runs import cool_down_of, why_blocked
from judgelab.runs.execute import review
from judgelab.runs.service import RunStatus, run_status
from judgelab.store.judging.run_counts import RATE_SECONDS
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.ui.kit import figures, help_link, text, widgets
from judgelab.ui.kit.figures import Figure
from judgelab.ui.runs import batch_list, failure_view, unit_list
from judgelab.ui.session import gate
from judgelab.ui.shared import compared
from judgelab.wording import mark

MOST_LISTED = 50
POLL_SECONDS = 2
ORIGINS = {
    "scripted": mark("scripted replies, no model called"),
    "imported": mark("imported"),
    "jury": mark("a jury"),
    "learned": mark("trained on the ratings"),
}
# Runs without a prompt, and the page that explains their scores.
NO_CALL_ORIGINS = {"imported": help_link.IMPORTED, "jury": help_link.JURY, "learned": help_link.LEARNED}


def run_caption(status: RunStatus) -> str:
    """Return the run's judge, protocol, prompt version, model and origin in one line."""
    model = Path(status.model).name if status.origin == "scripted" else status.model
    prompt = status.template_version and _("prompt version {version}", version=status.template_version)
    parts = [status.judge, status.protocol, model, prompt, _(ORIGINS.get(status.origin, ""))]
    named = list(dict.fromkeys(part for part in parts if part))
    words = [part for part in named if not any(part in other for other in named if other != part)]
    return _("{judge}, created {when}", judge=text.plain(", ".join(words)), when=text.when(status.created_at))


def run_guide(status: RunStatus) -> help_link.Page:
    """Return the page of the documentation that explains where the run's scores come from."""
    return NO_CALL_ORIGINS.get(status.origin, help_link.JUDGE)


def run_sentence(status: RunStatus) -> str:
    """Return the run's progress as markdown, with the figures first."""
    judged = status.units - status.waiting
    if status.origin == "imported":
        return _n(
            "**{n} judgment imported**; no model was called here.",
            "**{n} judgments imported**; no model was called here.",
            judged,
        )
    if status.origin == "jury":
        return _n(
            "**{n} score combined from its members**; no model was called.",
            "**{n} scores combined from its members**; no model was called.",
            judged,
        )
    progress = _n(
        "**{judged} of {n} judgment made**", "**{judged} of {n} judgments made**", status.units, judged=judged
    )
    if status.state == "done":
        time = text.duration(status.seconds) if round(status.seconds) else _("under a second")
        return _("{far} in {time}.", far=progress, time=time)
    if status.stuck:
        return _("{far}; not progressing at the moment.", far=progress)
    if status.wanted == "pause" and status.state == "running":
        return _("{far}; pausing when the calls in flight are answered.", far=progress)
    if status.state == "running":
        pace = _cool_down_text(status)
        return _("{far} after {time}; {rest}.", far=progress, time=text.duration(status.seconds), rest=pace)
    return f"{progress}; {_(text.STATES[status.state])}."


def draw_live_run(project: ProjectInfo, run_id: int, *, active: bool) -> None:
    """Draw the parts of a run that change while it is running; checks the permission on every poll.

    Args:
        project: the run's project.
        run_id: the run.
        active: whether it was running when the whole page was drawn; at its end the page is redrawn.
    """
    gate.enter("guest", project)
    status = run_status(gate.store(), run_id)
    widgets.answer(run_sentence(status))
    if status.examples:
        st.caption(text.plain(_(status.examples)))
    _draw_notice(status)
    counts = ProgressCounts(status.scored, status.unscored, status.failed, status.waiting)
    bar = run_progress_bar(counts, theme=widgets.theme())
    widgets.chart(bar, key=f"runs_bar_{run_id}", alt=_counted(status), saved=False)
    figures.draw_figures(_run_figures(project, status))
    _write_unpriced(status)
    batch_list.draw_batch_table(status)
    st.divider()
    if status.origin in NO_CALL_ORIGINS:
        unit_list.draw_latest(project, status)
    else:
        left, right = st.columns([8, 5], gap="large")
        with left:
            unit_list.draw_latest(project, status)
        with right:
            failure_view.draw_failure_report(project, status)
            _tokens(status)
    if active and status.resting:
        st.rerun()


def draw_unanswered(project: ProjectInfo, run_id: int, count: int) -> None:
    """List the units without a reply, with the reasons."""
    if not count:
        return
    with st.expander(f"{_('Failed: no reply')} ({count:,})", expanded=count <= 3):
        for unit in review.unscored_units(gate.store(), run_id, state="failed", limit=MOST_LISTED):
            unit_list.write_unit(project, unit)
        if count > MOST_LISTED:
            st.caption(_("The latest {shown} of {all}.", shown=MOST_LISTED, all=count))


def _write_unpriced(status: RunStatus) -> None:
    """Say how many replies the cost leaves out, if it is known for some but not for all."""
    if not status.uncounted or not status.cost:
        return
    if status.prompt_tokens is None:
        note = _n(
            "The cost of {n} reply is unknown because the endpoint reported no token counts.",
            "The cost of {n} replies is unknown because the endpoint reported no token counts.",
            status.uncounted,
        )
    else:
        note = _n(
            "The cost of {n} reply is unknown because tokens were not counted or had no price.",
            "The cost of {n} replies is unknown because tokens were not counted or had no price.",
            status.uncounted,
        )
    st.caption(note)


def _cool_down_text(status: RunStatus) -> str:
    if cool_down := cool_down_of(gate.store(), status):
        return _(
            "waiting for endpoint “{endpoint}”; calls resume at {time}",
            endpoint=text.plain(cool_down.endpoint),
            time=text.clock(cool_down.until),
        )
    if not status.rate and status.going < RATE_SECONDS:
        return _("first judgments are in progress")
    if not status.rate:
        return _("no judgment in the last 30 s")
    remaining, pace = text.duration(status.waiting / status.rate), text.number(status.rate, 1)
    return _("about {time} left at {pace} judgments per second", time=remaining, pace=pace)


def _draw_notice(status: RunStatus) -> None:
    if status.doing and not status.resting:
        st.markdown(f":material/downloading: {text.plain(_(status.doing))}")
    if status.stuck:
        st.markdown(f":orange[:material/power_off: {_(status.no_worker)}]")
    elif status.reason:
        st.markdown(f":orange[:material/pause_circle: {text.plain(_(status.reason))}]")
    elif reason := why_blocked(gate.store(), status):
        st.markdown(f":orange[:material/hourglass_empty: {text.plain(_(reason))}]")


def _run_figures(project: ProjectInfo, status: RunStatus) -> list[Figure]:
    call_figures = [
        Figure(text.count(status.calls), _("calls made")),
        _completions(status),
        _cost(status),
    ]
    scored, unscored = _("scored"), _("unscored")
    if compared.only_compared(project):
        scored, unscored = _("with a choice or score"), _("without one")
    return [
        Figure(text.count(status.scored), scored),
        Figure(text.count(status.unscored), unscored, "orange" if status.unscored else ""),
        Figure(text.count(status.failed), _("failed"), "red" if status.failed else ""),
        Figure(text.count(status.waiting), _("waiting")),
        *([] if status.origin in NO_CALL_ORIGINS else call_figures),
    ]


def _completions(status: RunStatus) -> Figure:
    if status.cached:
        return Figure(
            text.count(status.completions), _("replies, {cached} from the cache", cached=status.cached)
        )
    return Figure(text.count(status.completions), _("replies"))


def _cost(status: RunStatus) -> Figure:
    if status.origin == "scripted":
        return Figure(_("none"), _("cost (no model is called)"))
    if status.kind == "local":
        return Figure(_("none"), _("cost (local model)"))
    if status.cost is None or (status.uncounted and not status.cost):
        # Cached replies cost nothing, which says nothing about the cost of the others.
        return Figure(text.money(None), _("cost (price unknown)"))
    if status.budget is not None:
        return Figure(text.money(status.cost), _("cost, of {budget}", budget=text.money(status.budget)))
    return Figure(text.money(status.cost), _("cost so far"))


def _counted(status: RunStatus) -> str:
    return _n(
        "{scored} scored, {unscored} unscored, {failed} failed, {waiting} waiting of {n} judgment.",
        "{scored} scored, {unscored} unscored, {failed} failed, {waiting} waiting of {n} judgments.",
        status.units,
        scored=status.scored,
        unscored=status.unscored,
        failed=status.failed,
        waiting=status.waiting,
    )


def _tokens(status: RunStatus) -> None:
    if not status.calls:
        return
    widgets.heading(_("Tokens"))
    if status.prompt_tokens is None:
        st.caption(_("The endpoint reported no token counts."))
        return
    frame = pd.DataFrame(
        {
            "": [_("Input"), _("Output")],
            "Tokens": [text.count(status.prompt_tokens), text.count(status.completion_tokens)],
        }
    )
    columns = {"Tokens": st.column_config.TextColumn(_("Tokens"), alignment="right")}
    widgets.table(frame, key="runs_tokens", columns=columns, height="content")
