"""Databases for tests, made once and copied: a migration outlasts most tests, the demo all."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import lru_cache, wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

import pytest
from sqlalchemy import select

from judgelab.config import settings
from judgelab.store.db.engine import Store
from judgelab.store.db.own_files import OWNER_ONLY
from judgelab.store.db.schema import open_store, shared_store
from judgelab.store.models import Person, Project
from judgelab.store.models.base import Base

P = ParamSpec("P")
T = TypeVar("T")


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


def stored_once(fill: Callable[Concatenate[Store, P], T]) -> Callable[Concatenate[Store, P], T]:
    """Let an empty SQLite database get a copy of what an earlier call with equal arguments stored in one.

    For functions that always store the same; a database that holds anything is filled by the function itself.
    """
    made: dict[object, tuple[sqlite3.Connection, T]] = {}

    @wraps(fill)
    def filled(store: Store, *args: P.args, **named: P.kwargs) -> T:
        if not store.is_sqlite or _holds_rows(store):
            return fill(store, *args, **named)
        key = (args, tuple(sorted(named.items())))
        path = store.engine.url.database or ""
        if key not in made:
            result = fill(store, *args, **named)
            in_memory = sqlite3.connect(":memory:", check_same_thread=False)
            with closing(sqlite3.connect(path)) as source:
                source.backup(in_memory)
            made[key] = in_memory, result
        else:
            with closing(sqlite3.connect(path)) as target:
                made[key][0].backup(target)
        return made[key][1]

    return filled


def _holds_rows(store: Store) -> bool:
    with store.reading() as session:
        return any(
            session.execute(select(1).select_from(table).limit(1)).first()
            for table in Base.metadata.sorted_tables
        )


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


@contextmanager
def store_of_the_app(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Give the store that the app itself uses, on an empty database, for tests of its routes."""
    monkeypatch.setenv("JUDGELAB_DATABASE_URL", new_sqlite(folder / "app.db"))
    settings.cache_clear()
    yield shared_store(settings().database_url)
    shared_store.cache_clear()
    settings.cache_clear()
