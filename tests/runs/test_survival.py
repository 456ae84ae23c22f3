"""Runs survive kill -9: every unit scored, no row twice, repeats only for calls in flight."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from sqlalchemy import func, select

from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.judging.budgets import cost_of_run
from judgelab.store.models import Completion, Judgment, Verdict
from tests.runs.conftest import Workers, rests, start_run, wait_until
from tests.runs.openai_server import Server

IN_FLIGHT = 16
SOON = 0.02  # seconds an answer takes when nothing more is to happen before it


def _check_complete(store: Store, run_id: int, server: Server, units: int, *, kills: int) -> None:
    status = service.run_status(store, run_id)
    assert (status.state, status.scored, status.waiting) == ("done", units, 0)
    with store.reading() as session:
        for table in (Judgment, Verdict, Completion):
            assert session.scalar(select(func.count()).select_from(table)) == units
    # What was under way at a kill, and what had come and was being committed: no more than a width each.
    repeats = server.answered - units
    assert repeats <= kills * 2 * IN_FLIGHT


def test_a_run_goes_on_after_its_worker_was_killed_twice(
    store: Store, server: Server, workers: Workers
) -> None:
    _judge_through_two_kills(store, server, workers)


def _judge_through_two_kills(store: Store, server: Server, workers: Workers) -> None:
    server.habits.latency = 0.25
    run_id = start_run(store, server, 96, concurrency=IN_FLIGHT)
    for share in (16, 48):
        worker = workers.start()
        wait_until(store, run_id, lambda status, share=share: status.scored >= share)
        workers.kill(worker)
    server.habits.latency = SOON
    workers.start()
    wait_until(store, run_id, rests)
    _check_complete(store, run_id, server, 96, kills=2)


def test_a_worker_killed_before_and_just_after_its_first_call_loses_nothing(
    store: Store, server: Server, workers: Workers
) -> None:
    server.habits.latency = 0.3
    run_id = start_run(store, server, 40, concurrency=IN_FLIGHT)
    first = workers.start()
    wait_until(store, run_id, lambda status: status.state == "running")
    workers.kill(first)
    second = workers.start()
    wait_until(store, run_id, lambda _: server.calls > 0)
    workers.kill(second)
    server.habits.latency = SOON
    workers.start()
    wait_until(store, run_id, rests)
    _check_complete(store, run_id, server, 40, kills=2)


def test_another_worker_takes_over_from_one_that_ended(
    store: Store, server: Server, workers: Workers
) -> None:
    server.habits.latency = 0.3
    run_id = start_run(store, server, 64, concurrency=IN_FLIGHT)
    first = workers.start()
    wait_until(store, run_id, lambda status: status.scored > 0)
    workers.start()
    first.terminate()
    wait_until(store, run_id, rests)
    _check_complete(store, run_id, server, 64, kills=1)


def test_a_worker_that_slept_makes_no_further_call_for_what_another_one_took_over(
    store: Store, server: Server, workers: Workers
) -> None:
    server.habits.latency = 0.5
    run_id = start_run(store, server, 64, concurrency=4)
    endpoints.set_price(store, "local", "tiny", prompt=0, completion=10_000)  # a cent an answer
    endpoints.update_endpoint(store, "local", timeout=3.0)  # shorter than the sleep
    sleeper = workers.start()
    wait_until(store, run_id, lambda status: status.scored > 0)
    os.kill(sleeper.pid, signal.SIGSTOP)
    try:
        workers.start()  # the sleeper is silent for it after ten seconds
        server.habits.latency = SOON
        assert wait_until(store, run_id, rests).scored == 64
        calls = server.calls
    finally:
        os.kill(sleeper.pid, signal.SIGCONT)
    wait_until(store, run_id, lambda _: len(service.live_workers(store)) == 2)
    time.sleep(1.5)
    assert server.calls == calls  # without the look: some thirty more, all paid for twice
    _check_complete(store, run_id, server, 64, kills=1)
    # What was under way when it fell asleep was answered twice: counted, and charged to the budget.
    status = service.run_status(store, run_id)
    twice = server.answered - 64
    assert twice > 0
    assert (status.calls, status.faults) == (server.answered, {"answered_twice": twice})
    assert status.cost == pytest.approx(0.01 * server.answered)
    with store.reading() as session:
        assert cost_of_run(session, run_id) == pytest.approx(status.cost)


def test_a_worker_that_is_asked_to_end_keeps_the_answers_in_flight(
    store: Store, server: Server, workers: Workers
) -> None:
    server.habits.latency = 0.4
    run_id = start_run(store, server, 60, concurrency=IN_FLIGHT)
    worker = workers.start()
    wait_until(store, run_id, lambda status: status.scored > 0)
    worker.terminate()
    assert worker.wait(5) == 0
    assert service.run_status(store, run_id).scored == server.answered == server.calls


def test_two_workers_share_a_run_and_the_endpoints_limit(
    store: Store, server: Server, workers: Workers
) -> None:
    server.habits.latency = 0.2
    workers.start()
    workers.start()
    _until_live(store, 2)
    run_id = start_run(store, server, 128, concurrency=IN_FLIGHT)
    wait_until(store, run_id, rests)
    _check_complete(store, run_id, server, 128, kills=0)
    assert server.most_inside <= IN_FLIGHT


def test_a_run_goes_on_when_the_engines_own_tables_were_lost(
    store: Store, server: Server, workers: Workers, tmp_path: Path
) -> None:
    server.habits.latency = 0.2
    run_id = start_run(store, server, 60, concurrency=IN_FLIGHT)
    worker = workers.start()
    wait_until(store, run_id, lambda status: status.scored > 0)
    workers.kill(worker)
    for path in tmp_path.glob("test-engine.db*"):
        path.unlink()
    server.habits.latency = SOON
    workers.start()
    wait_until(store, run_id, rests)
    _check_complete(store, run_id, server, 60, kills=1)


def _until_live(store: Store, count: int) -> None:
    end = time.monotonic() + 60
    while len(service.live_workers(store)) < count:
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.postgres
def test_a_run_on_postgresql_survives_two_kills(migrated_postgres_url: str, server: Server) -> None:
    store = open_store(migrated_postgres_url)
    workers = Workers(migrated_postgres_url)
    try:
        _judge_through_two_kills(store, server, workers)
    finally:
        workers.stop()
        store.close()
