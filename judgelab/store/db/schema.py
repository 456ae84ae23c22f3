"""Open the database and upgrade it to the schema that this code expects."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from judgelab.errors import InvalidInput, StoreUnavailable
from judgelab.store.db.db_errors import database_name
from judgelab.store.db.engine import Store
from judgelab.store.db.file_watch import reopen_when_replaced
from judgelab.store.db.revisions import head_schema, known_schemas, revision_of
from judgelab.store.models import Base
from judgelab.wording import sentence


def upgrade_to_head(store: Store) -> None:
    """Upgrade the database to the newest schema; safe with several processes at once.

    Raises:
        StoreUnavailable: the database was written by a newer JudgeLab.
    """
    with store.reading() as session:
        if revision_of(session.connection()) == head_schema():
            return
    from judgelab.store.db.migrating import migrate  # imports Alembic, which few starts need

    migrate(store)


def refuse_other_schema(schema: str, file: Path) -> None:
    """Raise if this code can neither use nor upgrade a backup's schema.

    Raises:
        InvalidInput: the tables are not JudgeLab's.
        StoreUnavailable: the schema is newer.
    """
    if not schema:
        raise InvalidInput(
            sentence("{file} is not a JudgeLab backup; name a file written by `judgelab backup`.", file=file)
        )
    _refuse_newer(schema, file)


def _refuse_newer(schema: str, file: str | Path) -> None:
    if schema not in known_schemas():
        raise StoreUnavailable(
            sentence(
                "{file} has schema {schema}, which is newer than this version of JudgeLab; install the "
                "newer version.",
                file=file,
                schema=schema,
            )
        )


def open_store(url: str, *, page_cache: int | None = None) -> Store:
    """Return the database at `url`, upgraded to the newest schema; see `Store` for `page_cache`."""
    store = Store(url, page_cache=page_cache)
    upgrade_to_head(store)
    if store.is_sqlite:
        reopen_when_replaced(store.engine, schema=head_schema())
    store.watch_schema(head_schema())
    return store


def open_existing(url: str, *, read_only: bool) -> Store:
    """Return a database that exists and has the newest schema; nothing is created or upgraded.

    Raises:
        StoreUnavailable: there is no such database, or its schema is older or newer.
    """
    looked_at = Store(url, read_only=True)
    place = database_name(url)
    if looked_at.is_sqlite and not Path(place).is_file():
        raise StoreUnavailable(sentence("there is no database {place}.", place=place))
    with looked_at.reading() as session:
        schema = revision_of(session.connection())
    if schema is None:
        raise StoreUnavailable(sentence("{place} is not a database of JudgeLab.", place=place))
    _refuse_newer(schema, place)
    if schema != head_schema():
        raise StoreUnavailable(
            sentence(
                "{place} has schema {schema}, of an older JudgeLab; name it in JUDGELAB_DATABASE_URL and "
                "update it: `judgelab migrate`.",
                place=place,
                schema=schema,
            )
        )
    if not read_only:
        looked_at.close()
        return open_store(url)
    looked_at.watch_schema(head_schema())
    return looked_at


@contextmanager
def temporary_store() -> Iterator[Store]:
    """Yield an empty database of the newest schema that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="judgelab-") as folder:
        store = Store(f"sqlite:///{Path(folder) / 'temporary.db'}")
        try:
            with store.writing() as session:  # without the migrations, which take ten times as long
                Base.metadata.create_all(session.connection())
            yield store
        finally:
            store.close()


@lru_cache(maxsize=4)
def shared_store(url: str) -> Store:
    """Return the database at `url`, opened once per process; pages and routes share its connections."""
    return open_store(url)
