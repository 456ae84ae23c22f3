"""Run the migrations, in one process at a time, and all or none of them."""

from __future__ import annotations

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, inspect

from judgelab.errors import StoreUnavailable
from judgelab.store.db.db_errors import database_name, explain_db_errors
from judgelab.store.db.engine import Store
from judgelab.store.db.revisions import MIGRATIONS, known_schemas, revision_of
from judgelab.wording import counted, sentence

LOCK_KEY = 0x4A55444745  # "JUDGE": one migration at a time on a PostgreSQL server


def migrate(store: Store) -> None:
    """Upgrade the database from any older schema to the newest; nothing changes if that fails.

    Raises:
        StoreUnavailable: the tables are newer, belong to another program, or references would break.
    """
    config = _config()
    if not store.is_sqlite:
        with store.writing() as session:
            connection = session.connection()
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK_KEY})")
            _upgrade(connection, config)
        return
    # Batch migrations rebuild tables; SQLite only changes foreign_keys outside a transaction.
    with explain_db_errors(store.url), store.engine.connect() as raw:
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
                "the database has schema {schema}, which is newer than this version of JudgeLab; install "
                "the newer version.",
                schema=current,
            )
        )
    if current is None and {"project", "item", "rating"} & set(inspect(connection).get_table_names()):
        raise StoreUnavailable(
            sentence(
                "{place} contains tables of another program; name another database in JUDGELAB_DATABASE_URL.",
                place=database_name(str(connection.engine.url)),
            )
        )
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    return config
