"""Back up a SQLite database with SQLite's online backup, and restore it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from judgelab.errors import DiskFull, InvalidInput, StoreUnavailable
from judgelab.store.db import db_errors
from judgelab.store.db.engine import Store
from judgelab.store.db.own_files import OWNER_ONLY, rename_durably
from judgelab.store.db.schema import refuse_other_schema
from judgelab.wording import sentence

SIDE_FILES = ("-wal", "-shm", "-journal", "-turn")
LOCK_TIMEOUT_SECONDS = 30.0
RETRY_SECONDS = 0.2  # short, as processes keep the file open for as long as they run


def save(store: Store, file: Path) -> None:
    """Write a consistent copy, check it, and give it its name once it is complete."""
    part = file.with_name(f"{file.name}.part")
    part.unlink(missing_ok=True)
    try:
        with _as_unavailable(file):
            os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY))
            with _connected(sqlite_path(store.url)) as source, _connected(part) as copy:
                # All pages in one step: with several, each write by others would restart the backup.
                source.backup(copy, pages=-1)
                copy.execute("PRAGMA journal_mode=DELETE")
                check(copy, file)
            rename_durably(part, file)
    finally:
        _remove(part)


@contextmanager
def checked_copy(place: Path, file: Path) -> Iterator[tuple[Path, str]]:
    """Yield a checked copy of `file` next to `place`, and its schema; removed at the end if still there."""
    new = place.with_name(f"{place.name}.restoring")
    _remove(new)
    try:
        with _as_unavailable(place), open_read_only(file) as source, _connected(new) as copy:
            os.chmod(new, OWNER_ONLY if not place.exists() else place.stat().st_mode & 0o777)
            with _sound(file):
                source.backup(copy, pages=-1)
                check(copy, file)
            schema = schema_revision_of(copy)
            refuse_other_schema(schema, file)
        yield new, schema
    finally:
        _remove(new)


def replace_database(new: Path, place: Path, engine: Path) -> str:
    """Replace the database with `new`; return the path of the old one, or "".

    The engine's file is removed first: a database without it is complete, but not the other way round.

    Raises:
        StoreUnavailable: a process has one of the files open.
    """
    stamp = f"{datetime.now(UTC):%Y%m%dT%H%M%S}"
    with _as_unavailable(place), _connected(new) as copy:
        copy.execute("PRAGMA journal_mode=DELETE")
    with _as_unavailable(place), _exclusive(place), _exclusive(engine):
        engine.unlink(missing_ok=True)
        previous = _keep(place, place.with_name(f"{place.stem}-before-{stamp}{place.suffix}"))
        rename_durably(new, place)
        for end in SIDE_FILES[:3]:
            Path(f"{place}{end}").unlink(missing_ok=True)
    for end in SIDE_FILES[:3]:
        Path(f"{engine}{end}").unlink(missing_ok=True)
    return previous


def check(copy: sqlite3.Connection, file: Path) -> None:
    """Raise `InvalidInput` if the file is damaged or contains triggers or views."""
    problems = [row[0] for row in copy.execute("PRAGMA integrity_check(1)")]
    orphan = copy.execute("PRAGMA foreign_key_check").fetchone()
    if problems != ["ok"] or orphan is not None:
        problem = (
            sentence("rows of {table} refer to rows that do not exist", table=orphan[0])
            if orphan
            else problems[0]
        )
        raise _damaged(file, problem)
    foreign = copy.execute("SELECT name FROM sqlite_master WHERE type IN ('trigger', 'view')").fetchone()
    if foreign is not None:
        raise InvalidInput(
            sentence(
                "{file} contains '{name}', which is not from JudgeLab; use another backup.",
                file=file,
                name=foreign[0],
            )
        )


def schema_revision_of(copy: sqlite3.Connection) -> str:
    """Return the schema revision, or "" if the tables are not JudgeLab's."""
    try:
        row = copy.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.OperationalError:
        return ""
    return str(row[0]) if row else ""


def count_rows(copy: sqlite3.Connection, tables: Mapping[str, str]) -> dict[str, int]:
    """Return the number of rows of each table, by the given names."""
    return {
        word: copy.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0] for word, table in tables.items()
    }


def has_projects(place: Path) -> bool:
    """Return whether the database has projects, or cannot be read."""
    if not place.exists() or not place.stat().st_size:
        return False
    try:
        with open_read_only(place) as connection:
            return connection.execute("SELECT 1 FROM project LIMIT 1").fetchone() is not None
    except sqlite3.Error:
        return True


@contextmanager
def open_read_only(file: Path) -> Iterator[sqlite3.Connection]:
    """Yield a read-only connection."""
    with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        yield connection


def sqlite_path(url: str) -> Path:
    """Return the path in a SQLite URL."""
    name = url.removeprefix("sqlite:///")
    if name.startswith("file:"):
        raise InvalidInput(sentence("this command needs the database as sqlite:///FILE, not {url}.", url=url))
    return Path(name)


@contextmanager
def _connected(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file, timeout=LOCK_TIMEOUT_SECONDS, isolation_level=None)) as connection:
        yield connection


@contextmanager
def _exclusive(file: Path) -> Iterator[None]:
    """Hold an exclusive lock on a database; raises `StoreUnavailable` if another process has it open."""
    if not file.exists():
        yield
        return
    with closing(sqlite3.connect(file, timeout=RETRY_SECONDS, isolation_level=None)) as connection:
        try:
            # SQLite only leaves WAL mode if no other process has the file open.
            connection.execute("PRAGMA journal_mode=DELETE")
            connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error):
                raise
            raise StoreUnavailable(
                sentence(
                    "{place} is in use; stop `judgelab up` and all workers first, then restore again.",
                    place=file,
                )
            ) from None
        except sqlite3.DatabaseError:
            pass  # damaged, which is why it is replaced
        yield


@contextmanager
def _as_unavailable(file: Path) -> Iterator[None]:
    try:
        yield
    except (sqlite3.Error, OSError) as error:
        message = db_errors.message_for(f"sqlite:///{file}", str(error))
        if message is None and isinstance(error, sqlite3.Error):
            raise
        if message is None:
            message = sentence("can't write {place} ({what}).", place=file, what=str(error))
        raise (DiskFull if message == db_errors.FULL else StoreUnavailable)(message) from error


@contextmanager
def _sound(file: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.OperationalError:
        raise  # a problem of the target, not of the file: no space, no write permission
    except sqlite3.DatabaseError as error:
        raise _damaged(file, str(error)) from error


def _damaged(file: Path, what: str) -> InvalidInput:
    return InvalidInput(sentence("{file} is damaged ({what}); use another backup.", file=file, what=what))


def _keep(place: Path, name: Path) -> str:
    if not place.exists():
        return ""
    try:
        os.link(place, name)
    except OSError:  # a file system without links
        part = name.with_name(f"{name.name}.part")
        shutil.copy2(place, part)
        rename_durably(part, name)
    return str(name)


def _remove(file: Path) -> None:
    for end in ("", *SIDE_FILES):
        Path(f"{file}{end}").unlink(missing_ok=True)
