"""`judgelab up`: app and worker start together, come back when killed, and end together."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from judgelab.accounts import global_roles
from judgelab.errors import InvalidInput
from judgelab.runs import service
from judgelab.runs.worker import supervisor
from judgelab.store.db.engine import Store
from judgelab.store.people import people

ROOT = Path(__file__).resolve().parents[2]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _until(condition: Callable[[], object], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.05)


@pytest.fixture
def port() -> int:
    return _free_port()


@pytest.fixture
def running(store: Store, port: int, tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    # Started in another folder with a relative database: both must mean the same file for the children.
    environment = {**os.environ, "JUDGELAB_DATABASE_URL": "sqlite:///test.db", "PYTHONPATH": str(ROOT)}
    with (tmp_path / "up.log").open("wb") as log:
        command = [sys.executable, "-m", "judgelab", "up", "--port", str(port), "--no-browser"]
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=log, stderr=log)
        yield process
        process.terminate()
        process.wait(60)


def test_app_and_worker_start_come_back_and_end_together(
    store: Store, port: int, tmp_path: Path, running: subprocess.Popen[bytes]
) -> None:
    log = tmp_path / "up.log"
    _until(lambda: "/invite/" in log.read_text())
    link = re.search(r"http://127\.0\.0\.1:(\d+)/invite/\S+", log.read_text())
    assert link is not None
    assert int(link[1]) == port
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=60) as answer:
        assert answer.status == 200
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=60) as answer:
        assert json.load(answer) == {"ready": True, "reason": ""} and answer.headers["X-Request-Id"]
    _until(lambda: service.live_workers(store))
    (worker,) = service.live_workers(store)
    os.kill(worker.pid, signal.SIGKILL)
    _until(lambda: [live.pid for live in service.live_workers(store)] not in ([], [worker.pid]))
    running.terminate()
    assert running.wait(60) == 0
    assert service.live_workers(store) == []
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_a_taken_port_is_said_before_anything_starts(store: Store, port: int) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", port))
        listener.listen()
        with pytest.raises(InvalidInput, match="--port"):
            supervisor.launch(store, "sqlite:///none.db", port=port)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.5", "::"])
def test_other_machines_are_not_served_until_an_owner_can_sign_in(store: Store, host: str) -> None:
    with store.writing() as session:
        people.find_or_create(session, "Owner", role="owner")  # of the one-time link: has no password
    with pytest.raises(InvalidInput, match="user add NAME --role owner"):
        supervisor.launch(store, "sqlite:///none.db", host=host)


def test_with_an_account_everyone_signs_in_and_no_owner_link_is_printed(
    store: Store, port: int, tmp_path: Path
) -> None:
    global_roles.add(store, "Ann", "owner", "a long pass phrase")
    environment = {**os.environ, "JUDGELAB_DATABASE_URL": store.url, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "judgelab", "up", "--host", "0.0.0.0", "--port", str(port)]
    log = tmp_path / "up.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [*command, "--workers", "0"], cwd=tmp_path, env=environment, stdout=out, stderr=out
        )
    try:
        _until(lambda: "/sign-in" in log.read_text())
    finally:
        process.terminate()
        process.wait(60)
    assert "/invite/" not in log.read_text()
