"""Figures for Prometheus: what is counted, and that a broken database is a figure too."""

from __future__ import annotations

import socket
import urllib.request
from datetime import timedelta

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from judgelab.errors import InvalidInput
from judgelab.monitoring import serving
from judgelab.monitoring.database import DatabaseFigures
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db import workers
from judgelab.store.db.engine import Store
from judgelab.store.judging import endpoints as stored
from judgelab.store.models import now
from tests.runs.projects import flasks


def lines_of(store: Store) -> list[str]:
    registry = CollectorRegistry()
    registry.register(DatabaseFigures(store))
    return generate_latest(registry).decode().splitlines()


def test_the_database_is_counted(any_store: Store) -> None:
    slug = flasks(any_store, 3)
    endpoints.add_endpoint(any_store, "here", base_url="http://127.0.0.1:1/v1")
    service.create_run(any_store, slug, JudgeSpec(protocol="direct", model="m", endpoint="here", samples=1))
    with any_store.writing() as session:
        workers.record_heartbeat(session, "w-0", pid=1, slots=1)
        endpoint = stored.find_endpoint(session, "here")
        stored.cool_down(session, endpoint.id, now() + timedelta(hours=1), "429")
    lines = lines_of(any_store)
    for line in (
        "judgelab_database_up 1.0",
        "judgelab_ratings 0.0",
        'judgelab_judgments{state="waiting"} 3.0',
        'judgelab_judgments{state="scored"} 0.0',
        'judgelab_runs{state="waiting"} 1.0',
        "judgelab_queue_units 3.0",
        'judgelab_workers{kind="api"} 1.0',
    ):
        assert line in lines
    (resting,) = [
        line for line in lines if line.startswith('judgelab_endpoint_rest_seconds{endpoint="here"}')
    ]
    assert 3500 < float(resting.split()[-1]) <= 3600


def test_a_database_that_cannot_be_read_is_a_figure(store: Store) -> None:
    store.watch_schema("9999")
    assert lines_of(store)[2:] == ["judgelab_database_up 0.0"]


def test_the_app_and_a_worker_serve_them_on_two_ports_each_its_own(store: Store) -> None:
    port = _two_free_ports()
    address = f"127.0.0.1:{port}"
    serving.serve_app(address, store)
    serving.serve_worker(address, "host-0")
    app, worker = _get(port, "/metrics"), _get(port + 1, "/metrics")
    assert 'role="app"' in app and "judgelab_ratings 0.0" in app
    assert 'role="worker"' in worker and "judgelab_answers_stored_total" in worker
    assert "judgelab_ratings" not in worker and "judgelab_requests" not in worker
    assert "process_resident_memory_bytes" in app and "_created" not in app + worker
    serving.serve_app("", store)  # off by default


@pytest.mark.parametrize("address", ["9464", "host:port", ":9464", "127.0.0.1:0"])
def test_an_address_that_is_none_is_refused(store: Store, address: str) -> None:
    with pytest.raises(InvalidInput, match=r"write HOST:PORT"):
        serving.serve_app(address, store)


def test_a_taken_port_keeps_the_app_from_starting_and_no_worker_from_judging(store: Store) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        with pytest.raises(InvalidInput, match="JUDGELAB_METRICS_ADDRESS"):
            serving.serve_app(f"127.0.0.1:{port}", store)
        serving.serve_worker(f"127.0.0.1:{port - 1}", "host-0")


def _get(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
        return str(answer.read().decode())


def _two_free_ports() -> int:
    for _ in range(100):
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = int(first.getsockname()[1])
            try:
                second.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port
    raise AssertionError("no two ports in a row are free")
