"""Figures that take long: a page answers at once, and draws itself anew when they are there.

While a study is under way every look is a look at new data, and some tables take two seconds at a hundred
thousand ratings. A function that is `kept` gives its last result where only scores came in since, and the
page says of when its figures are. A page that is just being opened ends at what is not there yet, and goes on
when it is. What somebody does on it (another level, a rule, a decision) is waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import wait
from contextlib import nullcontext
from functools import partial, wraps
from math import inf
from time import perf_counter
from typing import Any, ParamSpec, TypeVar, cast

import streamlit as st

from judgelab.analysis.data.fingerprint_parts import only_scores_came
from judgelab.analysis.data.scores import fingerprint
from judgelab.languages import _
from judgelab.store.db.engine import Store
from judgelab.store.frames import snapshots
from judgelab.ui.cache import page_run
from judgelab.ui.cache.page_run import PageRun
from judgelab.ui.cache.results import Asked, Made, Results, making
from judgelab.ui.session import gate

P = ParamSpec("P")
T = TypeVar("T")

LONG = 0.05  # seconds from which a newer result is not waited for

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
            run = page_run.current()
            if run is not None:
                page_run.watch(run, partial(_word, slug))
            what = Asked(version, partial(make, *args, **kwargs), partial(version_now, store, slug))
            return cast(T, _get(results, key, what, spinner))

        return get

    return keeping


def busy() -> bool:
    """Return whether any result is being made: for who measures when all figures are there."""
    return any(results.busy() for results in _all)


def forget() -> None:
    """Give all results back, as when the process starts."""
    for results in _all:
        results.forget()


def _word(slug: str) -> str | None:
    """Return the fingerprint of what is written, which makes no jury's scores anew as `fingerprint` does."""
    project = gate.seen(slug)
    return None if project is None else snapshots.fingerprint(gate.store(), project.id)


def _get(results: Results, key: Hashable, what: Asked, spinner: str) -> Any:
    known = results.known(key, what.version)
    if known is not None and known.version == what.version:
        return known.value
    run = page_run.current()
    if run is None or making.get():  # what a result is made of is of its own version
        return results.now(key, what).value
    if known is not None and only_scores_came(known.version, what.version):
        if known.seconds < LONG and run.oldest is None:  # all of a page is of one time
            return results.now(key, what).value
        if not run.arrived:
            known = _soon(run, results, key, what) or known
        if known.version != what.version:
            run.oldest = min(run.oldest or known.at, known.at)
            page_run.say(run)
        return known.value
    # Once what was awaited is there the rest is waited for: a page ends early once, whatever comes in.
    if page_run.being_opened() and not run.arrived:
        made = _soon(run, results, key, what)
        if made is None:
            page_run.say(run)
            page_run.end(run, spinner)
        return made.value
    with st.spinner(_(spinner)) if spinner else nullcontext():
        return results.now(key, what).value


def _soon(run: PageRun, results: Results, key: Hashable, what: Asked) -> Made | None:
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
