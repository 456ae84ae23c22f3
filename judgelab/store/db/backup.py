"""A copy of the whole database while people work, and putting such a copy back.

The job engine's own tables are not copied: they say only who is at work on what at this moment. Without them
a worker starts every unfinished run over from our tables: what is judged stays judged, what waits is asked.
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
    """What a copy holds.

    Attributes:
        file: where it lies.
        schema: the revision of its tables.
        size: in bytes.
        counts: rows by kind: projects, people, ratings, judgments.
    """

    file: str
    schema: str
    size: int
    counts: dict[str, int]


@dataclass(frozen=True)
class RestoreResult:
    """What was put in place.

    Attributes:
        schema: of the copy, before it was upgraded.
        counts: rows by kind.
        ended: sign-ins that are void now.
        kept: the file that lay there before, under its new name; "" where there was none.
    """

    schema: str
    counts: dict[str, int]
    ended: int
    kept: str


def save(store: Store, file: Path) -> BackupInfo:
    """Write a checked copy of the database, of one moment, while others read and write.

    Whatever was acknowledged before the start is in it. The file is readable for its owner only and appears
    under its name when it is whole.

    Raises:
        InvalidInput: the file is there already.
        StoreUnavailable: no room, no right to write, or PostgreSQL's programs are missing.
    """
    if file.exists():
        raise InvalidInput(
            sentence("{file} is there already; name another file: a backup is never overwritten.", file=file)
        )
    if not file.absolute().parent.is_dir():
        raise InvalidInput(
            sentence(
                "the folder {folder} does not exist; make it first, or name another file.",
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
    """Put a copy in the place of the database at `url`, whole or not at all.

    A copy of an older schema is upgraded. All sign-ins and one-time links of the copy are void afterwards:
    one that was ended or used since would work again. Runs that were under way go on where the copy has them.

    Args:
        url: the database.
        engine_url: the job engine's, which is emptied.
        file: what `save` wrote.
        replace: whether a database that holds projects may be replaced.

    Raises:
        NotFound: no such file.
        InvalidInput: it is no copy, is damaged, or is of the other kind of database.
        StoreUnavailable: the database is in use, the copy is newer than this JudgeLab, or there is no room.
    """
    kind = _backup_kind(file)
    sqlite = url.startswith("sqlite")
    if kind != ("sqlite" if sqlite else "postgresql"):
        raise InvalidInput(
            sentence(
                "{file} is the copy of a {kind} database, and JUDGELAB_DATABASE_URL names another kind; "
                "carry projects over with `judgelab export` and `judgelab import`.",
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
        kept = backup_sqlite.replace_database(new, place, backup_sqlite.sqlite_path(engine_url))
    return RestoreResult(schema, counts, ended, kept)


def _end_sign_ins(store: Store, moment: datetime) -> tuple[dict[str, int], int]:
    """End what must not live on; return what there is, and how many sign-ins ended at this moment."""
    with store.writing() as session:
        session.execute(update(SignIn).where(SignIn.revoked_at.is_(None)).values(revoked_at=moment))
        session.execute(
            update(Invite)
            .where(Invite.once, Invite.used_at.is_(None), Invite.revoked_at.is_(None))
            .values(revoked_at=moment)
        )
        session.execute(delete(Worker))  # signs of life of processes elsewhere
        ended = session.scalar(select(func.count()).where(SignIn.revoked_at == moment))
        return count_rows(session), ended or 0


def _refuse_projects(store: Store, replace: bool) -> None:
    with store.reading() as session:
        if not replace and session.scalar(select(func.count()).select_from(Project)):
            raise _needs_consent(sentence("the database"))


def _needs_consent(place: str) -> StoreUnavailable:
    return StoreUnavailable(
        sentence(
            "{place} holds projects; nothing was changed. Make a backup of it, then give --yes to "
            "replace it.",
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
        sentence("{file} is no backup of JudgeLab; name a file that `judgelab backup` wrote.", file=file)
    )


def _tables() -> dict[str, str]:
    return {name: table.__tablename__ for name, table in COUNTED.items()}
