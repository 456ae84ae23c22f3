"""A backup while people rate is whole, holds what was acknowledged before it, and is put back or refused."""

from __future__ import annotations

import sqlite3
import stat
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select, text

from judgelab.accounts import signin
from judgelab.annotation import service
from judgelab.errors import InvalidInput, NotFound, StoreUnavailable
from judgelab.store.db import backup, backup_postgres, backup_sqlite
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.models import RatingEvent, now
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project, list_projects
from tests.annotation.conftest import make_person, make_project
from tests.command import judgelab
from tests.databases import new_sqlite
from tests.store.test_upgrade import first_schema

RATERS, ANSWERS = 3, 40


@contextmanager
def _rating(store: Store) -> Iterator[list[str]]:
    """Let raters work without a pause; yields the names of what was acknowledged."""
    project = make_project(store, answers=ANSWERS, raters_per_response=RATERS)
    people = [make_person(store, f"rater {n}") for n in range(RATERS)]
    acknowledged: list[str] = []
    over = threading.Event()

    def rate(person: int) -> None:
        while not over.is_set() and (items := service.next_items(store, person, project)):
            scores = {"relevance": 1, "fluency": 5}
            op = {"uid": uuid.uuid4().hex, "kind": "rate", "item": items[0].id, "scores": scores}
            assert service.apply(store, person, project, op).state == "stored"
            acknowledged.append(str(op["uid"]))

    threads = [threading.Thread(target=rate, args=(person,)) for person in people]
    for thread in threads:
        thread.start()
    try:
        yield acknowledged
    finally:
        over.set()
        for thread in threads:
            thread.join()


def _until(condition: Callable[[], bool]) -> None:
    waiter = threading.Event()
    for _ in range(6000):
        if condition():
            return
        waiter.wait(0.01)
    raise AssertionError("it never came to that")


def _uids(store: Store) -> set[str]:
    with store.reading() as session:
        return set(session.scalars(select(RatingEvent.uid)))


def _elsewhere(store: Store, tmp_path: Path, request: pytest.FixtureRequest) -> tuple[str, str]:
    if store.is_sqlite:
        return f"sqlite:///{tmp_path / 'elsewhere.db'}", f"sqlite:///{tmp_path / 'elsewhere-engine.db'}"
    url = request.getfixturevalue("postgres_url")
    return url, url


def test_what_was_acknowledged_before_a_backup_among_raters_is_there_elsewhere(
    any_store: Store, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    file = tmp_path / "copy.backup"
    with _rating(any_store) as acknowledged:
        _until(lambda: len(acknowledged) >= 10)
        before = set(acknowledged)
        saved = backup.save(any_store, file)
        after = len(acknowledged)
    assert len(before) >= 10 and saved.counts["people"] == RATERS
    assert saved.counts["ratings"] >= 2 * len(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not file.with_name("copy.backup.part").exists()
    url, engine_url = _elsewhere(any_store, tmp_path, request)
    restored = backup.restore(url, engine_url, file)
    assert restored.counts == saved.counts
    restored_store = open_store(url)
    try:
        assert before <= _uids(restored_store) <= _uids(any_store)
        assert len(_uids(restored_store)) <= after + RATERS
        with restored_store.writing() as session:  # numbering goes on after the rows that were put back
            people.find_or_create(session, "Somebody new", role="annotator")
    finally:
        restored_store.close()


def test_sign_ins_and_one_time_links_of_a_backup_are_void(
    any_store: Store, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    cookie = signin.redeem(any_store, signin.new_owner_link(any_store).rpartition("/")[2])
    unused = signin.new_owner_link(any_store).rpartition("/")[2]
    assert cookie and signin.whoami(any_store, cookie) is not None
    backup.save(any_store, tmp_path / "copy")
    content = (tmp_path / "copy").read_bytes()
    assert cookie.encode() not in content and unused.encode() not in content
    url, engine_url = _elsewhere(any_store, tmp_path, request)
    assert backup.restore(url, engine_url, tmp_path / "copy").ended == 1
    restored_store = open_store(url)
    try:
        assert signin.whoami(restored_store, cookie) is None
        assert signin.redeem(restored_store, unused) is None
    finally:
        restored_store.close()


@pytest.mark.postgres
def test_in_postgresql_the_sign_ins_of_a_copy_end_with_its_coming(
    migrated_postgres_url: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    store = open_store(migrated_postgres_url)
    cookie = signin.redeem(store, signin.new_owner_token(store))
    unused = signin.new_owner_token(store)
    backup.save(store, tmp_path / "copy")
    url, engine_url = _elsewhere(store, tmp_path, request)
    store.close()
    # What a kill right after the commit would leave: nothing else has been done yet.
    restored_store = open_store(url)
    schema = backup_postgres.schema_revision_of(tmp_path / "copy")
    backup_postgres.restore(restored_store, engine_url, tmp_path / "copy", schema=schema, moment=now())
    assert signin.whoami(restored_store, cookie) is None and signin.redeem(restored_store, unused) is None
    restored_store.close()


def test_a_database_with_projects_is_replaced_only_when_asked_and_kept(tmp_path: Path) -> None:
    source_url, target_url = new_sqlite(tmp_path / "one.db"), new_sqlite(tmp_path / "other.db")
    for url, name in ((source_url, "one"), (target_url, "other")):
        store = open_store(url)
        with store.writing() as session:
            create_project(session, name=name)
        store.close()
    file = tmp_path / "copy.db"
    assert judgelab(source_url, "backup", str(file)).stdout.startswith(f"{file} contains 1 project, ")
    second_backup = judgelab(source_url, "backup", str(file))
    assert second_backup.returncode == 1 and "already exists" in second_backup.stderr
    refused = judgelab(target_url, "restore", str(file))
    assert refused.returncode == 1 and "add --yes" in refused.stderr
    assert _slugs(target_url) == ["other"]
    replaced = judgelab(target_url, "restore", str(file), "--yes")
    assert replaced.returncode == 0 and "The previous database was saved as" in replaced.stdout
    assert _slugs(target_url) == ["one"]
    (previous,) = tmp_path.glob("other-before-*.db")
    assert _slugs(f"sqlite:///{previous}") == ["other"]


def _slugs(url: str) -> list[str]:
    store = open_store(url)
    with store.reading() as session:
        slugs = [project.slug for project in list_projects(session)]
    store.close()
    return slugs


def test_a_database_in_use_is_not_replaced(any_store: Store, tmp_path: Path) -> None:
    backup.save(any_store, tmp_path / "copy")
    engine_url = any_store.url if not any_store.is_sqlite else f"sqlite:///{tmp_path / 'engine.db'}"
    with any_store.reading() as session:
        session.execute(text("SELECT 1"))
        with pytest.raises(StoreUnavailable, match="is in use; stop"):
            backup.restore(any_store.url, engine_url, tmp_path / "copy")
    assert sorted(path.name for path in tmp_path.glob("*restoring*")) == []


def test_a_backup_of_the_first_schema_is_upgraded_and_one_of_a_newer_refused(tmp_path: Path) -> None:
    old, engine = tmp_path / "old.db", f"sqlite:///{tmp_path / 'engine.db'}"
    first_schema(f"sqlite:///{old}")
    restored = backup.restore(f"sqlite:///{tmp_path / 'new.db'}", engine, old)
    assert (restored.schema, restored.counts["ratings"]) == ("0001", 1)
    with closing(sqlite3.connect(old)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreUnavailable, match="schema 9999, which is newer than this version of JudgeLab"):
        backup.restore(f"sqlite:///{tmp_path / 'none.db'}", engine, old)
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize("harm", ["cut", "overwritten", "a trigger", "another program's", "a text"])
def test_a_file_that_is_no_sound_backup_changes_nothing(store: Store, tmp_path: Path, harm: str) -> None:
    make_project(store, answers=200)
    file, target_url = tmp_path / "copy.db", new_sqlite(tmp_path / "here.db")
    backup.save(store, file)
    before = (tmp_path / "here.db").read_bytes()
    content = file.read_bytes()
    if harm == "cut":
        file.write_bytes(content[: len(content) // 2])
    elif harm == "overwritten":
        file.write_bytes(content[:20_000] + b"\xff" * 40_000 + content[60_000:])
    elif harm == "a trigger":
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("CREATE TRIGGER t AFTER INSERT ON item BEGIN DELETE FROM rating; END")
    elif harm == "another program's":
        file.unlink()
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute("CREATE TABLE item (id)")
    else:
        file.write_text("item_id,score\n")
    with pytest.raises((InvalidInput, StoreUnavailable), match="copy.db"):
        backup.restore(target_url, f"sqlite:///{tmp_path / 'engine.db'}", file)
    assert (tmp_path / "here.db").read_bytes() == before
    assert not list(tmp_path.glob("*restoring*"))


@pytest.mark.postgres
def test_a_damaged_postgresql_backup_changes_nothing(migrated_postgres_url: str, tmp_path: Path) -> None:
    store = open_store(migrated_postgres_url)
    make_project(store, answers=2000)
    file = tmp_path / "copy"
    backup.save(store, file)
    file.write_bytes(file.read_bytes()[:-20_000])
    store.close()
    with pytest.raises(StoreUnavailable, match="nothing was changed"):
        backup.restore(store.url, store.url, file, replace=True)
    with store.reading() as session:
        assert backup.count_rows(session)["projects"] == 1
    store.close()


def test_a_password_goes_to_postgresqls_programs_by_the_environment_alone() -> None:
    url = "postgresql+psycopg://lab:p%40ss@db.example:5433/soup?sslmode=require"
    assert backup_postgres._address(url) == "postgresql://lab@db.example:5433/soup?sslmode=require"
    assert backup_postgres._environment(url)["PGPASSWORD"] == "p@ss"


def test_what_cannot_be_is_said(store: Store, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"no backup file named"):
        backup.restore(store.url, store.url, tmp_path / "none.db")
    with pytest.raises(InvalidInput, match="the folder .* does not exist"):
        backup.save(store, tmp_path / "none" / "copy.db")
    backup.save(store, tmp_path / "copy.db")
    with pytest.raises(InvalidInput, match="copy of a SQLite database"):
        backup.restore("postgresql://x@127.0.0.1:1/x", "postgresql://x@127.0.0.1:1/x", tmp_path / "copy.db")


def test_without_postgresqls_programs_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(backup_postgres, "DEBIAN", tmp_path)
    with pytest.raises(StoreUnavailable, match="postgresql-client"):
        backup_postgres.schema_revision_of(tmp_path / "copy")


def test_the_file_of_a_url_that_is_more_than_a_file_is_asked_for() -> None:
    with pytest.raises(InvalidInput, match="sqlite:///FILE"):
        backup_sqlite.sqlite_path("sqlite:///file:x.db?mode=ro&uri=true")
