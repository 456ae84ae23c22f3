"""Who waits for a run is told what it waits behind, and how it goes on without them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from datetime import timedelta

import pytest

from judgelab.runs import service
from judgelab.runs.blocked_runs import is_cooling_down, why_blocked
from judgelab.runs.endpoints import probe
from judgelab.runs.endpoints.service import current_cool_downs
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.runs.service import RunStatus
from judgelab.runs.waiting import wait_for_run
from judgelab.store.db import workers
from judgelab.store.db.engine import Store
from judgelab.store.judging import endpoints
from judgelab.store.models import Run, now
from judgelab.store.projects.projects import find_project
from tests.runs.conftest import Workers, start_run, wait_until
from tests.runs.openai_server import Server
from tests.runs.projects import flasks

RULE = JudgeSpec("direct", "rule", backend="scripted", samples=1)


def resting_run(store: Store, slug: str, *, until: timedelta) -> int:
    """Begin a run at an endpoint that rests until then."""
    with store.writing() as session:
        where = endpoints.add_endpoint(session, {"name": "far", "base_url": "http://127.0.0.1:9/v1"})
        endpoints.cool_down(session, where.id, now() + until, "it cannot be reached")
    run = service.create_run(store, slug, JudgeSpec("direct", "m", endpoint="far", samples=1))
    with store.writing() as session:
        session.get_one(Run, run).state = "running"
    return run


def begun_run(store: Store, slug: str) -> int:
    """Begin a run that no answer came to for a while."""
    run = service.create_run(store, slug, RULE)
    with store.writing() as session:
        row = session.get_one(Run, run)
        row.state, row.started_at = "running", now() - timedelta(seconds=10)
    return run


def a_worker(store: Store, *, slots: int = 1) -> None:
    with store.writing() as session:
        workers.record_heartbeat(session, "w", pid=os.getpid(), slots=slots)


def test_a_run_behind_one_whose_endpoint_rests_says_so(any_store: Store) -> None:
    slug = flasks(any_store, 3)
    a_worker(any_store)
    first = resting_run(any_store, slug, until=timedelta(minutes=1))
    second = begun_run(any_store, slug)
    reason = why_blocked(any_store, service.run_status(any_store, second))
    assert str(reason) == (
        f"Run {first} occupies all workers, and its endpoint 'far' does not answer. This run starts "
        f"once that one is paused: judgelab run pause {first}."
    )
    assert why_blocked(any_store, service.run_status(any_store, first)) is None
    with any_store.writing() as session:
        session.get_one(Run, first).state = "paused"
    assert why_blocked(any_store, service.run_status(any_store, second)) is None


def test_with_a_free_place_or_an_answer_on_its_way_nobody_is_held_up(any_store: Store) -> None:
    slug = flasks(any_store, 3)
    a_worker(any_store, slots=2)  # a chunk of the first run takes one
    resting_run(any_store, slug, until=timedelta(minutes=1))
    second = begun_run(any_store, slug)
    assert why_blocked(any_store, service.run_status(any_store, second)) is None
    a_worker(any_store, slots=1)
    assert why_blocked(any_store, service.run_status(any_store, second)) is not None
    with any_store.writing() as session:
        session.get_one(Run, second).started_at = now()
    assert why_blocked(any_store, service.run_status(any_store, second)) is None


def test_an_endpoint_that_rests_no_more_holds_nobody_up(any_store: Store) -> None:
    slug = flasks(any_store, 3)
    a_worker(any_store)
    resting_run(any_store, slug, until=-timedelta(seconds=1))
    second = begun_run(any_store, slug)
    assert why_blocked(any_store, service.run_status(any_store, second)) is None


@pytest.mark.parametrize("fault", ["429", "500 later"])
def test_a_wait_of_a_year_is_capped_said_and_ended_by_a_test_that_succeeds(
    store: Store, server: Server, workers: Workers, fault: str
) -> None:
    server.habits.fault_rate, server.habits.faults, server.habits.retry_after = 1.0, (fault,), "31536000"
    run = start_run(store, server, 3, concurrency=1)
    workers.start()
    wait_until(store, run, lambda status: is_cooling_down(store, status) is not None)
    status = service.run_status(store, run)
    (cool_down,) = current_cool_downs(store).values()
    assert 200 < (cool_down.until - now()).total_seconds() <= 300
    reason = str(is_cooling_down(store, status))
    assert f"calls resume at {cool_down.until:%H:%M:%S} UTC, or as soon as a test succeeds" in reason
    assert reason.endswith("(it requested a wait of 31,536,000 s; the next attempt is after 300 s)")
    assert not probe.probe_endpoint(store, "local").works
    assert is_cooling_down(store, service.run_status(store, run)) is not None

    server.habits.fault_rate = 0.0
    heard: list[str] = []

    def heal(_status: RunStatus) -> None:
        if len(heard) == 1:
            assert probe.probe_endpoint(store, "local").works
            heard.append("tested")

    assert wait_for_run(store, run, engine_url="", progress=heal, say=heard.append).scored == 3
    assert heard == [reason, "tested"]
    assert now() < cool_down.until - timedelta(seconds=100)
    assert current_cool_downs(store) == {}


def test_who_stops_waiting_is_told_how_the_run_goes_on(store: Store) -> None:
    slug = flasks(store, 3)
    a_worker(store)  # lives by its sign of life, and takes up nothing
    words = ("judge", slug, "direct", "--backend", "scripted", "--model", "rule", "--wait")
    process = subprocess.Popen(
        [sys.executable, "-m", "judgelab", *words],
        env={**os.environ, "JUDGELAB_DATABASE_URL": store.url},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    for _ in range(600):
        a_worker(store)  # still alive, however slowly the command starts on a busy machine
        with store.reading() as session:
            project = find_project(session, slug).id
            (*rows,) = session.query(Run.id).filter_by(project_id=project)
        if rows:
            break
        time.sleep(0.1)
    assert rows, "the command has made its run"
    for _ in range(5):
        a_worker(store)
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert f"Run {rows[0].id} is not stopped." in errors and "`judgelab worker`) continues it" in errors
    assert "Traceback" not in errors
