"""A worker leaves runs to others that have the key of their endpoint."""

from __future__ import annotations

import pytest

from judgelab.runs import endpoints, service
from judgelab.runs.waiting import wait_for
from judgelab.store.engine import Store
from tests.runs.conftest import Workers, rests, spec, wait_until
from tests.runs.openai_server import Server
from tests.runs.projects import flasks

KEY = "SOUP_KITCHEN_KEY"


def _run(store: Store, server: Server, units: int) -> int:
    server.habits.key = "right"
    endpoints.add_endpoint(store, "closed", base_url=server.url, api_key_env=KEY, concurrency=4, timeout=60)
    return service.create_run(store, flasks(store, units), spec(endpoint="closed"))


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
    workers.kill(keyed)
    heard: list[str] = []

    def bring_the_key(_status: service.RunStatus) -> None:
        if heard and not workers.environment:
            workers.environment = {KEY: "right"}
            workers.start()

    done = wait_for(store, run, engine_url="", progress=bring_the_key, say=heard.append)
    assert (done.state, done.scored, done.failed, done.reason) == ("done", 24, 0, "")
    assert KEY in heard[0] and "not set where the worker runs" in heard[0]


def test_a_run_whose_key_no_worker_has_stops_and_names_it(
    store: Store, server: Server, workers: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(KEY, raising=False)
    run = _run(store, server, 4)
    workers.start()
    stopped = wait_until(store, run, rests)
    assert stopped.state == "stopped" and KEY in stopped.reason
    assert server.calls == 0
