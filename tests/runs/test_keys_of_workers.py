"""A worker leaves runs to others that have the key of their endpoint."""

from __future__ import annotations

import os
from typing import Literal

import pytest

from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.service import RunStatus
from judgelab.runs.waiting import wait_for_run
from judgelab.runs.worker import run_lifecycle
from judgelab.store.db import workers as heartbeats
from judgelab.store.db.engine import Store
from judgelab.store.judging.runs import RunKey
from tests.runs.conftest import Workers, rests, spec, wait_until
from tests.runs.openai_server import Server
from tests.runs.projects import flasks

KEY = "SOUP_KITCHEN_KEY"


def _run(store: Store, server: Server, units: int, *, mode: Literal["live", "batch"] = "live") -> int:
    server.habits.key = "right"
    endpoints.add_endpoint(store, "closed", base_url=server.url, api_key_env=KEY, concurrency=4, timeout=60)
    return service.create_run(store, flasks(store, units), spec(endpoint="closed"), mode=mode)


def _another_lives(store: Store, name: str) -> None:
    """Give the sign of life of a worker that takes nothing up."""
    with store.writing() as session:
        heartbeats.record_heartbeat(session, name, pid=os.getpid(), slots=1)


def test_a_worker_without_the_key_stops_no_run_that_another_one_judges(
    store: Store, server: Server, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY, raising=False)
    run = _run(store, server, 24)
    server.habits.latency = 0.1
    workers.environment = {KEY: "right"}
    keyed = workers.start()
    wait_until(store, run, lambda status: status.scored > 0)
    workers.environment = {}
    workers.start()
    wait_until(store, run, lambda _status: len(service.live_workers(store)) == 2)
    workers.kill(keyed)
    heard: list[str] = []

    def bring_the_key(_status: RunStatus) -> None:
        if heard and not workers.environment:
            workers.environment = {KEY: "right"}
            workers.start()

    finished = wait_for_run(store, run, engine_url="", progress=bring_the_key, say=heard.append)
    assert (finished.state, finished.scored, finished.failed, finished.reason) == ("done", 24, 0, "")
    assert KEY in heard[0] and "not set for the worker" in heard[0]


def test_a_run_whose_key_no_worker_has_stops_and_names_it(
    store: Store, server: Server, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY, raising=False)
    run = _run(store, server, 4)
    workers.start()
    status = wait_until(store, run, rests)
    assert status.state == "stopped" and KEY in status.reason
    assert server.calls == 0


def test_a_batch_run_is_handed_over_by_a_worker_without_the_key(
    store: Store, server: Server, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY, raising=False)
    workers.environment = {"JUDGELAB_BATCH_POLL_SECONDS": "0.2"}
    workers.start()
    _another_lives(store, "elsewhere-0")  # it may have the key
    run = _run(store, server, 6, mode="batch")

    def handed_over(status: RunStatus) -> bool:
        _another_lives(store, "elsewhere-0")
        return bool(status.reason)

    handed_back = wait_until(store, run, handed_over)
    assert not handed_back.resting and KEY in handed_back.reason
    workers.environment[KEY] = "right"
    workers.start()
    finished = wait_until(store, run, rests)
    assert (finished.state, finished.scored, finished.failed, finished.reason) == ("done", 6, 0, "")
    assert (server.calls, server.batches.created) == (1, 1)


def test_a_batch_run_stops_once_each_live_worker_has_found_no_key(any_store: Store, server: Server) -> None:
    store = any_store
    run = _run(store, server, 6, mode="batch")
    for name in ("one", "other"):
        _another_lives(store, name)
    reasons = []
    for attempt, name in enumerate(("one", "other"), start=1):
        assert run_lifecycle.begin(store, run, attempt)
        errors = [run_lifecycle.no_key(name, f"the key {KEY} is not set")]
        reasons.append(run_lifecycle.end_round(store, run, attempt, before=1, errors=errors))
        run_lifecycle.restart(store, RunKey(run, attempt))
    assert reasons == ["again", "stopped"]
    assert service.run_status(store, run).reason == f"the key {KEY} is not set"
    service.resume(store, run)
    assert run_lifecycle.begin(store, run, 3)
    assert (
        run_lifecycle.end_round(store, run, 3, before=1, errors=errors) == "again"
    )  # "one" may have been given it
