"""One run on the screen: how far, what it came to, what went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from judgelab.charts.progress import Counts, run_bar
from judgelab.domain import VerdictState
from judgelab.runs import review
from judgelab.runs.service import NO_WORKER, RunStatus, run_status
from judgelab.store.run_units import JudgedUnit
from judgelab.ui import figures, gate, text, widgets
from judgelab.ui.figures import Figure

LISTED = 50
POLL_SECONDS = 2
COUNTED = ("Units", "Scored", "Unscored", "Failed", "Waiting")
CAUSES = {
    "rate_limit": "429 too many requests",
    "server_error": "500 server error",
    "broken_body": "reply cut or broken",
    "timeout": "no reply in time",
    "connection": "no connection",
    "bad_key": "key refused",
    "quota": "quota used up",
    "no_reply": "no reply written for this prompt",
}
ORIGINS = {"scripted": "scripted replies, no model asked", "imported": "imported"}


def caption(status: RunStatus) -> str:
    """Return what the run applies, in one muted line."""
    model = Path(status.model).name if status.origin == "scripted" else status.model
    parts = [status.judge, status.protocol, model, ORIGINS.get(status.origin, "")]
    seen: list[str] = []
    for part in parts:
        if part and part not in seen:
            seen.append(part)
    return f"{text.plain(', '.join(seen))}, created {text.when(status.created_at)}"


def sentence(status: RunStatus) -> str:
    """Return how far the run is, as markdown with the figures in front."""
    judged = status.units - status.waiting
    if status.origin == "imported":
        return f"**{text.counted(judged, 'judgment')} imported**; nothing was asked here."
    far = f"**{text.count(judged)} of {text.counted(status.units, 'unit')} judged**"
    if status.state == "done":
        return f"{far} in {text.duration(status.seconds)}."
    if status.stuck:
        return f"{far}; nothing happens at the moment."
    if status.wanted == "pause" and status.state == "running":
        return f"{far}; pausing as soon as the calls in flight are answered."
    if status.state == "running":
        return f"{far} after {text.duration(status.seconds)}; {_rest(status)}."
    return f"{far}; {text.STATES[status.state]}."


def live(run_id: int, *, active: bool) -> None:
    """Draw the parts of a run that change while it goes on; asks for the rights again on every poll.

    Args:
        run_id: the run.
        active: whether it was going on when the whole page was drawn; its end draws the page again.
    """
    gate.enter("researcher")
    status = run_status(gate.store(), run_id)
    widgets.answer(sentence(status))
    _notice(status)
    counts = Counts(status.scored, status.unscored, status.failed, status.waiting)
    widgets.chart(run_bar(counts, theme=widgets.theme()), key=f"runs_bar_{run_id}", alt=_counted(status))
    figures.row(_figures(status))
    st.divider()
    if status.origin == "imported":
        _latest(run_id)
    else:
        left, right = st.columns([8, 5], gap="large")
        with left:
            _latest(run_id)
        with right:
            _faults(status)
            _tokens(status)
    if active and status.resting:
        st.rerun()


def without_score(run_id: int, state: VerdictState, count: int) -> None:
    """Offer the units that hold no score, with what the model wrote and why it could not be read."""
    if not count:
        return
    title = "Unscored: the model answered, no valid score could be read"
    with st.expander(
        f"{title if state == 'unscored' else 'Failed: no reply came'} ({count:,})", expanded=count <= 3
    ):
        for unit in review.without_score(gate.store(), run_id, state=state, limit=LISTED):
            _unit(unit)
        if count > LISTED:
            st.caption(f"The last {LISTED} of {count:,}.")


def listing(runs: Sequence[RunStatus], *, live: int | None) -> pd.DataFrame:
    """Return one row a run; the counts of the live one are left to the panel, which is newer."""
    frame = pd.DataFrame(
        {
            "Run": [f"{run.run}" for run in runs],
            "Judge": [run.judge for run in runs],
            "State": [text.STATES[run.state] for run in runs],
            "Created": [text.when(run.created_at) for run in runs],
        }
    )
    for name in COUNTED:
        counts = [None if run.run == live else getattr(run, name.lower()) for run in runs]
        frame[name] = [text.count(count) for count in counts]
    return frame


def _unit(unit: JudgedUnit) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"**{text.plain(_where(unit))}** {text.plain(unit.reason)}", width="stretch")
        st.page_link(
            "pages/researcher/disagreements.py",
            label="Read the response",
            query_params={"response": str(unit.response)},
        )
    for reply in unit.replies[:3]:
        st.code(reply or "(an empty reply)", language=None, wrap_lines=True)
    if len(unit.replies) > 3:
        st.caption(f"3 of {len(unit.replies)} replies; all of them beside the response.")


def _where(unit: JudgedUnit) -> str:
    return " · ".join(word for word in (unit.item, unit.system, unit.criteria.replace("*", "")) if word)


def _rest(status: RunStatus) -> str:
    if not status.rate:
        return "no unit was judged in the last 30 s"
    rest, pace = text.duration(status.waiting / status.rate), text.number(status.rate, 1)
    return f"about {rest} to go at {pace} units per second"


def _notice(status: RunStatus) -> None:
    if status.stuck:
        st.markdown(f":orange[:material/power_off: {NO_WORKER}]")
    elif status.reason:
        st.markdown(f":orange[:material/pause_circle: {text.plain(status.reason)}]")


def _figures(status: RunStatus) -> list[Figure]:
    asked = [
        Figure(text.count(status.calls), "calls made"),
        Figure(text.count(status.completions), "completions"),
        _cost(status),
    ]
    return [
        Figure(text.count(status.scored), f"scored, of {text.counted(status.units, 'unit')}"),
        Figure(text.count(status.unscored), "unscored", "orange" if status.unscored else ""),
        Figure(text.count(status.failed), "failed", "red" if status.failed else ""),
        Figure(text.count(status.waiting), "waiting"),
        *([] if status.origin == "imported" else asked),
    ]


def _cost(status: RunStatus) -> Figure:
    if status.origin == "scripted":
        return Figure("none", "cost, no model is asked")
    if status.cost is None:
        return Figure(text.money(None), "cost, no price is known")
    return Figure(text.money(status.cost), "cost so far")


def _counted(status: RunStatus) -> str:
    return (
        f"{status.scored} scored, {status.unscored} unscored, {status.failed} failed, "
        f"{status.waiting} waiting of {text.counted(status.units, 'unit')}."
    )


def _latest(run_id: int) -> None:
    widgets.heading("Latest responses")
    units = review.latest(gate.store(), run_id, limit=8)
    if not units:
        st.caption("No unit has been judged yet.")
        return
    frame = pd.DataFrame(
        {
            "Time": [text.clock(unit.judged_at) for unit in units],
            "Response": [_where(unit) for unit in units],
            "Score": [_score(unit) for unit in units],
            "Samples": [_samples(unit) for unit in units],
        }
    )
    columns = {
        "Time": st.column_config.TextColumn(width=70),
        "Response": st.column_config.TextColumn(width=220),
        "Score": st.column_config.TextColumn(alignment="right", width=90),
        "Samples": st.column_config.TextColumn(width="medium"),
    }
    widgets.table(frame, key=f"runs_latest_{run_id}", columns=columns, height="content")


def _score(unit: JudgedUnit) -> str:
    return ", ".join(text.number(score, 1) for score in unit.scores.values()) or text.MISSING


def _samples(unit: JudgedUnit) -> str:
    if unit.state != "scored":
        return f"{unit.state}: {unit.reason}"
    return " ".join(text.MISSING if read is None else f"{read:g}" for read in unit.read)


def _faults(status: RunStatus) -> None:
    widgets.heading("Faults so far")
    if not status.faults and not status.failures:
        st.caption("None: every call was answered at once." if status.calls else "No call was made yet.")
        return
    widgets.table(_fault_table(status.faults, status.failures), key="runs_faults", height="content")
    share = text.share(sum(status.faults.values()), status.calls)
    st.caption(f"{share} of {text.counted(status.calls, 'call')}. A fault never becomes a score.")


def _fault_table(faults: Mapping[str, int], failures: Mapping[str, int]) -> pd.DataFrame:
    causes = sorted({*faults, *failures}, key=lambda cause: -faults.get(cause, 0))
    rows = [(CAUSES.get(c, c.replace("_", " ")), faults.get(c, 0), failures.get(c, 0)) for c in causes]
    total = ("All faults", sum(faults.values()), sum(failures.values()))
    return pd.DataFrame([*rows, total], columns=["Cause", "Times", "Units left without a reply"])


def _tokens(status: RunStatus) -> None:
    widgets.heading("Tokens")
    if status.prompt_tokens is None:
        st.caption("The endpoint did not count tokens.")
        return
    frame = pd.DataFrame(
        {
            "": ["Input", "Output"],
            "Tokens": [text.count(status.prompt_tokens), text.count(status.completion_tokens)],
        }
    )
    right = {"Tokens": st.column_config.TextColumn(alignment="right")}
    widgets.table(frame, key="runs_tokens", columns=right, height="content")
