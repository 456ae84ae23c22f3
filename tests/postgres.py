"""A real PostgreSQL for tests: a throw-away cluster where the server programs exist, or a given server."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from judgelab.store.db.schema import open_store

MANY_ROWS = 2000  # deleted ones stay in the files, and later queries pass them


def _programs() -> Path | None:
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if programs:
        return programs[-1].parent
    on_path = shutil.which("initdb")
    return Path(on_path).resolve().parent if on_path else None


def _as_user() -> list[str]:
    # initdb and postgres refuse to run as root; Debian's package brings a user of that name.
    return ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _start(folder: Path, programs: Path, *, durable: bool) -> tuple[subprocess.Popen[bytes], str]:
    data = folder / "data"
    quiet = {"check": True, "capture_output": True, "cwd": folder}
    subprocess.run(
        [*_as_user(), programs / "initdb", "-D", data, "-U", "judgelab", "-A", "trust", "--no-sync"], **quiet
    )
    return _serve(folder, programs, port=_free_port(), durable=durable)


def _serve(folder: Path, programs: Path, *, port: int, durable: bool) -> tuple[subprocess.Popen[bytes], str]:
    data = folder / "data"
    fast = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum=off"]
    own = [] if durable else [word for setting in fast for word in ("-c", setting)]
    server = subprocess.Popen(
        [
            *_as_user(),
            programs / "postgres",
            *("-D", data, "-p", str(port), "-k", folder, "-h", "127.0.0.1"),
            *("-c", "max_connections=200", "-c", "jit=off"),
            *own,
        ],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return server, f"postgresql://judgelab@127.0.0.1:{port}"


def _wait(address: str) -> None:
    for _ in range(100):
        try:
            psycopg.connect(f"{address}/postgres", connect_timeout=1).close()
            return
        except psycopg.OperationalError as error:
            last = error
            subprocess.run(["sleep", "0.1"], check=True)
    raise RuntimeError(f"PostgreSQL did not start: {last}")


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL server, without a database name."""
    address = os.environ.get("JUDGELAB_TEST_POSTGRES_URL")
    if address:
        yield address.rstrip("/")
        return
    with _cluster() as cluster:
        yield cluster.address


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


class Cluster:
    """A throw-away PostgreSQL that can be restarted in place.

    Args:
        folder: for its files.
        programs: where PostgreSQL's programs lie.
        durable: whether what is committed is written through, as on a server that is used; else it is fast.
    """

    def __init__(self, folder: Path, programs: Path, *, durable: bool = False) -> None:
        self._folder, self._programs, self._durable = folder, programs, durable
        self._server, self.address = _start(folder, programs, durable=durable)
        self._ready()

    def stop(self) -> None:
        """End it as a restart does: connections are broken off, and what is committed is on disk."""
        # Not by a signal: `runuser` would keep it to itself.
        words = ["-D", self._folder / "data", "-m", "fast", "stop"]
        quiet = {"check": True, "capture_output": True, "cwd": self._folder}
        subprocess.run([*_as_user(), self._programs / "pg_ctl", *words], **quiet)
        self._server.wait(20)

    def kill(self) -> None:
        """End it as a crash does: all its processes at once with SIGKILL, and nothing is tidied up."""
        # The parent first: it would start its children anew. One whose disk is gone may have ended itself.
        for pid in (self._pid, *_children(self._pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._server.wait(20)

    def wait(self) -> None:
        """Wait until it takes connections."""
        _wait(self.address)

    def start(self) -> None:
        """Start it again at the same address; after a crash it reads what was committed from its log."""
        port = int(self.address.rpartition(":")[2])
        self._server, self.address = _serve(self._folder, self._programs, port=port, durable=self._durable)
        self._ready()

    def _ready(self) -> None:
        _wait(self.address)
        self._pid = int((self._folder / "data" / "postmaster.pid").read_text().split()[0])


@pytest.fixture
def own_cluster() -> Iterator[Cluster]:
    """A PostgreSQL of this test alone."""
    with _cluster() as cluster:
        yield cluster


@contextmanager
def _cluster(*, durable: bool = False, within: Path | None = None) -> Iterator[Cluster]:
    programs = _programs()
    if programs is None:
        from tests.conftest import unavailable

        unavailable("postgres", "PostgreSQL's server programs were not found")
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="judgelab-pg-", dir=within))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    cluster = Cluster(folder, programs, durable=durable)
    try:
        yield cluster
    finally:
        cluster.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def _migrated(postgres_server: str) -> Iterator[str]:
    """The name of a database of the newest schema, of which the others are copies."""
    with _database(postgres_server) as name:
        open_store(f"{postgres_server}/{name}").close()
        yield name


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of a PostgreSQL database without any table, dropped after the test."""
    with _database(postgres_server) as name:
        yield f"{postgres_server}/{name}"


@pytest.fixture(scope="session")
def _new_shape(postgres_server: str, _migrated: str) -> tuple[object, ...]:
    """What `_shape` says of a new database."""
    return _shape(f"{postgres_server}/{_migrated}")


@pytest.fixture(scope="session")
def _emptied(postgres_server: str) -> Iterator[list[str]]:
    """The names of databases of the newest schema, left by earlier tests and emptied again."""
    names: list[str] = []
    yield names
    for name in names:
        _drop(postgres_server, name)


@pytest.fixture
def migrated_postgres_url(
    postgres_server: str, _migrated: str, _new_shape: tuple[object, ...], _emptied: list[str]
) -> Iterator[str]:
    """The URL of an empty PostgreSQL database of the newest schema.

    Most tests write a few rows, and deleting these takes a tenth of the time of a new copy.
    """
    name = _emptied.pop() if _emptied else _create(postgres_server, template=_migrated)
    url = f"{postgres_server}/{name}"
    yield url
    if _shape(url) == _new_shape and _empty(url):
        _emptied.append(name)
    else:
        _drop(postgres_server, name)


@contextmanager
def _database(server: str) -> Iterator[str]:
    name = _create(server)
    yield name
    _drop(server, name)


def _create(server: str, *, template: str = "template0") -> str:
    name = f"test_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')  # type: ignore[call-overload]
    return name


def _drop(server: str, name: str) -> None:
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')  # type: ignore[call-overload]


def _shape(url: str) -> tuple[object, ...]:
    """Return the revision of a database, and a digest of all tables, indexes and columns in it."""
    named = "concat_ws(' ', relnamespace::regnamespace, relname, attname, atttypid)"
    with psycopg.connect(url, autocommit=True) as connection:
        (digest,) = connection.execute(
            f"SELECT md5(string_agg({named}, ',' ORDER BY relnamespace, relname, attname))"
            " FROM pg_class LEFT JOIN pg_attribute ON attrelid = pg_class.oid AND NOT attisdropped"
            " WHERE relnamespace::regnamespace::text !~ '^(pg_|information_schema)'"
        ).fetchall()
        (version_table,) = connection.execute("SELECT to_regclass('alembic_version')").fetchall()
        revision = (
            connection.execute("SELECT version_num FROM alembic_version").fetchall()
            if version_table[0]
            else []
        )
    return digest, revision


def _empty(url: str) -> bool:
    """Delete all rows; return whether they were few enough to leave no weight in the files."""
    deleted = 0
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        tables = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'"
        ).fetchall()
        filled = sql.SQL(" UNION ALL ").join(
            sql.SQL("SELECT {} WHERE EXISTS (SELECT FROM {})").format(name, sql.Identifier(name))
            for (name,) in tables
        )
        connection.execute("SET session_replication_role = replica")  # in any order
        for (name,) in connection.execute(filled).fetchall():
            deleted += connection.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(name))).rowcount
        connection.execute(
            "SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false)"
            " FROM pg_sequences WHERE last_value IS NOT NULL"
        )
    return deleted < MANY_ROWS
