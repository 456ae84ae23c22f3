"""Open the database and upgrade it to the schema that this code expects."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from judgelab.errors import InvalidInput, StoreUnavailable
from judgelab.store.db.engine import Store
from judgelab.store.db.file_watch import reopen_when_replaced
from judgelab.store.db.revisions import head_schema, known_schemas, revision_of
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


@lru_cache(maxsize=4)
def shared_store(url: str) -> Store:
    """Return the database at `url`, opened once per process; pages and routes share its connections."""
    return open_store(url)
