"""`judgelab doctor`: each check is ok, look or broken, shows no secret, and sets the exit code."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from datetime import timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pytest

from judgelab.accounts import global_roles
from judgelab.doctor import storage
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db import workers
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.models import Worker
from tests.command import judgelab
from tests.runs.projects import flasks

SECRET = "sk-nobody-may-see-this"


def _first_check(address: str, topic: str, **environment: str) -> tuple[dict[str, Any], int]:
    """Return the first check of a topic, and the exit code."""
    result = judgelab(address, "doctor", "--json", **environment)
    assert SECRET not in result.stdout + result.stderr and "Traceback" not in result.stderr
    lines = json.loads(result.stdout)["checks"]
    return next(line for line in lines if line["topic"] == topic), result.returncode


def test_a_sound_database_is_sound_on_both(any_store: Store) -> None:
    result = judgelab(any_store.url, "doctor", "--json")
    report = json.loads(result.stdout)
    states = {line["topic"]: line["state"] for line in report["checks"]}
    assert (result.returncode, report["ok"]) == (0, True), result.stdout
    assert states["schema"] == states["writing"] == states["encoder"] == "ok"
    assert states["workers"] == "look"
    server = {"clock", "connections", "backup"}
    topics = {"file", "journal", "access", "disk"} if any_store.is_sqlite else server
    assert {states[topic] for topic in topics} == {"ok"}


@pytest.mark.postgres
def test_a_server_that_does_not_wait_for_its_disk_is_named(migrated_postgres_url: str) -> None:
    name = migrated_postgres_url.rpartition("/")[2]
    with psycopg.connect(migrated_postgres_url, autocommit=True) as connection:
        connection.execute(f'ALTER DATABASE "{name}" SET synchronous_commit = off')  # type: ignore[call-overload]
    line, code = _first_check(migrated_postgres_url, "durability")
    assert (line["state"], code) == ("look", 0)
    assert "synchronous_commit" in line["said"] and "loses ratings that were reported as" in line["said"]
    assert "synchronous_commit by database" in line["remedy"]


@pytest.mark.parametrize(
    ("unsafe", "state", "message"),
    [
        ({}, "ok", "waits until data are on disk"),
        ({"full_page_writes": "default"}, "look", "may damage the server's files"),
        ({"fsync": "command line"}, "look", "loses ratings"),
    ],
)
def test_what_a_power_cut_can_do_to_a_server_is_said(
    unsafe: dict[str, str], state: str, message: str
) -> None:
    check = storage._durability(unsafe)
    assert check.state == state and message in check.said


def test_without_a_database_nothing_is_made(tmp_path: Path) -> None:
    line, code = _first_check(f"sqlite:///{tmp_path / 'none.db'}", "schema")
    assert (line["state"], code) == ("look", 0) and "does not exist yet" in line["said"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("damage", "topic", "message"),
    [
        ("UPDATE alembic_version SET version_num = '9999'", "schema", "9999, newer than this JudgeLab"),
        ("DROP TABLE alembic_version", "schema", "tables of another program"),
    ],
)
def test_what_is_wrong_with_the_tables_is_said_with_code_1(
    store: Store, damage: str, topic: str, message: str
) -> None:
    store.close()
    with closing(sqlite3.connect(store.url.removeprefix("sqlite:///"))) as connection, connection:
        connection.execute(damage)
    line, code = _first_check(store.url, topic)
    assert (line["state"], code) == ("broken", 1) and message in line["said"]


def test_an_older_schema_is_looked_at_and_not_touched(store: Store) -> None:
    store.close()
    path = store.url.removeprefix("sqlite:///")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '0001'")
    line, code = _first_check(store.url, "schema")
    assert (line["state"], code) == ("look", 0) and "backup" in line["remedy"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == ("0001",)


def test_damage_inside_the_file_is_first_check(store: Store) -> None:
    flasks(store, 400)
    with closing(sqlite3.connect(store.url.removeprefix("sqlite:///"))) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        root = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'audit'").fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    store.close()
    path = Path(store.url.removeprefix("sqlite:///"))
    content = path.read_bytes()
    start = (root - 1) * size
    path.write_bytes(content[:start] + b"\xff" * size + content[start + size :])
    result = judgelab(store.url, "doctor")
    assert result.returncode == 1 and "damaged" in result.stdout


def test_a_run_that_waits_in_vain_a_silent_worker_and_a_missing_key_are_named(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    slug = flasks(store, 2)
    endpoints.add_endpoint(store, "here", base_url="http://127.0.0.1:1/v1", api_key_env="OUR_KEY")
    service.create_run(store, slug, JudgeSpec(protocol="direct", model="m", endpoint="here", samples=1))
    with store.writing() as session:
        workers.record_heartbeat(session, "elsewhere-0", pid=1, slots=4)
        session.query(Worker).one().beat_at -= timedelta(minutes=5)
    line, code = _first_check(store.url, "runs")
    assert (line["state"], code) == ("broken", 1) and "1 run wants a worker" in line["said"]
    assert "has not reported since" in _first_check(store.url, "worker")[0]["said"]
    assert "OUR_KEY" in _first_check(store.url, "endpoint here")[0]["said"]
    with store.writing() as session:
        workers.record_heartbeat(session, "elsewhere-0", pid=1, slots=4)
    monkeypatch.setenv("OUR_KEY", SECRET)
    line, code = _first_check(store.url, "runs")
    assert (line["state"], code) == ("ok", 0)
    assert _first_check(store.url, "endpoint here")[0]["said"] == "its key is found."


@pytest.mark.parametrize(
    ("environment", "topic", "state", "message"),
    [
        ({"JUDGELAB_PUBLIC_URL": "judge.example.org"}, "public address", "broken", "not an address"),
        ({"JUDGELAB_PUBLIC_URL": "https://x.org"}, "public address", "look", "so that everyone must sign in"),
        ({"JUDGELAB_PUBLIC_URL": f"https://a:{SECRET}@x.org"}, "public address", "look", "more than a host"),
        ({"JUDGELAB_PUBLIC_URL": "http://localhost:80"}, "public address", "ok", "http://localhost"),
        ({"JUDGELAB_HOST": "0.0.0.0"}, "owner", "broken", "user add NAME --role owner"),
        ({"JUDGELAB_DATABSE_URL": "x"}, "setting", "look", "has no effect"),
        ({"JUDGELAB_LOG_LEVEL": "LOUD"}, "log", "look", "LOUD"),
        ({"JUDGELAB_METRICS_ADDRESS": "9464"}, "metrics", "broken", "cannot start"),
        ({"JUDGELAB_METRICS_ADDRESS": "0.0.0.0:9464"}, "metrics", "look", "need no sign-in"),
        ({"JUDGELAB_METRICS_ADDRESS": "10.0.0.5:9464"}, "metrics", "ok", "/metrics"),
        ({"JUDGELAB_MAIL_HOST": "smtp.x.org"}, "mail", "broken", "JUDGELAB_MAIL_SENDER"),
        (
            {"JUDGELAB_MAIL_HOST": "smtp.x.org", "JUDGELAB_MAIL_SENDER": "lab@x.org"},
            *("mail", "ok", "smtp.x.org, port 587, starttls; from lab@x.org."),
        ),
        pytest.param(
            {"JUDGELAB_ENCODER": "/nowhere/at/all"},
            *("encoder", "look", "at its first use"),
            marks=pytest.mark.skipif(
                find_spec("sentence_transformers") is None,
                reason="requirements.txt brings what reads encoders",
            ),
        ),
    ],
)
def test_odd_settings_are_said(
    store: Store, environment: dict[str, str], topic: str, state: str, message: str
) -> None:
    line, code = _first_check(store.url, topic, **environment)
    assert line["state"] == state and message in line["said"] + line["remedy"]
    assert code == (1 if state == "broken" else 0)


def test_the_password_of_the_mail_server_is_hidden(store: Store) -> None:
    for option in ((), ("--json",)):
        result = judgelab(
            store.url, "doctor", *option, JUDGELAB_MAIL_USER="lab", JUDGELAB_MAIL_PASSWORD=SECRET
        )
        assert SECRET not in result.stdout + result.stderr and "***" in result.stdout


@pytest.mark.parametrize(("scheme", "state"), [("http", "look"), ("https", "ok")])
def test_with_an_owner_a_public_address_is_fine_if_it_is_encrypted(
    store: Store, scheme: str, state: str
) -> None:
    global_roles.add(store, "Ann", "owner", "a long pass phrase")
    address = {"JUDGELAB_PUBLIC_URL": f"{scheme}://judge.example.org", "JUDGELAB_HOST": "127.0.0.2"}
    line, code = _first_check(store.url, "public address", **address)
    assert (line["state"], code) == (state, 0)


def test_a_server_that_does_not_answer_is_said_without_the_password() -> None:
    line, code = _first_check(f"postgresql://someone:{SECRET}@127.0.0.1:1/none", "schema")
    assert (line["state"], code) == ("broken", 1) and "is not responding" in line["said"]


@pytest.mark.postgres
def test_a_database_that_may_only_be_read_is_said(migrated_postgres_url: str) -> None:
    open_store(migrated_postgres_url).close()
    url = f"{migrated_postgres_url}?options=-cdefault_transaction_read_only%3Don"
    line, code = _first_check(url, "writing")
    assert (line["state"], code) == ("broken", 1) and "read-only" in line["said"]
