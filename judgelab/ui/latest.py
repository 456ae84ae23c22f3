"""Figures that take long: while new scores are counted, the last figures stay on the screen and say of when.

While a study is under way every look is a look at new data, and some tables take two seconds at a hundred
thousand ratings. A function that is `kept` gives its last result at once where only scores came in since, and
the page draws itself anew when the new one is there. What somebody does here themself (a rule, a decision, an
import, a new judge) is waited for, as is the first look.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial, wraps
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

import streamlit as st
from streamlit.runtime.scriptrunner import StopException, get_script_run_ctx

from judgelab.analysis.scores import only_scores_came
from judgelab.languages import _
from judgelab.ui import gate, text

P = ParamSpec("P")
T = TypeVar("T")

LONG = 0.15  # seconds from which a result is not waited for
PATIENCE = 0.05  # seconds that all of a page together wait for new results
FADES = 0.9  # of the time that a result took counts at the next one
LOOK_SECONDS = 0.5
WORKERS = 2
_ARRIVED = "latest_arrived"


class _Made(NamedTuple):
    """A result: of which version of the data, when it was begun, and how long it took."""

    version: str
    at: datetime
    seconds: float
    value: Any


@dataclass
class _Run:
    """One run of a page's script.

    Attributes:
        arrived: what was awaited is there, and that is why the script runs.
        patience: seconds that it may still wait.
        oldest: when the oldest of those shown results was made that are not of the data as they are.
        awaited: what is being made.
    """

    arrived: bool
    patience: float
    oldest: datetime | None = None
    awaited: tuple[Future[_Made], ...] = ()


_run: ContextVar[_Run | None] = ContextVar("run", default=None)
_by_worker: ContextVar[bool] = ContextVar("by_worker", default=False)
workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="figures")
_all: list[_Results] = []


def kept(most: int, *, spinner: str = "") -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keep what a function of a project's data returns, for the last `most` things that it was asked.

    Its first two arguments are the project's slug and a version as `analysis.scores.fingerprint` gives it;
    all others are hashable. What it returns is shared: nobody may change it. `spinner` is said where the
    result is waited for.
    """

    def keeping(make: Callable[P, T]) -> Callable[P, T]:
        results = _Results(most)
        _all.append(results)

        @wraps(make)
        def get(*args: P.args, **kwargs: P.kwargs) -> T:
            slug, version = cast(tuple[str, str], args[:2])
            key = (gate.store().url, slug, args[2:], tuple(sorted(kwargs.items())))
            return cast(T, results.get(key, version, partial(make, *args, **kwargs), spinner))

        return get

    return keeping


@contextmanager
def told() -> Iterator[None]:
    """Say below the page inside that figures on it are older than the data, and draw it anew in time."""
    run = _Run(bool(st.session_state.pop(_ARRIVED, False)), PATIENCE)
    token = _run.set(run)
    try:
        yield
    except StopException:
        _say(run)
        raise
    finally:
        _run.reset(token)
    _say(run)


def forget() -> None:
    """Give all results back, as when the process starts."""
    for results in _all:
        results.forget()


class _Results:
    """The last results of one function, and those under way."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._made: OrderedDict[Hashable, _Made] = OrderedDict()
        self._under_way: dict[Hashable, Future[_Made]] = {}

    def get(self, key: Hashable, version: str, make: Callable[[], Any], spinner: str) -> Any:
        """Return the result for this version, or the last one where only scores came in since."""
        run = _run.get()
        with self._lock:
            known = self._made.get(key)
            if known is not None:
                self._made.move_to_end(key)
        if known is not None and known.version == version:
            return known.value
        if (
            run is None
            or known is None
            or (known.seconds < LONG and run.oldest is None)  # all of a page is of one time
            or not only_scores_came(known.version, version)
        ):
            with st.spinner(_(spinner)) if spinner and get_script_run_ctx() else nullcontext():
                return self._now(key, version, make).value
        if not run.arrived:
            known = self._soon(run, key, version, make) or known
        if known.version != version:
            run.oldest = min(run.oldest or known.at, known.at)
        return known.value

    def forget(self) -> None:
        """Forget all results."""
        with self._lock:
            self._made.clear()

    def _now(self, key: Hashable, version: str, make: Callable[[], Any]) -> _Made:
        """Make the result, or wait for who is making it."""
        while True:
            with self._lock:
                other = self._under_way.get(key)
                own: Future[_Made] = Future()
                # A worker that waited for what stands behind it in the queue would wait for ever.
                if other is None or _by_worker.get():
                    self._under_way[key] = own
                    break
            made = other.result()
            if made.version == version:
                return made
        return self._finish(own, key, version, make)

    def _soon(self, run: _Run, key: Hashable, version: str, make: Callable[[], Any]) -> _Made | None:
        """Begin to make the result; return it if it is there in a moment."""
        with self._lock:
            future = self._under_way.get(key)
            if future is None:
                future = self._under_way[key] = Future()
                workers.submit(self._work, future, key, version, make)
        begun = perf_counter()
        wait([future], timeout=max(0.0, run.patience))
        run.patience -= perf_counter() - begun
        if not future.done():
            run.awaited = (*run.awaited, future)
            return None
        return future.result()

    def _work(self, own: Future[_Made], key: Hashable, version: str, make: Callable[[], Any]) -> None:
        _by_worker.set(True)
        self._finish(own, key, version, make)

    def _finish(self, own: Future[_Made], key: Hashable, version: str, make: Callable[[], Any]) -> _Made:
        at, begun = datetime.now(UTC), perf_counter()
        token = _run.set(None)  # what it is made of is of this version, too
        try:
            made = _Made(version, at, 0.0, make())
        except BaseException as error:
            with self._lock:
                self._made.pop(key, None)  # who asks next is told why, and not shown what was
                if self._under_way.get(key) is own:
                    del self._under_way[key]
            own.set_exception(error)
            raise
        finally:
            _run.reset(token)
        took = perf_counter() - begun
        with self._lock:
            # What takes long once and is quick where others have loaded its data may take long again.
            before = self._made.get(key)
            made = made._replace(seconds=max(took, FADES * before.seconds) if before else took)
            self._made[key] = made
            self._made.move_to_end(key)
            while len(self._made) > self._most:
                self._made.popitem(last=False)
            if self._under_way.get(key) is own:
                del self._under_way[key]
        own.set_result(made)
        return made


def _say(run: _Run) -> None:
    if run.oldest is None:
        return
    every = LOOK_SECONDS if run.awaited else None
    with st.container(key="latest", horizontal=True, gap="small", vertical_alignment="center"):
        st.fragment(run_every=every)(_note)(run.oldest, run.awaited)


def _note(oldest: datetime, awaited: tuple[Future[_Made], ...]) -> None:
    at = text.clock(oldest)
    if not awaited:
        st.caption(_("Figures of {time}; more scores have come in since.", time=at), width="content")
        if st.button(_("Bring up to date"), key="latest_again"):
            st.rerun()
    elif all(one.done() for one in awaited):
        st.session_state[_ARRIVED] = True
        st.rerun()
    else:
        st.caption(_("More scores have come in. Figures of {time}, new ones under way.", time=at))
