"""Each request has an id and is counted by its route; `/readyz` says whether work can be done."""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from prometheus_client import generate_latest
from sqlalchemy import text
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from judgelab.config import settings
from judgelab.monitoring.process import process_registry
from judgelab.store.db import db_health
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import shared_store
from judgelab.ui.kit import failures
from judgelab.ui.server.health import DAMAGED, DOWN, HEALTH, large_file_check
from judgelab.ui.server.tracing import RequestTrace
from tests.runs.projects import flasks

WORD = "0123456789abcdef"


async def _fine(request: Request) -> Response:
    logging.getLogger("judgelab.app").warning("inside")
    return PlainTextResponse("fine")


async def _breaks(request: Request) -> Response:
    raise RuntimeError("a mistake of ours")


@pytest.fixture
def client() -> TestClient:
    routes = [Route("/invite/{token}", _fine), Route("/breaks", _breaks)]
    app = Starlette(routes=routes, middleware=[Middleware(RequestTrace, routes=routes)])
    return TestClient(app, raise_server_exceptions=False)


def test_an_answer_carries_the_id_of_its_request_and_so_does_the_log(
    client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    response = client.get(f"/invite/{WORD}", headers={"X-Request-Id": "from-a-proxy"})
    assert response.headers["x-request-id"] == "from-a-proxy"
    request_id = client.get(f"/invite/{WORD}").headers["x-request-id"]
    assert len(request_id) == 32 and request_id != client.get("/breaks").headers.get("x-request-id", "")


def test_requests_are_counted_by_their_route_and_never_by_a_word_that_signs_in(client: TestClient) -> None:
    client.get(f"/invite/{WORD}")
    client.get("/breaks")
    client.request("BREW", "/a-page")
    metrics = generate_latest(process_registry("app")).decode()
    assert 'method="GET",route="/invite/{token}",status="200"' in metrics
    assert 'method="GET",route="/breaks",status="500"' in metrics
    assert 'method="OTHER",route="pages"' in metrics
    assert WORD not in metrics


def test_a_request_that_broke_is_in_the_log(client: TestClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "judgelab.requests"):
        client.get("/breaks")
        client.get(f"/invite/{WORD}")
    failed, fine = [record for record in caplog.records if record.name == "judgelab.requests"]
    assert (failed.levelname, fine.levelname) == ("WARNING", "DEBUG")
    assert WORD not in fine.getMessage() and fine.fields["status"] == 200  # type: ignore[attr-defined]


def test_an_error_of_ours_has_an_id_on_the_screen_and_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    sentence = failures.internal_error_sentence(RuntimeError("words for us alone"))
    (record,) = [record for record in caplog.records if record.name == "judgelab.app"]
    assert record.error_id in sentence and "Report error" in sentence  # type: ignore[attr-defined]
    assert "words" not in sentence and record.exc_info is not None


def _ready(store: Store, monkeypatch: pytest.MonkeyPatch) -> tuple[int, dict[str, object]]:
    monkeypatch.setenv("JUDGELAB_DATABASE_URL", store.url)
    settings.cache_clear()
    try:
        answer = TestClient(Starlette(routes=HEALTH)).get("/readyz")
    finally:
        settings.cache_clear()
    return answer.status_code, json.loads(answer.text)


def test_it_is_ready_when_the_database_answers_in_our_schema_and_else_says_why(
    any_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _ready(any_store, monkeypatch) == (200, {"ready": True, "reason": ""})
    with any_store.writing() as session:
        session.connection().exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    status, reply = _ready(any_store, monkeypatch)
    assert status == 503 and "schema does not match" in str(reply["reason"])
    shared_store(any_store.url).close()
    shared_store.cache_clear()


def test_a_damaged_database_is_not_ready(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    flasks(store, 40)
    path = Path(store.url.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = raw.execute("SELECT rootpage FROM sqlite_master WHERE name = 'response'").fetchone()
        (size,) = raw.execute("PRAGMA page_size").fetchone()
    store.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"soup" * (size // 4))
    status, reply = _ready(store, monkeypatch)
    assert status == 503 and reply["reason"] in (DAMAGED, DOWN)
    shared_store(store.url).close()
    shared_store.cache_clear()


def test_damage_in_a_large_file_is_found_in_the_background(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    flasks(store, 3)
    with store.writing() as session:
        session.execute(text("CREATE TABLE filler (a TEXT)"))
        session.execute(text("INSERT INTO filler VALUES (:a)"), {"a": "x" * (db_health.FULL_CHECK_BYTES + 1)})
        session.execute(text("CREATE TABLE broken (a TEXT)"))
    path = Path(store.url.removeprefix("sqlite:///"))
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = raw.execute("SELECT rootpage FROM sqlite_master WHERE name = 'broken'").fetchone()
        (size,) = raw.execute("PRAGMA page_size").fetchone()
    store.close()
    large_file_check.cache_clear()
    assert _ready(store, monkeypatch)[0] == 200
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"soup" * (size // 4))
    large_file_check.cache_clear()
    for _ in range(100):
        status, reply = _ready(store, monkeypatch)
        if status == 503:
            break
        time.sleep(0.05)
    assert (status, reply["reason"]) == (503, DAMAGED)
    shared_store(store.url).close()
    shared_store.cache_clear()


def test_it_is_not_ready_without_its_database_and_names_no_place(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    store.url = "postgresql://someone:hunter22@127.0.0.1:1/none"
    status, reply = _ready(store, monkeypatch)
    assert (status, reply["ready"]) == (503, False) and "127.0.0.1" not in str(reply)
    assert "is not responding" in caplog.text and "hunter22" not in caplog.text
