"""Importing and exporting on PostgreSQL as on SQLite."""

from __future__ import annotations

import random
import uuid
from pathlib import Path

import psycopg
import pytest

from judgelab.analysis.agreement.agreement_table import agreement_table
from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.gold_table import gold_table
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.errors import StoreUnavailable
from judgelab.imports.exports import export_project
from judgelab.imports.service import collect_files, import_files
from judgelab.runs.metrics.scoring import score_project
from judgelab.store.db import db_errors
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.projects.projects import create_project
from judgelab.store.transfer.importing import project_counts
from tests.databases import new_sqlite


@pytest.mark.postgres
def test_an_import_and_its_export_come_back(migrated_postgres_url: str, tmp_path: Path) -> None:
    store = open_store(migrated_postgres_url)
    with store.writing() as session:
        create_project(session, name="p")
    items = "item_id,question,reference,system,response\n" + "".join(
        f"q{i},Who {i}?,x,a,é {i}\n" for i in range(3000)
    )
    scores = "item_id,system,rater,rater_kind,criterion,score,comment\n" + "".join(
        f"q{i},a,{rater},{kind},quality,{1 + i % 4},why\n"
        for i in range(300)
        for rater, kind in (("r1", "human"), ("gpt", "judge"), ("length", "metric"))
    )
    files = [("i.csv", items.encode()), ("s.csv", scores.encode())]
    first, repeated = import_files(store, "p", files), import_files(store, "p", files)
    assert (first.items, first.ratings, first.judgments, first.metrics) == (3000, 300, 300, 300)
    assert (repeated.items, repeated.ratings, repeated.judgments, repeated.metrics, repeated.changed) == (
        0,
        0,
        0,
        0,
        {},
    )
    export_project(store, "p", tmp_path / "out")
    copy = import_files(store, "copy", collect_files([tmp_path / "out"]))
    assert (copy.items, copy.ratings, copy.judgments, copy.metrics) == (3000, 300, 300, 300)
    store.close()


@pytest.mark.postgres
def test_the_whole_path_gives_the_numbers_of_sqlite(migrated_postgres_url: str, tmp_path: Path) -> None:
    sqlite, postgres = open_store(new_sqlite(tmp_path / "a.db")), open_store(migrated_postgres_url)
    assert _whole_path(postgres, tmp_path / "there") == _whole_path(sqlite, tmp_path / "here")
    sqlite.close()
    postgres.close()


def _whole_path(store: Store, folder: Path) -> tuple[object, ...]:
    """Return all that is said on the way from import over quality, scoring and agreement to an export."""
    with store.writing() as session:
        create_project(session, name="p")
    report = import_files(store, "p", _rated())
    scored = score_project(store, "p", ["rougeL", "token_f1"])
    later = import_files(store, "p", [("r.csv", b"item_id,reference\nq1,the new answer 1\n")])
    scored_again = score_project(store, "p", ["rougeL", "token_f1"])
    saved_filters.save_filter(store, "p", "strict", FilterPolicy(threshold=0.3))
    outcome = saved_filters.evaluate_filter(store, "p", FilterPolicy(threshold=0.3))
    table = agreement_table(store, "p", level="item", coefficients=["pearson", "kendall", "alpha"])
    export_project(store, "p", folder)
    import_files(store, "copy", collect_files([folder]))
    copied = agreement_table(store, "copy", level="item", coefficients=["pearson", "kendall", "alpha"])
    rows = [row.to_json() for row in (*table.rows, *table.ceiling)]
    assert [row.to_json() for row in (*copied.rows, *copied.ceiling)] == rows
    gold = gold_table(store, "p").to_dict("records")
    messages = (report.sentence(), report.notices, scored.to_json(), later.notices, scored_again.to_json())
    return (*messages, outcome.to_json(), rows, gold)


def _rated() -> list[tuple[str, bytes]]:
    """Return items of three systems, with four raters, one of them contrary, and a judge."""
    draw = random.Random(7)
    items = "item_id,question,group,reference,system,response\n"
    scores = "item_id,system,rater,rater_kind,criterion,score,comment\n"
    for i in range(60):
        for system in "abc":
            good = draw.randint(1, 5)
            items += f"q{i},Who é {i}?,g{i % 3},the answer {i},{system},{'the answer ' * good}{i}\n"
            for rater, kind in (("ann", "human"), ("bob", "human"), ("cyd", "human"), ("gpt", "judge")):
                score = min(5, max(1, (6 - good if rater == "cyd" else good) + draw.choice((-1, 0, 0, 1))))
                scores += f"q{i},{system},{rater},{kind},quality,{score},שלום\n"
    return [("i.csv", items.encode()), ("s.csv", scores.encode())]


@pytest.mark.postgres
def test_an_export_is_of_one_moment(migrated_postgres_url: str) -> None:
    store = open_store(migrated_postgres_url)
    with store.writing() as session:
        project_id = create_project(session, name="p").id
    with store.reading() as session:
        before = project_counts(session, project_id)
        import_files(store, "p", [("i.csv", b"item_id,question\nq1,Who?\n")])
        assert project_counts(session, project_id) == before
    with store.reading() as session:
        assert project_counts(session, project_id)["items"] == 1
    store.close()


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("{server}/no_such_database", "names a database or a user that does not exist on the server"),
        ("postgresql://nobody@{host}/x", "names a database or a user that does not exist on the server"),
    ],
)
def test_what_a_real_server_refuses_is_a_sentence(postgres_server: str, address: str, message: str) -> None:
    host = postgres_server.rsplit("@", 1)[-1]
    with pytest.raises(StoreUnavailable, match=message):
        open_store(address.format(server=postgres_server, host=host))


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("58030", "disk is failing"),
        ("53100", "the disk is full"),
        ("57P01", "closed the connection"),
        ("57P05", "closed the connection"),
        ("42501", "has no permission to write"),
        ("25006", "server is read-only"),
    ],
)
def test_what_a_server_says_in_another_language_is_known_by_its_code(
    migrated_postgres_url: str, code: str, message: str
) -> None:
    store = open_store(migrated_postgres_url)
    saying = f"DO $$ BEGIN RAISE EXCEPTION 'kann nicht ausgeführt werden' USING ERRCODE = '{code}'; END $$"
    with pytest.raises(StoreUnavailable, match=message), store.writing() as session:
        session.connection().exec_driver_sql(saying)
    with store.reading() as session:
        assert session.connection().exec_driver_sql("SELECT 1").scalar() == 1, "and the next step is fine"
    store.close()


@pytest.mark.postgres
@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("NOLOGIN", 'refused the connection: role "{name}" is not permitted to log in'),
        ("LOGIN CONNECTION LIMIT 0", "the database server has too many connections"),
    ],
)
def test_a_server_that_is_there_and_refuses_is_not_said_to_be_away(
    postgres_url: str, limit: str, message: str
) -> None:
    name = f"limited_{uuid.uuid4().hex[:8]}"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f'CREATE ROLE "{name}" {limit}')  # type: ignore[call-overload]
        try:
            host = postgres_url.rsplit("@", 1)[-1]
            with pytest.raises(StoreUnavailable, match=message.format(name=name)):
                open_store(f"postgresql://{name}@{host}")
        finally:
            connection.execute(f'DROP ROLE "{name}"')  # type: ignore[call-overload]


def test_a_refusal_in_another_language_is_told_in_its_words() -> None:
    german = (
        'connection failed: connection to server at "127.0.0.1", port 5432 failed: FATAL:  '
        "Passwort-Authentifizierung für Benutzer »soup« fehlgeschlagen"
    )
    message = db_errors.message_for("postgresql://soup@host/x", german)
    assert message == f"the database server refused the connection: {german.partition('FATAL:  ')[2]}"
    away = 'connection failed: connection to server at "127.0.0.1", port 1 failed: Connection refused'
    assert "is not responding" in (db_errors.message_for("postgresql://soup@host/x", away) or "")


def test_a_missing_table_is_not_put_on_the_address() -> None:
    url, ending = "postgresql://lab@host/soup", '" does not exist'
    assert db_errors.message_for(url, f'relation "rating{ending}\nLINE 1: SELECT') is None
    for kind in ("database", "role"):
        message = db_errors.message_for(url, f'connection failed: FATAL:  {kind} "soup{ending}')
        assert message is not None and "that does not exist on the server" in message
