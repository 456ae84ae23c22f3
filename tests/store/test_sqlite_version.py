"""A SQLite that is too old is said before a statement fails on it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from judgelab.errors import StoreUnavailable
from judgelab.store.db.schema import open_store


def test_an_old_sqlite_is_refused_by_name_and_makes_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 34, 1))
    with pytest.raises(StoreUnavailable, match=r"has SQLite 3\.34\.1, but JudgeLab needs 3\.35 or newer"):
        open_store(f"sqlite:///{tmp_path / 'j.db'}")
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 35, 0))
    open_store(f"sqlite:///{tmp_path / 'j.db'}").close()
