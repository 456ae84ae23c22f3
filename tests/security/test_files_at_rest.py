"""What other users of a machine may read on its disk."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from judgelab.config import Settings
from judgelab.doctor import storage
from judgelab.store.db.backup import save
from judgelab.store.db.engine_tables import engine_database_url
from judgelab.store.db.schema import open_store
from tests.annotation.conftest import make_project


@pytest.fixture(autouse=True)
def common_mask() -> Iterator[None]:
    """Let new files be read by everybody, as most systems have it."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def read_by_others(folder: Path) -> list[str]:
    return [file.name for file in sorted(folder.iterdir()) if file.stat().st_mode & 0o077]


def test_other_users_of_the_machine_read_no_file_of_ours(tmp_path: Path) -> None:
    with closing(open_store(f"sqlite:///{tmp_path / 'j.db'}")) as store:
        make_project(store, answers=3)
        engine_database_url(f"sqlite:///{tmp_path / 'e.db'}")
        save(store, tmp_path / "copy")
        files = {file.name for file in tmp_path.iterdir()}
        assert {"j.db", "j.db-wal", "j.db-shm", "j.db-turn", "e.db", "copy"} <= files
        assert read_by_others(tmp_path) == []


def test_a_file_that_others_may_read_stays_as_it_is_and_is_named(tmp_path: Path) -> None:
    database = tmp_path / "j.db"
    database.touch(mode=0o644)
    url = f"sqlite:///{database}"
    with closing(open_store(url)) as store:
        make_project(store, answers=3)
        assert "j.db-wal" in read_by_others(tmp_path)
        checks = {check.topic: check for check in storage.examine(Settings(database_url=url))}
        assert checks["access"].state == "look"
        database.chmod(0o600)
        checks = {check.topic: check for check in storage.examine(Settings(database_url=url))}
        assert checks["access"].state == "ok"
