"""Where the trials keep their data: files of SQLite, or databases of a PostgreSQL started for them."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import psycopg

from benchmarks.fault_trials.disks import cut, in_a_file, switch_on
from benchmarks.fault_trials.outcome import NotHere
from judgelab.store.db.schema import open_store
from tests import postgres
from tests.databases import new_sqlite

PATIENCE_SECONDS = 20.0
SERVER_MEGABYTES = 800  # a log of up to 80 MB, and some copies of an empty database


@dataclass(frozen=True)
class Databases:
    """Lends databases, each to one trial.

    Args:
        cluster: the PostgreSQL they lie in; None for files of SQLite.
    """

    cluster: postgres.Cluster | None = None

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Lend a folder."""
        with tempfile.TemporaryDirectory() as name:
            yield Path(name)

    def end(self, process: subprocess.Popen[bytes], _folder: Path) -> None:
        """End a process that works in a folder, at once."""
        process.kill()
        process.wait()

    def wait_for_rest(self, url: str) -> None:
        """Wait until the server is done with what it was given, as somebody does who starts the app again.

        Whoever asks before sees the tables that a restore commits just now, and none of their rows.
        """
        if self.cluster is None:
            return
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s"
        end = time.monotonic() + PATIENCE_SECONDS
        with psycopg.connect(f"{self.cluster.address}/postgres", autocommit=True) as connection:
            while connection.execute(query, (url.rpartition("/")[2],)).fetchall() != [(0,)]:
                if time.monotonic() > end:
                    raise NotHere("somebody stays connected to the database")
                time.sleep(0.05)

    @contextmanager
    def one(self, *, empty: bool = False) -> Iterator[str]:
        """Lend the URL of a database of the newest schema, or of one without any table."""
        with self.folder() as folder, self.within(folder, empty=empty) as url:
            yield url

    @contextmanager
    def within(self, folder: Path, *, empty: bool = False) -> Iterator[str]:
        """Lend such a database, in a folder where it is a file."""
        if self.cluster is None:
            path = folder / "x.db"
            yield f"sqlite:///{path}" if empty else new_sqlite(path)
            return
        name = postgres._create(self.cluster.address, template="template0" if empty else self._newest)
        yield f"{self.cluster.address}/{name}"
        postgres._drop(self.cluster.address, name)

    @cached_property
    def _newest(self) -> str:
        assert self.cluster is not None
        name = postgres._create(self.cluster.address)
        open_store(f"{self.cluster.address}/{name}").close()
        return name

    def need_files(self) -> None:
        """Raise `NotHere` unless these are files of SQLite."""
        if self.cluster is not None:
            raise NotHere("it is tried with SQLite alone")

    def need_server(self) -> postgres.Cluster:
        """Return the server; raises `NotHere` where there is none."""
        if self.cluster is None:
            raise NotHere("it takes --database postgres")
        return self.cluster


class OnDisks(Databases):
    """Files of SQLite, each on a small disk of its own; whoever works there ends because its power goes."""

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Lend such a disk."""
        with in_a_file() as folder:
            yield folder

    def end(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        """Cut the power, and switch it on again."""
        cut(folder)
        super().end(process, folder)
        switch_on(folder)


@dataclass(frozen=True)
class ServerOnADisk(Databases):
    """Databases of a PostgreSQL on a small disk of its own; whoever works there ends because its power goes.

    Args:
        cluster: the PostgreSQL.
        disk: where it and all files lie.
    """

    disk: Path = Path()

    @contextmanager
    def folder(self) -> Iterator[Path]:
        """Lend a folder of the disk."""
        with tempfile.TemporaryDirectory(dir=self.disk) as name:
            yield Path(name)

    def cut(self) -> None:
        """Cut the power."""
        cut(self.disk)

    def switch_on(self) -> None:
        """Switch the power on again, and let PostgreSQL read what had reached the disk."""
        cluster = self.need_server()
        cluster.kill()
        switch_on(self.disk)
        cluster.start()

    def end(self, process: subprocess.Popen[bytes], _folder: Path) -> None:
        """Cut the power, and switch it on again."""
        self.cut()
        super().end(process, _folder)
        self.switch_on()


@contextmanager
def server_on_a_disk() -> Iterator[ServerOnADisk]:
    """Start a PostgreSQL on a small disk of its own."""
    with in_a_file(SERVER_MEGABYTES) as disk, postgres._cluster(durable=True, within=disk) as cluster:
        subprocess.run(["sync", "--file-system", str(disk)], check=True)  # it is made without waiting for it
        yield ServerOnADisk(cluster, disk)


@contextmanager
def lent(kind: str) -> Iterator[Databases]:
    """Lend databases of a kind, `sqlite` or `postgres`; raises `NotHere`."""
    if kind == "sqlite":
        yield Databases()
        return
    if postgres._programs() is None:
        raise NotHere("PostgreSQL's server programs were not found")
    with postgres._cluster(durable=True) as cluster:
        yield Databases(cluster)
