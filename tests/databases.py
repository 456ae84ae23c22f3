"""Databases for tests, made once and copied: a migration outlasts most tests, the demo all."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from functools import lru_cache
from pathlib import Path

from judgelab.store.db.engine import Store
from judgelab.store.db.own_files import OWNER_ONLY
from judgelab.store.db.schema import open_store
from judgelab.store.models import Person, Project


def new_sqlite(path: Path) -> str:
    """Put an empty database of the newest schema at `path`; return its URL."""
    path.touch(mode=OWNER_ONLY)
    path.write_bytes(_empty_sqlite())
    return f"sqlite:///{path}"


def load_demo(store: Store, *names: str) -> None:
    """Fill an empty SQLite database with these sample projects, as `judgelab demo` does with a new one."""
    with store.reading() as session:
        rows = [session.query(table).count() for table in (Project, Person)]
    assert rows == [0, 0], "what is there would be lost"
    with closing(sqlite3.connect(store.engine.url.database or "")) as target:
        _demo(names).backup(target)


@lru_cache(maxsize=1)
def _empty_sqlite() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        open_store(f"sqlite:///{path}").close()
        return path.read_bytes()


@lru_cache
def _demo(names: tuple[str, ...]) -> sqlite3.Connection:
    """Return the projects, loaded in this order, in memory."""
    from judgelab.cli import demo  # not above: it brings in what most tests never use

    in_memory = sqlite3.connect(":memory:", check_same_thread=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "demo.db"
        store = open_store(new_sqlite(path))
        if names[:-1]:
            load_demo(store, *names[:-1])
        demo.load_sample(store, demo.SAMPLE_DATA / names[-1])
        store.close()
        with closing(sqlite3.connect(path)) as loaded:
            loaded.backup(in_memory)
    return in_memory
