"""Checks of the database and its disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from judgelab.config import Settings
from judgelab.doctor.findings import Finding, broken, look, ok
from judgelab.errors import UserError
from judgelab.store.db import backup_postgres, db_health
from judgelab.store.db.engine import Session, Store
from judgelab.store.db.own_files import readable_by_others
from judgelab.store.db.workers import SILENT_SECONDS
from judgelab.store.models.base import now

CHECKED_BYTES = 500_000_000  # a larger file takes long to read through
LARGE_LOG_BYTES = 256_000_000
SCARCE_BYTES, NEEDED_BYTES = 1_000_000_000, 100_000_000
NOT_MADE = " yet."  # ends what is said of a database without tables: nothing else can be examined then
SHARED_FILE_SYSTEMS = ("nfs", "cifs", "smb", "fuse.sshfs", "9p", "glusterfs", "ceph")


def examine(chosen: Settings) -> Iterator[Finding]:
    """Yield what is found of the database."""
    sqlite = chosen.database_url.startswith("sqlite:///")
    path = Path(chosen.database_url.removeprefix("sqlite:///"))
    named = sqlite and path.name and ":" not in path.name
    if named and not path.exists():
        yield look("schema", f"{path} does not exist{NOT_MADE}", "`judgelab up` makes it.")
        yield from _disk(path.absolute().parent, 0)
        return
    try:
        store = Store(chosen.database_url)
    except UserError as error:
        yield broken("schema", str(error))
        return
    try:
        yield from _open(store, path if named else None)
    finally:
        store.close()


def _open(store: Store, path: Path | None) -> Iterator[Finding]:
    try:
        with store.reading() as session:
            findings = [_schema(session)]
            findings += list(_sqlite(session, path) if store.is_sqlite else _postgres(session))
    except UserError as error:
        yield broken("schema", str(error))
        return
    yield from findings
    if findings[0].state == "broken":
        return
    try:
        db_health.try_write(store)
        yield ok("writing", "granted.")
    except UserError as error:
        yield broken("writing", str(error))


def _schema(session: Session) -> Finding:
    revision, head = db_health.revision(session), db_health.head_schema()
    if revision is None and db_health.is_empty(session):
        return look(
            "schema", f"the database is empty; it has no tables{NOT_MADE}", "`judgelab up` makes them."
        )
    if revision is None:
        return broken(
            "schema",
            "the database contains tables of another program.",
            "Set JUDGELAB_DATABASE_URL to another database.",
        )
    if revision == head:
        return ok("schema", f"{revision}, {db_health.size_in_bytes(session) / 1e6:,.1f} MB.")
    if revision in db_health.known_schemas():
        return look(
            "schema",
            f"{revision}, older than this JudgeLab's ({head}).",
            "The next start upgrades it; run `judgelab backup` first.",
        )
    return broken("schema", f"{revision}, newer than this JudgeLab supports.", "Install the newer version.")


def _sqlite(session: Session, path: Path | None) -> Iterator[Finding]:
    if path is None:
        return
    size = db_health.size_in_bytes(session)
    if size <= CHECKED_BYTES:
        wrong = db_health.find_damage(session)
        yield broken("file", f"damaged: {wrong}", "Restore a backup.") if wrong else ok("file", "sound.")
    yield _journal(session, path)
    yield _access(path)
    kind = _file_system(path.absolute().parent)
    if kind.startswith(SHARED_FILE_SYSTEMS):
        yield look(
            "file system",
            f"{path} is on {kind}, where SQLite's locks are not reliable.",
            "Use a local disk, or PostgreSQL.",
        )
    yield from _disk(path.absolute().parent, size)


def _journal(session: Session, path: Path) -> Finding:
    journal, log = db_health.journal_mode(session), Path(f"{path}-wal")
    if journal != "wal":
        return look(
            "journal",
            f"{journal} instead of wal: readers and writers block each other.",
            "Start JudgeLab.",
        )
    size = log.stat().st_size if log.exists() else 0
    if size > LARGE_LOG_BYTES:
        return look(
            "journal",
            f"the write-ahead log has grown to {size / 1e6:,.0f} MB: some program reads without end.",
            "Look for programs that keep the database open, such as a database browser.",
        )
    return ok("journal", "wal.")


def _access(path: Path) -> Finding:
    if readable_by_others(path):
        return look("access", f"other users of this machine can read {path}.", f"chmod go= {path}*")
    return ok("access", "other users of this machine cannot read the file.")


def _postgres(session: Session) -> Iterator[Finding]:
    apart = abs((db_health.server_time(session) - now()).total_seconds())
    if apart > SILENT_SECONDS / 2:
        yield broken(
            "clock",
            f"this machine and the database differ by {apart:z.0f} s: live workers look dead from here.",
            "Synchronise both clocks over the network (NTP).",
        )
    elif apart > 1:
        yield look(
            "clock",
            f"differs from the database's by {apart:z.1f} s.",
            "Synchronise the clocks over the network (NTP).",
        )
    else:
        yield ok("clock", "agrees with the database's.")
    used, most = db_health.count_connections(session)
    if used > 0.8 * most:
        yield look("connections", f"{used} of {most} are in use.", "Raise max_connections on the server.")
    else:
        yield ok("connections", f"{used} of {most} are in use.")
    yield _durability(db_health.disabled_durability(session))
    try:
        backup_postgres.find_program("pg_dump")
        yield ok("backup", "PostgreSQL's programs are installed on this machine.")
    except UserError as error:
        yield look("backup", str(error), "Or take backups on another machine.")


def _durability(off: Mapping[str, str]) -> Finding:
    if not off:
        return ok("durability", "the server waits until data are on disk.")
    takes = off.keys() - {"full_page_writes"}
    message = (
        "a power cut loses ratings that were reported as stored."
        if takes
        else "a power cut may damage the server's files, unless its disks write whole pages."
    )
    where = ", ".join(f"{name} by {source}" for name, source in off.items())
    return look(
        "durability", f"{' and '.join(off)} off: {message}", f"Turn it on where it was set ({where})."
    )


def _disk(folder: Path, size: int) -> Iterator[Finding]:
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        yield broken(
            "disk", f"{folder} is not a folder that this user can write to.", "Create it, or grant access."
        )
        return
    free = shutil.disk_usage(folder).free
    message = f"{free / 1e9:,.1f} GB are free in {folder}."
    if free < NEEDED_BYTES:
        yield broken("disk", message, "Free some space: when it is used up, nothing can be stored.")
    elif free < max(SCARCE_BYTES, 2 * size):
        yield look("disk", message, "A migration or a restore needs as much free space as the database uses.")
    else:
        yield ok("disk", message)


def _file_system(folder: Path) -> str:
    """Return the file system type of a folder; "" if the system does not report it."""
    try:
        lines = Path("/proc/mounts").read_text().splitlines()
    except OSError:
        return ""
    mounts = sorted((line.split()[1:3] for line in lines), key=lambda mount: -len(mount[0]))
    return next((kind for place, kind in mounts if folder.is_relative_to(place)), "")
