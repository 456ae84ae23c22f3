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
    limit: int, *, spinner: str = "", version_now: Callable[[Store, str], str] = fingerprint
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Keep what a function of a project's data returns, for the last `limit` things that it was asked.

    Its first two arguments are the project's slug and a version as `version_now` gives it for a project of a
    database; all others are hashable. What it returns is shared: nobody may change it. `spinner` is said
    where the result is waited for.
    """

    def decorate(make: Callable[P, T]) -> Callable[P, T]:
        results = Results(limit)
        _all.append(results)

        @wraps(make)
        def get(*args: P.args, **kwargs: P.kwargs) -> T:
            slug, version = cast(tuple[str, str], args[:2])
            store = gate.store()
            key = (store.url, slug, args[2:], tuple(sorted(kwargs.items())))
            run = page_run.current()
            if run is not None:
                page_run.watch(run, partial(_word, slug))
            request = Asked(version, partial(make, *args, **kwargs), partial(version_now, store, slug))
            return cast(T, _get(results, key, request, spinner))

        return get

    return decorate


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


def _get(results: Results, key: Hashable, request: Asked, spinner: str) -> Any:
    result = results.known(key, request.version)
    if result is not None and result.version == request.version:
        return result.value
    run = page_run.current()
    if run is None or making.get():  # what a result is made of is of its own version
        return results.now(key, request).value
    if result is not None and only_scores_came(result.version, request.version):
        if result.seconds < LONG and run.oldest is None:  # all of a page is of one time
            return results.now(key, request).value
        if not run.arrived:
            result = _soon(run, results, key, request) or result
        if result.version != request.version:
            run.oldest = min(run.oldest or result.at, result.at)
            page_run.say(run)
        return result.value
    # Once what was awaited is there the rest is waited for: a page ends early once, whatever comes in.
    if page_run.being_opened() and not run.arrived:
        fresh = _soon(run, results, key, request)
        if fresh is None:
            page_run.say(run)
            page_run.end(run, spinner)
        return fresh.value
    with st.spinner(_(spinner)) if spinner else nullcontext():
        return results.now(key, request).value


def _soon(run: PageRun, results: Results, key: Hashable, request: Asked) -> Made | None:
    """Return the result if it is there in a moment; else it is awaited."""
    future = results.begin(key, request)
    start = perf_counter()
    wait([future], timeout=None if run.patience == inf else max(0.0, run.patience))
    run.patience -= perf_counter() - start
    if future.done():
        results.known(key, request.version)  # tells what it failed with, once
        return results.now(key, request) if future.exception() else future.result()
    run.awaited = (*run.awaited, future)
    return None
