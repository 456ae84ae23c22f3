"""Migrations: from nothing to the models, by several processes at once, on both databases."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from judgelab.errors import StoreUnavailable
from judgelab.store.db import revisions
from judgelab.store.db.revisions import head_schema, known_schemas
from judgelab.store.db.schema import open_store
from judgelab.store.models import Base
from judgelab.store.projects.projects import create_project, find_project
from tests.command import ROOT


def _differences(url: str) -> list[object]:
    store = open_store(url)
    with store.reading() as session:
        differences = compare_metadata(MigrationContext.configure(session.connection()), Base.metadata)
    store.close()
    return differences


def test_migrations_give_exactly_the_tables_of_the_models_on_sqlite(tmp_path: Path) -> None:
    assert _differences(f"sqlite:///{tmp_path / 'a.db'}") == []


@pytest.mark.postgres
def test_migrations_give_exactly_the_tables_of_the_models_on_postgresql(postgres_url: str) -> None:
    assert _differences(postgres_url) == []


def test_a_worker_keeps_fewer_pages_of_the_file_than_a_page_does(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    for store, pages in ((open_store(url), -2000), (open_store(url, page_cache=200), -200)):
        with store.reading() as reading, store.writing() as writing:
            assert [session.scalar(text("PRAGMA cache_size")) for session in (reading, writing)] == [
                pages,
                pages,
            ]
        store.close()


def _open_in_processes(url: str) -> list[int]:
    opening = "import sys; from judgelab.store.db.schema import open_store; open_store(sys.argv[1]).close()"
    processes = [subprocess.Popen([sys.executable, "-c", opening, url], cwd=ROOT) for _ in range(4)]
    return [process.wait(100) for process in processes]


def test_four_processes_can_migrate_one_new_sqlite_file_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    assert _open_in_processes(url) == [0, 0, 0, 0]
    assert _differences(url) == []


@pytest.mark.postgres
def test_four_processes_can_migrate_one_new_postgresql_database_at_once(postgres_url: str) -> None:
    assert _open_in_processes(postgres_url) == [0, 0, 0, 0]
    assert _differences(postgres_url) == []


def test_a_database_newer_than_the_code_is_refused_with_a_sentence_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    open_store(f"sqlite:///{path}").close()
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreUnavailable, match="schema 9999, which is newer than this version of JudgeLab"):
        open_store(f"sqlite:///{path}")
    with sqlite3.connect(path) as raw:
        assert raw.execute("SELECT version_num FROM alembic_version").fetchone() == ("9999",)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="can't open .*; check that its folder exists"):
        open_store(f"sqlite:///{tmp_path / 'nowhere' / 'a.db'}")


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_text("these are my notes, not a database " * 100)
    with pytest.raises(StoreUnavailable, match="is not a JudgeLab database"):
        open_store(f"sqlite:///{path}")


@pytest.mark.postgres
def test_a_server_that_does_not_answer_is_said() -> None:
    with pytest.raises(StoreUnavailable, match="is not responding"):
        open_store("postgresql://nobody@127.0.0.1:1/none")


@pytest.mark.postgres
def test_projects_are_stored_alike_on_postgresql(postgres_url: str) -> None:
    store = open_store(postgres_url)
    with store.writing() as session:
        create_project(session, name="Soup flasks")
    with store.reading() as session:
        assert find_project(session, "soup-flasks").name == "Soup flasks"
    store.close()


def test_a_file_put_in_the_place_of_an_open_one_is_read_from_then_on(tmp_path: Path) -> None:
    open_file, new_file = (tmp_path / name for name in ("here.db", "other.db"))
    backup = open_store(f"sqlite:///{new_file}")
    with backup.writing() as session:
        create_project(session, name="Restored")
    backup.close()
    store = open_store(f"sqlite:///{open_file}")
    _replace(open_file, new_file)
    with store.writing() as session:
        assert find_project(session, "restored").name == "Restored"
    store.close()


@pytest.mark.parametrize(("version", "message"), [("9999", "schema 9999"), (None, "without a schema")])
def test_a_file_of_another_schema_put_in_its_place_is_refused(
    tmp_path: Path, version: str | None, message: str
) -> None:
    open_file, new_file = (tmp_path / name for name in ("here.db", "other.db"))
    store = open_store(f"sqlite:///{open_file}")
    with sqlite3.connect(new_file) as connection:
        if version:
            connection.execute("CREATE TABLE alembic_version (version_num TEXT)")
            connection.execute("INSERT INTO alembic_version VALUES (?)", [version])
    connection.close()
    new_file.touch()
    _replace(open_file, new_file)
    with pytest.raises(StoreUnavailable, match=message), store.reading() as session:
        find_project(session, "any")
    store.close()


def _replace(open_file: Path, new_file: Path) -> None:
    """Put a file in the place of an open database, as a backup is put back."""
    new_file.replace(open_file)
    for end in ("-wal", "-shm"):
        Path(f"{open_file}{end}").unlink(missing_ok=True)


def test_revisions_are_those_that_alembic_finds() -> None:
    config = Config()
    config.set_main_option("script_location", str(ROOT / "migrations"))
    scripts = ScriptDirectory.from_config(config)
    assert head_schema() == scripts.get_current_head()
    assert known_schemas() == {script.revision for script in scripts.walk_revisions()}


def test_opening_a_database_of_today_loads_nothing_that_migrates(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'a.db'}"
    opening = (
        "import sys; from judgelab.store.db.schema import open_store; open_store(sys.argv[1]).close(); "
        "print('alembic' in sys.modules)"
    )
    outputs = [
        subprocess.check_output([sys.executable, "-c", opening, url], cwd=ROOT, text=True) for _ in range(2)
    ]
    assert outputs == ["True\n", "False\n"]


def test_scripts_are_read_as_alembic_reads_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "versions"
    folder.mkdir()
    scripts = {
        "__init__.py": "",
        "0001_first.py": "revision = '0001'\ndown_revision = None\n",
        "0002_second.py": 'revision: str = "0002"  # the second\ndown_revision: str | None = "0001"\n',
        ".#0002_second.py": "half of a",
    }
    for name, script in scripts.items():
        (folder / name).write_text(script)
    monkeypatch.setattr(revisions, "MIGRATIONS", tmp_path)
    revisions_read = revisions._revisions.__wrapped__()
    assert (revisions_read.head, revisions_read.known) == ("0002", {"0001", "0002"})
