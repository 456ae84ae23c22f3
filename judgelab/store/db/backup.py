"""Back up the whole database while it is in use, and restore it.

The job engine's own tables are not copied: they only say which worker is doing what. Without them
a worker restarts every unfinished run from our tables: judged units stay judged, waiting ones are judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from sqlalchemy import delete, func, select, update

from judgelab.errors import InvalidInput, NotFound, StoreUnavailable
from judgelab.store.db import backup_postgres, backup_sqlite
from judgelab.store.db.engine import Session, Store
from judgelab.store.db.schema import open_store
from judgelab.store.models import Invite, Judgment, Person, Project, Rating, SignIn, Worker, now
from judgelab.wording import mark, sentence

SQLITE, POSTGRES = b"SQLite format 3\0", b"PGDMP"
COUNTED = {"projects": Project, "people": Person, "ratings": Rating, "judgments": Judgment}


@dataclass(frozen=True)
class BackupInfo:
    """The content of a backup.

    Attributes:
        file: the path of the file.
        schema: the revision of its tables.
        size: the size in bytes.
        counts: rows by kind: projects, people, ratings, judgments.
    """

    file: str
    schema: str
    size: int
    counts: dict[str, int]


@dataclass(frozen=True)
class RestoreResult:
    """The result of restoring a backup.

    Attributes:
        schema: the backup's schema before the upgrade.
        counts: rows by kind.
        ended: number of sign-ins that were ended.
        kept: the new name of the database file that was replaced; "" if there was none.
    """

    schema: str
    counts: dict[str, int]
    ended: int
    kept: str


def save(store: Store, file: Path) -> BackupInfo:
    """Write a consistent, checked copy of the database while others read and write.

    It contains everything committed before the start. The file is only readable by its owner and gets
    its name once it is complete.

    Raises:
        InvalidInput: the file exists already.
        StoreUnavailable: no disk space, no write permission, or PostgreSQL's programs are missing.
    """
    if file.exists():
        raise InvalidInput(
            sentence("{file} already exists; name another file: backups are never overwritten.", file=file)
        )
    if not file.absolute().parent.is_dir():
        raise InvalidInput(
            sentence(
                "the folder {folder} does not exist; create it first, or name another file.",
                folder=file.absolute().parent,
            )
        )
    if store.is_sqlite:
        backup_sqlite.save(store, file)
        with backup_sqlite.open_read_only(file) as copy:
            schema, counts = backup_sqlite.schema_revision_of(copy), backup_sqlite.count_rows(copy, _tables())
    else:
        with store.reading() as session:
            backup_postgres.save(session, store.url, file)
            counts = count_rows(session)
            schema = backup_postgres.schema_revision_of(file)
    return BackupInfo(str(file), schema, file.stat().st_size, counts)


def restore(url: str, engine_url: str, file: Path, *, replace: bool = False) -> RestoreResult:
    """Replace the database at `url` with a backup, completely or not at all.

    A backup of an older schema is upgraded. All its sign-ins and one-time links are ended, because
    those ended or used since would work again. Unfinished runs continue from their state in the backup.

    Args:
        url: the database's URL.
        engine_url: the URL of the job engine's database, which is emptied.
        file: a file written by `save`.
        replace: whether a database with projects may be replaced.

    Raises:
        NotFound: no such file.
        InvalidInput: it is not a backup, is damaged, or is of the other kind of database.
        StoreUnavailable: the database is in use, the backup is newer than this JudgeLab, or no space.
    """
    kind = _backup_kind(file)
    sqlite = url.startswith("sqlite")
    if kind != ("sqlite" if sqlite else "postgresql"):
        raise InvalidInput(
            sentence(
                "{file} is a copy of a {kind} database, but JUDGELAB_DATABASE_URL names another kind; "
                "transfer projects with `judgelab export` and `judgelab import`.",
                file=file,
                kind="SQLite" if kind == "sqlite" else "PostgreSQL",
            )
        )
    if sqlite:
        return _restore_sqlite(url, engine_url, file, replace=replace)
    moment = now()
    store = open_store(url)
    try:
        _refuse_projects(store, replace)
        schema = backup_postgres.schema_revision_of(file)
        backup_postgres.restore(store, engine_url, file, schema=schema, moment=moment)
    finally:
        store.close()
    store = open_store(url)
    try:
        counts, ended = _end_sign_ins(store, moment)
    finally:
        store.close()
    return RestoreResult(schema, counts, ended, "")


def count_rows(session: Session) -> dict[str, int]:
    """Return how many rows of each kind there are."""
    return {
        name: session.scalar(select(func.count()).select_from(table)) or 0 for name, table in COUNTED.items()
    }


def _restore_sqlite(url: str, engine_url: str, file: Path, *, replace: bool) -> RestoreResult:
    place = backup_sqlite.sqlite_path(url)
    if not replace and backup_sqlite.has_projects(place):
        raise _needs_consent(str(place))
    with backup_sqlite.checked_copy(place, file) as (new, schema):
        store = open_store(f"sqlite:///{new}")
        try:
            counts, ended = _end_sign_ins(store, now())
        finally:
            store.close()
        previous = backup_sqlite.replace_database(new, place, backup_sqlite.sqlite_path(engine_url))
    return RestoreResult(schema, counts, ended, previous)


def _end_sign_ins(store: Store, moment: datetime) -> tuple[dict[str, int], int]:
    """End sign-ins and one-time links; return the row counts and the number of ended sign-ins."""
    with store.writing() as session:
        session.execute(update(SignIn).where(SignIn.revoked_at.is_(None)).values(revoked_at=moment))
        session.execute(
            update(Invite)
            .where(Invite.once, Invite.used_at.is_(None), Invite.revoked_at.is_(None))
            .values(revoked_at=moment)
        )
        session.execute(delete(Worker))  # heartbeats of processes of the other database
        ended = session.scalar(select(func.count()).where(SignIn.revoked_at == moment))
        return count_rows(session), ended or 0


def _refuse_projects(store: Store, replace: bool) -> None:
    with store.reading() as session:
        if not replace and session.scalar(select(func.count()).select_from(Project)):
            raise _needs_consent(sentence("the database"))


def _needs_consent(place: str) -> StoreUnavailable:
    return StoreUnavailable(
        sentence(
            "{place} contains projects; nothing was changed. Back it up, then add --yes to replace it.",
            place=place,
        )
    )


def _backup_kind(file: Path) -> str:
    if not file.is_file():
        raise NotFound(mark("backup file"), str(file))
    with file.open("rb") as opened:
        head = opened.read(16)
    if head == SQLITE:
        return "sqlite"
    if head.startswith(POSTGRES):
        return "postgresql"
    raise InvalidInput(
        sentence("{file} is not a JudgeLab backup; name a file written by `judgelab backup`.", file=file)
    )


def _tables() -> dict[str, str]:
    return {name: table.__tablename__ for name, table in COUNTED.items()}
