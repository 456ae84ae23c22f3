"""Bringing the database to the schema this code expects, at every start."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from judgelab.errors import InvalidInput, StoreUnavailable
from judgelab.shipped import shipped
from judgelab.store.engine import Store
from judgelab.store.refusals import explained, place_of
from judgelab.store.replaced import follow_file
from judgelab.wording import counted, sentence

MIGRATIONS = shipped("migrations")
LOCK_KEY = 0x4A55444745  # "JUDGE": one migration at a time on a PostgreSQL server


def upgrade_to_head(store: Store) -> None:
    """Bring the database to the newest schema; safe with several processes at once.

    Raises:
        StoreUnavailable: the database was written by a newer JudgeLab.
    """
    with store.reading() as session:
        if revision_of(session.connection()) == head_schema():
            return
    _migrate(store, _config())


@lru_cache(maxsize=1)
def head_schema() -> str | None:
    """Return the revision that this code works with."""
    return ScriptDirectory.from_config(_config()).get_current_head()


@lru_cache(maxsize=1)
def known_schemas() -> frozenset[str]:
    """Return all revisions that this code can upgrade from or works with."""
    return frozenset(r.revision for r in ScriptDirectory.from_config(_config()).walk_revisions())


def refuse_other_schema(schema: str, file: Path) -> None:
    """Raise unless a copy's tables are of a revision that this code works with or can upgrade from.

    Raises:
        InvalidInput: there are no tables of ours.
        StoreUnavailable: they are newer.
    """
    if not schema:
        raise InvalidInput(
            sentence("{file} is no backup of JudgeLab; name a file that `judgelab backup` wrote.", file=file)
        )
    if schema not in known_schemas():
        raise StoreUnavailable(
            sentence(
                "{file} has schema {schema}, newer than this JudgeLab knows; install the newer version.",
                file=file,
                schema=schema,
            )
        )


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config


def _migrate(store: Store, config: Config) -> None:
    if not store.is_sqlite:
        with store.writing() as session:
            connection = session.connection()
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK_KEY})")
            _upgrade(connection, config)
        return
    # Batch migrations rebuild tables; SQLite heeds foreign_keys only outside a transaction.
    with explained(store.url), store.engine.connect() as raw:
        driver = raw.connection.driver_connection
        assert driver is not None
        raw.rollback()
        driver.execute("PRAGMA foreign_keys=OFF")
        try:
            with raw.begin():
                _upgrade(raw, config)
                broken = raw.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
                if broken:
                    raise StoreUnavailable(
                        counted(
                            "the migration would break {n} row; nothing was changed.",
                            "the migration would break {n} rows; nothing was changed.",
                            len(broken),
                        )
                    )
        finally:
            driver.execute("PRAGMA foreign_keys=ON")


def _upgrade(connection: Connection, config: Config) -> None:
    current = revision_of(connection)
    if current is not None and current not in known_schemas():
        raise StoreUnavailable(
            sentence(
                "the database has schema {schema}, newer than this JudgeLab knows; install the newer "
                "version.",
                schema=current,
            )
        )
    if current is None and {"project", "item", "rating"} & set(inspect(connection).get_table_names()):
        raise StoreUnavailable(
            sentence(
                "{place} holds tables of another program; name another database in JUDGELAB_DATABASE_URL.",
                place=place_of(str(connection.engine.url)),
            )
        )
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def revision_of(connection: Connection) -> str | None:
    """Return the revision of the tables that are there; None where there are none."""
    return MigrationContext.configure(connection).get_current_revision()


def open_store(url: str, *, page_cache: int | None = None) -> Store:
    """Return the database at `url`, migrated to the newest schema; `page_cache` is explained at `Store`."""
    store = Store(url, page_cache=page_cache)
    upgrade_to_head(store)
    if store.is_sqlite:
        follow_file(store.engine, schema=head_schema())
    store.watch_schema(head_schema())
    return store


@lru_cache(maxsize=4)
def shared_store(url: str) -> Store:
    """Return this process's one opened database at `url`: pages and routes share its connections."""
    return open_store(url)
