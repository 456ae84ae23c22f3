"""The current run of a page's script: which of its figures are out of date, and where it stops for now.

`app.py` imports this module before the first page, so it must not load figures or the code that computes
them (`stale_results`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from typing import Any, NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from judgelab.analysis.data.fingerprint_parts import only_scores_changed
from judgelab.languages import _
from judgelab.ui.kit import streamlit_internals, text
from judgelab.wording import mark

UPDATING = mark("New scores have arrived. Figures from {time}; updating…")

PATIENCE = 0.05  # seconds that one page run waits for new results in total
UNSEEN = inf  # without a browser nothing would rerun the page, so wait until the result is there
LOOK_SECONDS = 0.25
WATCH_SECONDS = 10  # between checks whether an open page's figures are still current
SKELETON = 320  # pixels
ANSWER_LINES = (720, 520)  # widths of the two lines in which most pages answer their question, in pixels
ANSWER_LINE = 24
COMPUTING = mark("Computing the figures of this page…")
ARRIVED = "latest_arrived"
_OPEN = "latest_open"


@dataclass
class PageRun:
    """One run of a page's script.

    Attributes:
        slot: where the note about stale figures is drawn.
        arrived: the script runs because the pending results have arrived.
        patience: seconds that this run may still wait for results.
        oldest: when the oldest out-of-date result on the page was made.
        pending: results that are being computed.
        noted: state that the note in the slot describes.
        ended: the page stopped at a result that is not there yet.
        drawn_at: when the page was drawn.
        current_fingerprint: returns the data's fingerprint now, or None if the visitor has lost access.
        fingerprint: the data's fingerprint when the first figure was requested.
        changed: something other than scores has changed since the page was drawn.
    """

    slot: DeltaGenerator
    arrived: bool
    patience: float
    oldest: datetime | None = None
    pending: tuple[Future[Any], ...] = ()
    noted: tuple[datetime | None, int] = (None, 0)
    ended: bool = False
    drawn_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    current_fingerprint: Callable[[], str | None] = lambda: None
    fingerprint: str | None = None
    changed: bool = False


class PageEnded(BaseException):
    """Raised to end the page for now; after `st.stop` nothing more could be drawn."""


class PageFinished(BaseException):
    """Raised where a page has drawn all it shows; after `st.stop` its figures would not be watched."""


_current: ContextVar[PageRun | None] = ContextVar("run", default=None)


def current() -> PageRun | None:
    """Return the page run in progress; None in a callback, a fragment or a worker."""
    return _current.get()


@contextmanager
def stale_note() -> Iterator[None]:
    """Run a page with a note beside it while figures are stale; redraw it when new ones arrive."""
    slot = st.container(key="latest").empty()
    patience = PATIENCE if streamlit_internals.has_browser() else UNSEEN
    run = PageRun(slot, bool(st.session_state.pop(ARRIVED, False)), patience)
    token = _current.set(run)
    try:
        with suppress(PageFinished):
            yield
        _watch(run)
    except PageEnded:
        return
    finally:
        _current.reset(token)
        if streamlit_internals.is_script_running() and not run.ended:
            st.session_state[_OPEN] = streamlit_internals.current_page()


def being_opened() -> bool:
    """Return whether the page has not been shown in full yet: only then may it end early."""
    page = streamlit_internals.current_page()
    return bool(page) and st.session_state.get(_OPEN) != page


def finish_page() -> NoReturn:
    """End the page's script here; the page is complete."""
    raise PageFinished


def end_page(run: PageRun, spinner: str) -> NoReturn:
    """End the page here until the pending results arrive: words, then the shape of an answer and a figure."""
    run.ended = True
    st.caption(_(spinner or COMPUTING))
    with st.container(gap="xsmall"):
        for width in ANSWER_LINES:
            st.skeleton(height=ANSWER_LINE, width=width)
    st.skeleton(height=SKELETON)
    raise PageEnded


def draw_note(run: PageRun) -> None:
    """Draw the note if its state has changed; while results are pending it polls for them."""
    state = (run.oldest, len(run.pending))
    if run.noted == state:
        return
    run.noted = state
    with run.slot.container():
        st.fragment(run_every=LOOK_SECONDS if run.pending else None)(_note)(run)


def watch_data(run: PageRun, current_fingerprint: Callable[[], str | None]) -> None:
    """Check regularly, once the page is complete, whether its figures still match the data.

    Args:
        run: the page's run; only the first call for a run has an effect.
        current_fingerprint: returns the data's fingerprint, or None if the visitor has lost access.
    """
    if run.fingerprint is None:
        run.current_fingerprint, run.fingerprint = current_fingerprint, current_fingerprint()


def _watch(run: PageRun) -> None:
    if run.fingerprint is not None and not run.pending and run.oldest is None:
        with run.slot.container():
            st.fragment(run_every=WATCH_SECONDS)(_note)(run)


def _note(run: PageRun) -> None:
    polling = streamlit_internals.is_fragment_run()
    if polling and run.pending and all(future.done() for future in run.pending):
        st.session_state[ARRIVED] = True
        st.rerun()
    if polling and not run.pending and run.fingerprint is not None:
        _compare(run, run.fingerprint)
    if run.oldest is None:
        return
    time = text.clock(run.oldest)
    if run.pending:
        st.caption(_(UPDATING, time=time))
        return
    if run.changed:
        message = _("Figures from {time}; the project has changed since.", time=time)
    else:
        message = _("Figures from {time}; new scores have arrived since.", time=time)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(message, width="content")
        if st.button(_("Refresh"), key="latest_again"):
            st.rerun()


def _compare(run: PageRun, fingerprint: str) -> None:
    now = run.current_fingerprint()
    if now is not None and now != fingerprint:
        run.oldest = run.oldest or run.drawn_at
        run.changed = not only_scores_changed(fingerprint, now)
