"""Unusable databases, folders and names: one sentence, exit code 1, and nothing is lost."""

from __future__ import annotations

import os
import socket
import sqlite3
from pathlib import Path

import pytest

from judgelab.store.db.db_errors import database_name, message_for
from tests.command import judgelab, judgelab_process
from tests.databases import new_sqlite

IN_MEMORY = "JUDGELAB_DATABASE_URL names an in-memory database, which the app and its workers"


@pytest.fixture
def address(tmp_path: Path) -> str:
    return new_sqlite(tmp_path / "a.db")


def refused(address: str, *words: str) -> str:
    """Return the one sentence that the command ends with."""
    result = judgelab(address, *words)
    assert result.returncode == 1, result.stderr
    assert result.stderr.count("\n") == 1, result.stderr
    return result.stderr


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("nothing", "JUDGELAB_DATABASE_URL does not name a usable database; write sqlite:///FILE or"),
        ("mysql://a/b", "JUDGELAB_DATABASE_URL does not name a usable database"),
        ("sqlite:////nowhere/a.db", "can't open /nowhere/a.db; check that its folder exists"),
        ("postgresql://u:secret@127.0.0.1:1/x", "the database server is not responding"),
        ("sqlite://", IN_MEMORY),
        ("sqlite:///", IN_MEMORY),
        ("sqlite:///:memory:", IN_MEMORY),
        ("sqlite:///file:x?mode=memory&cache=shared&uri=true", IN_MEMORY),
    ],
)
def test_an_address_that_leads_nowhere(address: str, message: str) -> None:
    error = refused(address, "project", "list")
    assert message in error
    assert "secret" not in error


def test_the_job_engine_needs_a_database_that_workers_share(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGELAB_ENGINE_URL", "sqlite://")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    for words in (("worker",), ("up", "--no-browser", "--port", port)):
        result = judgelab_process(address, *words)
        assert result.returncode == 1
        assert "JUDGELAB_ENGINE_URL names an in-memory database" in result.stderr


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///"])
def test_doctor_says_what_is_wrong_with_a_database_in_memory(url: str) -> None:
    result = judgelab(url, "doctor")
    assert (result.returncode, result.stderr) == (1, "")
    assert f"broken  schema: {IN_MEMORY}" in result.stdout


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    assert f"can't open {tmp_path}" in refused(f"sqlite:///{tmp_path}", "project", "list")


def test_a_text_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_text("shopping list " * 100, encoding="utf-8")
    assert "is not a JudgeLab database" in refused(f"sqlite:///{path}", "project", "list")


def test_a_damaged_database_is_said_to_be_damaged(address: str, tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(path.read_bytes()[:5000])
    assert "is damaged, or its disk is failing" in refused(address, "project", "list")


def test_another_programs_tables_are_left_alone(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'theirs.db'}"
    with sqlite3.connect(tmp_path / "theirs.db") as connection:
        connection.execute("CREATE TABLE project (id INTEGER, mine TEXT)")
        connection.execute("INSERT INTO project VALUES (1, 'precious')")
    assert "contains tables of another program" in refused(address, "project", "create", "p")
    with sqlite3.connect(tmp_path / "theirs.db") as connection:
        assert connection.execute("SELECT * FROM project").fetchall() == [(1, "precious")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("database is locked", "/tmp/a.db has been locked by another program for 30 seconds; close"),
        ("attempt to write a readonly database", "/tmp/a.db is read-only; make it and its folder writable"),
        ("database or disk is full", "the disk is full; nothing was stored"),
        ("disk I/O error", "/tmp/a.db is damaged, or its disk is failing"),
    ],
)
def test_what_sqlite_says_becomes_what_to_do(words: str, message: str) -> None:
    assert (message_for("sqlite:////tmp/a.db", words) or "").startswith(message)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            'connection failed: FATAL: password authentication failed for user "u"',
            "check the user name and password",
        ),
        ('connection failed: FATAL: database "x" does not exist', "create it, or correct the name"),
        ("failed to resolve host 'h': Name or service not known", "the host in postgresql://u:***@h/x is"),
        ("FATAL: sorry, too many clients already", "the database server has too many connections"),
        ("terminating connection due to administrator command", "closed the connection, and nothing"),
    ],
)
def test_what_postgresql_says_becomes_what_to_do(words: str, message: str) -> None:
    explanation = message_for("postgresql://u:secret@h/x", words) or ""
    assert message in explanation
    assert "secret" not in explanation


def test_what_nobody_foresaw_is_not_explained_away() -> None:
    assert message_for("sqlite:///a.db", "UNIQUE constraint failed: item.external_id") is None
    assert database_name("not a url at all") == "the database URL"


@pytest.mark.parametrize("folder", ["taken", "taken/inside"])
def test_a_folder_that_cannot_be_written(address: str, tmp_path: Path, folder: str) -> None:
    judgelab(address, "project", "create", "p")
    (tmp_path / "taken").write_text("mine", encoding="utf-8")
    refused(address, "export", "p", str(tmp_path / folder))
    assert (tmp_path / "taken").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Soup flasks", "soup-flasks"), ("北京项目", "北京项目"), ("Čaj 3", "caj-3"), ("🙂", "project")],
)
def test_a_project_is_found_by_the_word_its_name_makes(address: str, name: str, slug: str) -> None:
    assert judgelab(address, "project", "create", name).stdout == f"created {slug}\n"
    assert judgelab(address, "project", "show", slug).returncode == 0
    assert "already exists; choose another name" in refused(address, "project", "create", name)


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, os.fsdecode(b"a\xff")])
def test_a_name_that_is_none(address: str, name: str) -> None:
    refused(address, "project", "create", name)


def test_names_cannot_steer_the_terminal(address: str) -> None:
    judgelab(address, "project", "create", "red \x1b[31m and turned \u202e")
    listing = judgelab(address, "project", "list").stdout
    assert "red \\x1b[31m and turned \\u202e" in listing


def test_a_file_whose_name_is_no_text_is_read(address: str, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.csv"
    with open(path, "w", encoding="utf-8") as file:
        file.write("item_id,question\nq1,Who?\n")
    judgelab(address, "project", "create", "p")
    assert judgelab_process(address, "import", "p", os.fsdecode(path)).stdout == "1 item new\n"


@pytest.mark.parametrize(
    "words",
    [
        ("quality", "p", "--lock"),
        ("quality", "p", "--save", ""),
        ("quality", "p", "--save", "none"),
        ("import", "nowhere", __file__),
        ("import", "p", "no-such-file.csv"),
        ("import", "p"),
        ("import", "p", __file__, "--kind", "robots"),
        ("agreement", "p", "--level", "galaxy"),
        ("score", "p", "no_metric"),
        ("export", "p", "x", "--format", "xml"),
    ],
)
def test_mistakes_end_with_code_1_and_one_sentence(address: str, words: tuple[str, ...]) -> None:
    judgelab(address, "project", "create", "p")
    refused(address, *words)


def test_a_setting_that_cannot_be_taken_is_named(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGELAB_PORT", "abc")
    error = refused(address, "project", "list")
    assert error.startswith("JUDGELAB_PORT cannot be 'abc': ") and "integer" in error


def test_a_number_beyond_every_database_is_a_mistake_of_the_user(address: str) -> None:
    judgelab(address, "project", "create", "P")
    assert "too large for the database" in refused(address, "run", "faults", "9" * 26)
    assert "too large for the database" in refused(address, "judgment", "9" * 26, "1")


def test_a_project_without_criteria_has_no_failure_modes_and_says_so(address: str) -> None:
    judgelab(address, "project", "create", "P")
    for words in (("tags", "p"), ("means", "p", "x")):
        assert "has no criteria yet" in refused(address, *words)


def test_tables_of_a_study_that_cannot_be_written(address: str) -> None:
    judgelab(address, "project", "create", "P", "--study", "elect")
    assert "/dev/null/x cannot be written" in refused(address, "study", "p", "--export", "/dev/null/x")
