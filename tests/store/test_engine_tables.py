"""Where the job engine keeps its rows."""

from __future__ import annotations

import time
from pathlib import Path

from sqlalchemy import create_engine, text

from judgelab.store.db.engine_tables import engine_connect_args


def test_rows_that_newer_pythons_made_tell_their_time_in_every_sqlite(tmp_path: Path) -> None:
    # The engine's own table, as it makes it under Python 3.12 and 3.13; SQLite knows 'subsec' since 3.42.
    url = f"sqlite:///{tmp_path / 'engine.db'}"
    engine = create_engine(url, **engine_connect_args(url))
    before = int(1000 * time.time())
    with engine.begin() as connection:
        made = "made INTEGER NOT NULL DEFAULT (unixepoch('subsec') * 1000)"
        connection.execute(text(f"CREATE TABLE versions (name TEXT, {made})"))
        connection.execute(text("INSERT INTO versions (name) VALUES ('1')"))
        found = connection.execute(text("SELECT made FROM versions")).scalar_one()
    engine.dispose()
    assert before <= found <= 1000 * time.time()
    assert engine_connect_args("postgresql://localhost/judgelab") == {}
