"""Two app processes and two workers on one PostgreSQL: each judgment made once, every app answers."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from judgelab.runs import service
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.models import Completion, FailedCall, Judgment, Verdict
from tests.runs.conftest import Workers, rests, start_run, wait_until
from tests.runs.openai_server import Server

ROOT = Path(__file__).resolve().parents[2]
UNITS, AT_ONCE = 240, 32


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _get(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
    except OSError:
        return 0, ""


def _until_healthy(port: int) -> None:
    end = time.monotonic() + 60
    while _get(port, "/healthz")[0] != 200:
        assert time.monotonic() < end, f"no app answers at {port}"
        time.sleep(0.1)


@pytest.fixture
def apps(migrated_postgres_url: str, tmp_path: Path) -> Iterator[list[int]]:
    """Two apps without workers of their own; their ports."""
    ports = [_free_port(), _free_port()]
    environment = {
        **os.environ,
        "JUDGELAB_DATABASE_URL": migrated_postgres_url,
        "PYTHONPATH": str(ROOT),
    }
    processes = []
    for port in ports:
        command = [sys.executable, "-m", "judgelab", "up", "--workers", "0", "--port", str(port)]
        with (tmp_path / f"{port}.log").open("wb") as log:
            processes.append(
                subprocess.Popen(
                    [*command, "--no-browser"], cwd=tmp_path, env=environment, stdout=log, stderr=log
                )
            )
    yield ports
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait(15)


@pytest.fixture
def shared(migrated_postgres_url: str) -> Iterator[Store]:
    store = open_store(migrated_postgres_url)
    yield store
    store.close()


@pytest.mark.postgres
def test_two_apps_and_two_workers_share_one_database(
    shared: Store, server: Server, apps: list[int], tmp_path: Path
) -> None:
    server.habits.latency = 0.05
    workers = Workers(shared.url)
    try:
        workers.start()
        workers.start()
        for port in apps:
            _until_healthy(port)
        end = time.monotonic() + 60
        while len(service.live_workers(shared)) < 2:
            assert time.monotonic() < end
            time.sleep(0.05)
        run_id = start_run(shared, server, UNITS, concurrency=AT_ONCE)
        finished = wait_until(shared, run_id, rests)
    finally:
        workers.stop()
    assert (finished.state, finished.scored, finished.waiting) == ("done", UNITS, 0)
    # Once each: no call was repeated, no row is there twice, and the endpoint's limit held over both workers.
    assert server.calls == server.answered == UNITS
    assert server.most_inside <= AT_ONCE
    with shared.reading() as session:
        for table in (Judgment, Verdict, Completion):
            assert session.scalar(select(func.count()).select_from(table)) == UNITS
        assert session.scalar(select(func.count()).select_from(FailedCall)) == 0
    # What one app wrote, the other one knows: the owner's link of the first opens at the second.
    link = re.search(r"/invite/(\S+)", (tmp_path / f"{apps[0]}.log").read_text())
    assert link is not None
    for port in apps:
        assert _get(port, "/")[0] == 200
        assert _get(port, "/_stcore/health")[0] == 200
        assert _get(port, f"/invite/{link[1]}")[0] == 200
        assert _get(port, "/invite/nobody-made-this")[0] == 403
