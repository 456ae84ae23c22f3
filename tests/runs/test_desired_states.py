"""Pause, resume, cancel and stop, with a worker process at work."""

from __future__ import annotations

import pytest

from judgelab.errors import InvalidInput, NotFound
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.store.db.engine import Store
from judgelab.store.judging.runs import find_run
from tests.runs.conftest import Workers, rests, spec, start_run, wait_until
from tests.runs.openai_server import Server
from tests.runs.projects import flasks


def test_a_run_is_paused_resumed_and_finished_without_a_repeated_call(
    store: Store, server: Server, workers: Workers
) -> None:
    server.habits.latency = 0.2
    run_id = start_run(store, server, 100, concurrency=8)
    workers.start()
    wait_until(store, run_id, lambda status: status.scored > 10)
    service.pause(store, run_id)
    paused = wait_until(store, run_id, rests)
    assert paused.state == "paused"
    assert paused.scored == server.calls < 100
    service.resume(store, run_id)
    # Changing one's mind while calls are in flight starts no second attempt.
    wait_until(store, run_id, lambda status: status.scored > paused.scored)
    service.pause(store, run_id)
    service.resume(store, run_id)
    server.habits.latency = 0.02
    finished = wait_until(store, run_id, rests)
    assert (finished.state, finished.scored, server.calls) == ("done", 100, 100)


def test_a_cancelled_run_keeps_what_is_judged_and_ends(
    store: Store, server: Server, workers: Workers
) -> None:
    server.habits.latency = 0.2
    run_id = start_run(store, server, 100, concurrency=8)
    workers.start()
    wait_until(store, run_id, lambda status: status.scored > 0)
    service.cancel(store, run_id)
    status = wait_until(store, run_id, rests)
    assert status.state == "cancelled"
    assert status.scored == server.calls < 100
    with pytest.raises(InvalidInput, match="start a new one"):
        service.resume(store, run_id)


def test_a_run_that_waits_behind_another_rests_without_its_turn(any_store: Store, server: Server) -> None:
    server.habits.latency = 0.5
    endpoints.add_endpoint(any_store, "local", base_url=server.url, concurrency=4)
    slug = flasks(any_store, 100)
    ahead = service.create_run(any_store, slug, spec(), cache=False)
    workers = Workers(any_store.url)
    try:
        workers.start()
        wait_until(any_store, ahead, lambda status: status.scored > 0)
        behind = service.create_run(any_store, slug, spec(), cache=False)
        wait_until(any_store, behind, lambda status: status.state == "running")
        service.pause(any_store, behind)
        paused = wait_until(any_store, behind, rests)
        assert (paused.state, paused.scored) == ("paused", 0)
        # A chunk of the second run is taken up when at least six of the ten of the first one are home.
        assert service.run_status(any_store, ahead).scored < 50
        service.resume(any_store, behind)
        server.habits.latency = 0.01
        statuses = [wait_until(any_store, run, rests) for run in (ahead, behind)]
    finally:
        workers.stop()
    assert [(status.state, status.scored) for status in statuses] == [("done", 100)] * 2
    assert server.calls == 200


def test_a_bad_key_stops_the_run_and_resuming_goes_on(store: Store, server: Server, workers: Workers) -> None:
    server.habits.status = (401, "invalid_api_key")
    run_id = start_run(store, server, 30, concurrency=4)
    workers.start()
    status = wait_until(store, run_id, rests)
    assert (status.state, status.scored, status.failed) == ("stopped", 0, 0)
    assert "401" in status.reason
    assert server.calls <= 4
    server.habits.status = None
    service.resume(store, run_id)
    finished = wait_until(store, run_id, rests)
    assert (finished.state, finished.scored, finished.reason) == ("done", 30, "")


def test_wishes_without_a_worker_take_effect_at_once(store: Store, server: Server) -> None:
    run_id = start_run(store, server, 2)
    assert service.run_status(store, run_id).stuck
    service.pause(store, run_id)
    assert service.run_status(store, run_id).state == "paused"
    service.resume(store, run_id)
    with store.reading() as session:
        assert find_run(session, run_id).attempt == 2
    service.cancel(store, run_id)
    assert service.run_status(store, run_id).state == "cancelled"
    for refused in (service.pause, service.resume, service.cancel, service.retry_failed):
        with pytest.raises(InvalidInput):
            refused(store, run_id)
    with pytest.raises(NotFound):
        service.pause(store, 99)


def test_a_worker_shows_that_it_lives_and_that_it_ended(
    store: Store, server: Server, workers: Workers
) -> None:
    run_id = start_run(store, server, 1)
    assert service.live_workers(store) == []
    worker = workers.start()
    wait_until(store, run_id, rests)
    (alive,) = service.live_workers(store)
    assert alive.pid == worker.pid
    worker.terminate()
    worker.wait(8)
    assert service.live_workers(store) == []
