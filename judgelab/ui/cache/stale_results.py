"""Slow figures: a page answers at once and redraws itself when new figures have been computed.

While a study is running, the data change with every visit, and some tables take two seconds at a hundred
thousand ratings. A function decorated with `kept` returns its previous result if only scores have come in
since, and the page says how old its figures are. A page that is being opened stops at the first missing
result and goes on when it is there. After a choice on the page (another level, a rule, a decision) it waits.
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

from judgelab.analysis.data.fingerprint_parts import only_scores_changed
from judgelab.analysis.data.scores import fingerprint
from judgelab.languages import _
from judgelab.store.db.engine import Store
from judgelab.store.frames import snapshots
from judgelab.ui.cache import page_run
from judgelab.ui.cache.page_run import PageRun
from judgelab.ui.cache.results import CachedResult, ResultRequest, Results, making
from judgelab.ui.session import gate

P = ParamSpec("P")
T = TypeVar("T")

LONG = 0.05  # seconds; a result that takes longer is computed in the background

_all: list[Results] = []


def kept(
    limit: int, *, spinner: str = "", version_now: Callable[[Store, str], str] = fingerprint
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Cache what a function of a project's data returns, for the last `limit` distinct calls.

    The function's first two arguments are the project's slug and a version as `version_now` returns it; all
    others must be hashable. Results are shared, so callers must not modify them. `spinner` is shown while a
    page waits for the result.
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
                page_run.watch_data(run, partial(_data_fingerprint, slug))
            request = ResultRequest(
                version, partial(make, *args, **kwargs), partial(version_now, store, slug)
            )
            return cast(T, _get(results, key, request, spinner))

        return get

    return decorate


def busy() -> bool:
    """Return whether any result is being computed; benchmarks and tests wait for this."""
    return any(results.busy() for results in _all)


def forget() -> None:
    """Forget all results, as at the start of the process."""
    for results in _all:
        results.forget()


def _data_fingerprint(slug: str) -> str | None:
    """Return the fingerprint of the stored data; unlike `fingerprint`, this recomputes no jury scores."""
    project = gate.visible_project(slug)
    return None if project is None else snapshots.fingerprint(gate.store(), project.id)


def _get(results: Results, key: Hashable, request: ResultRequest, spinner: str) -> Any:
    result = results.newest(key, request.version)
    if result is not None and result.version == request.version:
        return result.value
    run = page_run.current()
    if run is None or making.get():  # inputs of a result must be of its own version
        return results.get_or_make(key, request).value
    if result is not None and only_scores_changed(result.version, request.version):
        if result.seconds < LONG and run.oldest is None:  # keep all figures of a page consistent
            return results.get_or_make(key, request).value
        if not run.arrived:
            result = _soon(run, results, key, request) or result
        if result.version != request.version:
            run.oldest = min(run.oldest or result.started_at, result.started_at)
            page_run.draw_note(run)
        return result.value
    # A page ends early only once: after that it waits for whatever is still missing.
    if page_run.being_opened() and not run.arrived:
        fresh = _soon(run, results, key, request)
        if fresh is None:
            page_run.draw_note(run)
            page_run.end_page(run, spinner)
        return fresh.value
    with st.spinner(_(spinner)) if spinner else nullcontext():
        return results.get_or_make(key, request).value


def _soon(run: PageRun, results: Results, key: Hashable, request: ResultRequest) -> CachedResult | None:
    """Return the result if it arrives within the run's patience; else add it to the pending ones."""
    future = results.start(key, request)
    start = perf_counter()
    wait([future], timeout=None if run.patience == inf else max(0.0, run.patience))
    run.patience -= perf_counter() - start
    if future.done():
        results.newest(key, request.version)  # raises the worker's error, once
        return results.get_or_make(key, request) if future.exception() else future.result()
    run.pending = (*run.pending, future)
    return None
