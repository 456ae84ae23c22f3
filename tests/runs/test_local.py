"""Runs of local models go to a worker of their own, and to no other."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import select

from judgelab.config import Settings
from judgelab.errors import InvalidInput
from judgelab.runs import service
from judgelab.runs.plan import worker_kinds
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.runs.plan.worker_kinds import local_work, local_worker_lacks
from judgelab.runs.worker import run_lifecycle
from judgelab.runs.worker.child_processes import child_environment
from judgelab.runs.worker.supervisor import Supervisor
from judgelab.runs.worker.worker import IdleTimer, executor_id
from judgelab.store.db import workers as store_workers
from judgelab.store.db.engine import Store
from judgelab.store.models import Completion
from tests import tiny_models
from tests.runs.conftest import Workers, rests, wait_until
from tests.runs.projects import flasks

UNITS = 12


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tiny_models.need_torch()
    return tiny_models.make_causal(tmp_path_factory.mktemp("model") / "tiny", window=2048)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))


def _start(
    store: Store, model: Path | str, *, slug: str = "", units: int = UNITS, **parameters: object
) -> int:
    judge = JudgeSpec(
        protocol="direct",
        model=str(model),
        backend="transformers",
        parameters={"max_tokens": 4, **parameters},
        samples=1,
    )
    return service.create_run(store, slug or flasks(store, units), judge)


def _beat(store: Store, kind: str, doing: str = "") -> None:
    with store.writing() as session:
        store_workers.record_heartbeat(session, f"host-{kind}", pid=1, slots=4, kind=kind, doing=doing)


def test_each_kind_of_worker_takes_up_its_own_runs(any_store: Store) -> None:
    local = _start(any_store, "some/model")
    scripted = service.create_run(
        any_store,
        "flasks",
        JudgeSpec(protocol="direct", model="rule", backend="scripted", samples=1),
    )
    assert [key.run_id for key in run_lifecycle.runs_to_start(any_store, "local")] == [local]
    assert [key.run_id for key in run_lifecycle.runs_to_start(any_store)] == [scripted]


def test_a_local_run_is_stuck_without_a_worker_of_its_kind_and_says_what_to_do(store: Store) -> None:
    run_id = _start(store, "some/model")
    _beat(store, "api")
    status = service.run_status(store, run_id)
    assert status.stuck
    assert status.no_worker == worker_kinds.NO_LOCAL_WORKER
    assert local_worker_lacks(store)
    _beat(store, "local", "loading some/model (1.2 of 2.0 GB)")
    status = service.run_status(store, run_id)
    assert not status.stuck
    assert status.doing == "loading some/model (1.2 of 2.0 GB)"
    assert not local_worker_lacks(store)
    assert local_work(store)
    service.cancel(store, run_id)
    assert not local_work(store)


def test_a_machine_has_one_worker_for_local_models() -> None:
    url = f"sqlite:////tmp/none-{os.getpid()}.db"
    with executor_id(url, "local") as name, executor_id(url) as other_name:
        assert name != other_name
        with pytest.raises(InvalidInput, match="already"), executor_id(url, "local"):
            pass


def test_a_folder_that_is_not_there_is_refused_before_a_run_exists(store: Store) -> None:
    with pytest.raises(InvalidInput, match="neither a folder on this machine"):
        _start(store, "/nowhere/tiny")


@pytest.fixture
def launcher(store: Store, workers: Workers, offline: None) -> Iterator[Supervisor]:
    """A launcher as `judgelab up` has it, without app and other workers."""
    environment = child_environment(store, Settings(database_url=store.url).job_engine_url)
    supervisor = Supervisor(
        {**environment, "JUDGELAB_LOG_LEVEL": "ERROR"}, partial(local_worker_lacks, store)
    )
    thread = Thread(target=supervisor.run)
    thread.start()
    yield supervisor
    supervisor.stopping.set()
    thread.join(60)


def test_a_run_goes_through_a_local_worker_that_is_started_when_it_is_needed(
    store: Store, launcher: Supervisor, model: Path
) -> None:
    time.sleep(1.5)
    assert launcher.children == [], "nothing needs it yet"
    run_id = _start(store, model, logprobs=True, top_logprobs=2, temperature=1.0, seed=3)
    status = wait_until(store, run_id, rests)
    assert (status.state, status.waiting, status.failed) == ("done", 0, 0)
    assert status.prompt_tokens
    (worker,) = service.live_workers(store)
    assert worker.kind == "local"
    with store.reading() as session:
        replies = list(session.scalars(select(Completion)))
    assert len(replies) == UNITS
    assert {reply.sent["batch"]["size"] for reply in replies} != {1}, "calls were answered together"
    assert all(reply.logprobs for reply in replies)
    missing = _start(store, "nobody/nothing", slug="flasks")
    status = wait_until(store, missing, rests)
    assert status.state == "stopped"
    assert "nobody/nothing is not on the worker's machine" in status.reason
    _check_that_a_pause_drops_what_is_under_way(store, model)


def _check_that_a_pause_drops_what_is_under_way(store: Store, model: Path) -> None:
    # Beams take many times as long as a greedy reply: none of them is finished by then.
    run_id = _start(store, model, slug="flasks", max_tokens=1200, num_beams=4)
    wait_until(store, run_id, lambda status: status.state == "running")
    time.sleep(0.5)
    service.pause(store, run_id)
    status = wait_until(store, run_id, rests)
    assert (status.state, status.waiting) == ("paused", UNITS), "a reply under way costs nothing"


def test_a_worker_of_the_launcher_may_leave_and_is_not_started_again() -> None:
    launcher = Supervisor(dict(os.environ), lambda: False)
    launcher.add("short", [sys.executable, "-c", "pass"], leaves=True)
    launcher.add("long", [sys.executable, "-c", "import time; time.sleep(60)"])
    thread = Thread(target=launcher.run)
    thread.start()
    end = time.monotonic() + 60
    while len(launcher.children) > 1 and time.monotonic() < end:
        time.sleep(0.05)
    names = [child.name for child in launcher.children]
    launcher.stopping.set()
    thread.join(60)
    assert names == ["long"]


def test_a_worker_without_local_work_rests_and_ends(store: Store) -> None:
    idle = IdleTimer(store, 1.2)
    end = time.monotonic() + 60
    while not idle.expired() and time.monotonic() < end:
        time.sleep(0.05)
    assert idle.expired() or time.monotonic() < end
    _start(store, "some/model")
    busy = IdleTimer(store, 0.1)
    time.sleep(1.1)
    assert not busy.expired()
    assert not IdleTimer(store, None).expired()
