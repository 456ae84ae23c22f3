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

from judgelab.analysis.scores import only_scores_came
from judgelab.languages import _
from judgelab.ui import gate, text
from judgelab.ui.results import Made, Results, making

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
        place: where it says what is under way.
        arrived: what was awaited is there, and that is why the script runs.
        patience: seconds that it may still wait.
        oldest: when the oldest of those shown results was made that are not of the data as they are.
        awaited: what is being made.
        said: the place is filled.
        ended: the page ends at something that is not there yet.
    """

    place: DeltaGenerator
    arrived: bool
    patience: float
    oldest: datetime | None = None
    awaited: tuple[Future[Made], ...] = ()
    said: bool = False
    ended: bool = False


class _Ended(BaseException):
    """The page ends here for now; `st.stop` would not let anything more be drawn."""


_run: ContextVar[_Run | None] = ContextVar("run", default=None)
_all: list[Results] = []


def kept(most: int, *, spinner: str = "") -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keep what a function of a project's data returns, for the last `most` things that it was asked.

    Its first two arguments are the project's slug and a version as `analysis.scores.fingerprint` gives it;
    all others are hashable. What it returns is shared: nobody may change it. `spinner` is said where the
    result is waited for.
    """

    def keeping(make: Callable[P, T]) -> Callable[P, T]:
        results = Results(most)
        _all.append(results)

        @wraps(make)
        def get(*args: P.args, **kwargs: P.kwargs) -> T:
            slug, version = cast(tuple[str, str], args[:2])
            key = (gate.store().url, slug, args[2:], tuple(sorted(kwargs.items())))
            return cast(T, _get(results, key, version, partial(make, *args, **kwargs), spinner))

        return get

    return keeping


@contextmanager
def told() -> Iterator[None]:
    """Say beside the page inside that figures on it are older than the data, and draw it anew in time."""
    # The app under test has a runtime that only looks like one.
    seen = runtime.exists() and type(runtime.get_instance()) is Runtime
    place = st.container(key="latest")
    run = _Run(place, bool(st.session_state.pop(_ARRIVED, False)), PATIENCE if seen else UNSEEN)
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


def _get(results: Results, key: Hashable, version: str, make: Callable[[], Any], spinner: str) -> Any:
    known = results.known(key)
    if known is not None and known.version == version:
        return known.value
    run = _run.get()
    if run is None or making.get():  # what a result is made of is of its own version
        return results.now(key, version, make).value
    if known is not None and only_scores_came(known.version, version):
        if known.seconds < LONG and run.oldest is None:  # all of a page is of one time
            return results.now(key, version, make).value
        if not run.arrived:
            known = _soon(run, results.begin(key, version, make)) or known
        if known.version != version:
            run.oldest = min(run.oldest or known.at, known.at)
            _say(run)
        return known.value
    if _being_opened():
        made = _soon(run, results.begin(key, version, make))
        if made is None:
            _say(run)
            _end(run, spinner)
        return made.value
    with st.spinner(_(spinner)) if spinner else nullcontext():
        return results.now(key, version, make).value


def _soon(run: _Run, future: Future[Made]) -> Made | None:
    """Return the result if it is there in a moment; else it is awaited."""
    begun = perf_counter()
    wait([future], timeout=None if run.patience == inf else max(0.0, run.patience))
    run.patience -= perf_counter() - begun
    if future.done():
        return future.result()
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
    """Draw the note, once for a run; where something is awaited it looks for it by itself."""
    if not run.said:
        run.said = True
        with run.place:
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
