"""Figures that take long: a page answers at once, and draws itself anew when they are there.

While a study is under way every look is a look at new data, and some tables take two seconds at a hundred
thousand ratings. A function that is `kept` gives its last result where only scores came in since, and the
page says of when its figures are. A page that is just being opened ends at what is not there yet, and goes on
when it is. What somebody does on it (another level, a rule, a decision) is waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from functools import partial, wraps
from math import inf
from time import perf_counter
from typing import Any, NoReturn, ParamSpec, TypeVar, cast

import streamlit as st
from streamlit import runtime
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from judgelab.analysis.scores import fingerprint, only_scores_came
from judgelab.languages import _
from judgelab.store.engine import Store
from judgelab.ui import gate, text
from judgelab.ui.results import Asked, Made, Results, making

P = ParamSpec("P")
T = TypeVar("T")

LONG = 0.05  # seconds from which a newer result is not waited for
PATIENCE = 0.05  # seconds that all of a page together wait for new results
UNSEEN = inf  # the same where no browser would ask for the page again
LOOK_SECONDS = 0.25
SKELETON = 320  # pixels
_ARRIVED = "latest_arrived"
_OPEN = "latest_open"


@dataclass
class _Run:
    """One run of a page's script.

    Attributes:
        slot: where it says what is under way.
        arrived: what was awaited is there, and that is why the script runs.
        patience: seconds that it may still wait.
        oldest: when the oldest of those shown results was made that are not of the data as they are.
        awaited: what is being made.
        said: what the note in the slot is about.
        ended: the page ends at something that is not there yet.
    """

    slot: DeltaGenerator
    arrived: bool
    patience: float
    oldest: datetime | None = None
    awaited: tuple[Future[Made], ...] = ()
    said: tuple[datetime | None, int] = (None, 0)
    ended: bool = False


class _Ended(BaseException):
    """The page ends here for now; `st.stop` would not let anything more be drawn."""


_run: ContextVar[_Run | None] = ContextVar("run", default=None)
_all: list[Results] = []


def kept(
    most: int, *, spinner: str = "", version_now: Callable[[Store, str], str] = fingerprint
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keep what a function of a project's data returns, for the last `most` things that it was asked.

    Its first two arguments are the project's slug and a version as `version_now` gives it for a project of a
    database; all others are hashable. What it returns is shared: nobody may change it. `spinner` is said
    where the result is waited for.
    """

    def keeping(make: Callable[P, T]) -> Callable[P, T]:
        results = Results(most)
        _all.append(results)

        @wraps(make)
        def get(*args: P.args, **kwargs: P.kwargs) -> T:
            slug, version = cast(tuple[str, str], args[:2])
            store = gate.store()
            key = (store.url, slug, args[2:], tuple(sorted(kwargs.items())))
            what = Asked(version, partial(make, *args, **kwargs), partial(version_now, store, slug))
            return cast(T, _get(results, key, what, spinner))

        return get

    return keeping


@contextmanager
def told() -> Iterator[None]:
    """Say beside the page inside that figures on it are older than the data, and draw it anew in time."""
    # The app under test has a runtime that only looks like one.
    seen = runtime.exists() and type(runtime.get_instance()) is Runtime
    slot = st.container(key="latest").empty()
    run = _Run(slot, bool(st.session_state.pop(_ARRIVED, False)), PATIENCE if seen else UNSEEN)
    token = _run.set(run)
    try:
        yield
    except _Ended:
        return
    finally:
        _run.reset(token)
        context = get_script_run_ctx()
        if context is not None and not run.ended:
            st.session_state[_OPEN] = context.page_script_hash


def forget() -> None:
    """Give all results back, as when the process starts."""
    for results in _all:
        results.forget()


def _get(results: Results, key: Hashable, what: Asked, spinner: str) -> Any:
    known = results.known(key, what.version)
    if known is not None and known.version == what.version:
        return known.value
    run = _run.get()
    if run is None or making.get():  # what a result is made of is of its own version
        return results.now(key, what).value
    if known is not None and only_scores_came(known.version, what.version):
        if known.seconds < LONG and run.oldest is None:  # all of a page is of one time
            return results.now(key, what).value
        if not run.arrived:
            known = _soon(run, results, key, what) or known
        if known.version != what.version:
            run.oldest = min(run.oldest or known.at, known.at)
            _say(run)
        return known.value
    # Once what was awaited is there the rest is waited for: a page ends early once, whatever comes in.
    if _being_opened() and not run.arrived:
        made = _soon(run, results, key, what)
        if made is None:
            _say(run)
            _end(run, spinner)
        return made.value
    with st.spinner(_(spinner)) if spinner else nullcontext():
        return results.now(key, what).value


def _soon(run: _Run, results: Results, key: Hashable, what: Asked) -> Made | None:
    """Return the result if it is there in a moment; else it is awaited."""
    future = results.begin(key, what)
    begun = perf_counter()
    wait([future], timeout=None if run.patience == inf else max(0.0, run.patience))
    run.patience -= perf_counter() - begun
    if future.done():
        results.known(key, what.version)  # tells what it failed with, once
        return results.now(key, what) if future.exception() else future.result()
    run.awaited = (*run.awaited, future)
    return None


def _being_opened() -> bool:
    """Return whether the page was never whole on the screen: it may end early, nothing was chosen on it."""
    context = get_script_run_ctx()
    return context is not None and st.session_state.get(_OPEN) != context.page_script_hash


def _end(run: _Run, spinner: str) -> NoReturn:
    run.ended = True
    if spinner:
        st.caption(_(spinner))
    st.skeleton(height=SKELETON)
    raise _Ended


def _say(run: _Run) -> None:
    """Draw the note, anew where there is more to say; where something is awaited it looks for it."""
    about = (run.oldest, len(run.awaited))
    if run.said == about:
        return
    run.said = about
    with run.slot.container():
        st.fragment(run_every=LOOK_SECONDS if run.awaited else None)(_note)(run)


def _note(run: _Run) -> None:
    context = get_script_run_ctx()
    looking = context is not None and bool(context.fragment_ids_this_run)
    if looking and run.awaited and all(one.done() for one in run.awaited):
        st.session_state[_ARRIVED] = True
        st.rerun()
    if run.oldest is None:
        return
    at = text.clock(run.oldest)
    if run.awaited:
        st.caption(_("More scores have come in. Figures of {time}, new ones under way.", time=at))
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(_("Figures of {time}; more scores have come in since.", time=at), width="content")
        if st.button(_("Bring up to date"), key="latest_again"):
            st.rerun()
