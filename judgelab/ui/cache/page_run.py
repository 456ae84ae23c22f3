"""One run of a page's script: what it shows that is older than the data, and where it ends for now.

Whatever `app.py` imports is there before the first page: nothing here loads figures, or what makes them
(`latest`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import inf
from typing import Any, NoReturn

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from judgelab.analysis.data.fingerprint_parts import only_scores_came
from judgelab.languages import _
from judgelab.ui.kit import streamlit_internals, text

PATIENCE = 0.05  # seconds that all of a page together wait for new results
UNSEEN = inf  # the same where no browser would ask for the page again
LOOK_SECONDS = 0.25
WATCH_SECONDS = 10  # between two looks of a page that stands open whether its figures are still of the data
SKELETON = 320  # pixels
ARRIVED = "latest_arrived"
_OPEN = "latest_open"


@dataclass
class PageRun:
    """One run of a page's script.

    Attributes:
        slot: where it says what is under way.
        arrived: what was awaited is there, and that is why the script runs.
        patience: seconds that it may still wait.
        oldest: when the oldest of those shown results was made that are not of the data as they are.
        awaited: what is being made.
        said: what the note in the slot is about.
        ended: the page ends at something that is not there yet.
        begun: when it was drawn.
        word_now: gives the fingerprint of the data that the figures are of, or None where nobody may know it.
        word: what that was when the first figure was asked for.
        changed: something else than scores changed since the page was drawn.
    """

    slot: DeltaGenerator
    arrived: bool
    patience: float
    oldest: datetime | None = None
    awaited: tuple[Future[Any], ...] = ()
    said: tuple[datetime | None, int] = (None, 0)
    ended: bool = False
    begun: datetime = field(default_factory=lambda: datetime.now(UTC))
    word_now: Callable[[], str | None] = lambda: None
    word: str | None = None
    changed: bool = False


class Ended(BaseException):
    """The page ends here for now; `st.stop` would not let anything more be drawn."""


_current: ContextVar[PageRun | None] = ContextVar("run", default=None)


def current() -> PageRun | None:
    """Return the run of the script that is drawing a page now; None in a callback, a fragment or a worker."""
    return _current.get()


@contextmanager
def told() -> Iterator[None]:
    """Say beside the page inside that figures on it are older than the data, and draw it anew in time."""
    slot = st.container(key="latest").empty()
    patience = PATIENCE if streamlit_internals.has_browser() else UNSEEN
    run = PageRun(slot, bool(st.session_state.pop(ARRIVED, False)), patience)
    token = _current.set(run)
    try:
        yield
        _watch(run)
    except Ended:
        return
    finally:
        _current.reset(token)
        if streamlit_internals.is_script_running() and not run.ended:
            st.session_state[_OPEN] = streamlit_internals.current_page()


def being_opened() -> bool:
    """Return whether the page was never whole on the screen: it may end early, nothing was chosen on it."""
    page = streamlit_internals.current_page()
    return bool(page) and st.session_state.get(_OPEN) != page


def end(run: PageRun, spinner: str) -> NoReturn:
    """End the page here until what is awaited is there."""
    run.ended = True
    if spinner:
        st.caption(_(spinner))
    st.skeleton(height=SKELETON)
    raise Ended


def say(run: PageRun) -> None:
    """Draw the note, anew where there is more to say; where something is awaited it looks for it."""
    state = (run.oldest, len(run.awaited))
    if run.said == state:
        return
    run.said = state
    with run.slot.container():
        st.fragment(run_every=LOOK_SECONDS if run.awaited else None)(_note)(run)


def watch(run: PageRun, word_now: Callable[[], str | None]) -> None:
    """Look from time to time, once the page is whole, whether its figures are still of the data.

    Args:
        run: the page's run; the first who asks for this is heard.
        word_now: gives the fingerprint of the data, or None where whoever looks may no longer know it.
    """
    if run.word is None:
        run.word_now, run.word = word_now, word_now()


def _watch(run: PageRun) -> None:
    if run.word is not None and not run.awaited and run.oldest is None:
        with run.slot.container():
            st.fragment(run_every=WATCH_SECONDS)(_note)(run)


def _note(run: PageRun) -> None:
    polling = streamlit_internals.is_fragment_run()
    if polling and run.awaited and all(future.done() for future in run.awaited):
        st.session_state[ARRIVED] = True
        st.rerun()
    if polling and not run.awaited and run.word is not None:
        _compare(run, run.word)
    if run.oldest is None:
        return
    time = text.clock(run.oldest)
    if run.awaited:
        st.caption(_("More scores have come in. Figures of {time}, new ones under way.", time=time))
        return
    if run.changed:
        message = _("Figures of {time}; the project has changed since.", time=time)
    else:
        message = _("Figures of {time}; more scores have come in since.", time=time)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(message, width="content")
        if st.button(_("Bring up to date"), key="latest_again"):
            st.rerun()


def _compare(run: PageRun, fingerprint: str) -> None:
    now = run.word_now()
    if now is not None and now != fingerprint:
        run.oldest = run.oldest or run.begun
        run.changed = not only_scores_came(fingerprint, now)
