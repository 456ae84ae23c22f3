"""A database of any earlier schema keeps every row: upgraded where it is, and put back from a backup of then.

All tables that a schema has hold two rows: one with a value in every column, one with none where a column may
be empty. Row n belongs to row n of the other tables.
"""

from __future__ import annotations

import hashlib
import shutil
from copy import deepcopy
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    DateTime,
    Engine,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    create_engine,
)

from judgelab.store.db import backup
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from tests.store.test_upgrade import ROOT, made_at

Tables = dict[str, list[dict[str, Any]]]

_config = Config()
_config.set_main_option("script_location", str(ROOT / "migrations"))
SCRIPTS = [*ScriptDirectory.from_config(_config).walk_revisions()][::-1]
EARLIER = [script.revision for script in SCRIPTS][:-1]
SAMPLE = [EARLIER[0], EARLIER[len(EARLIER) // 2], EARLIER[-1]]

# Words that migrations look for, so that those that change values on purpose find some.
SAID = {("person", "role"): "annotator", ("judge", "protocol"): "role_panel"}

RELEASED = {
    "0001": "ef70275c52d5aafc",
    "0002": "096530359b023aae",
    "0003": "5a6c8f98a65ee24c",
    "0004": "940e07561a40a231",
    "0005": "4361b696ac0d8ae9",
    "0006": "76d28fbbe68c5988",
    "0007": "d364f454fb29589f",
    "0008": "b54b48c3c010754c",
    "0009": "4683487387a97ee5",
    "0010": "20796eb410e95e22",
    "0011": "266004a77a30760a",
    "0012": "af38089d8752a4d3",
    "0013": "5fe08884fba1d2d4",
    "0014": "95f7d60f56bee98a",
    "0015": "50b422922cd2ed95",
    "0016": "7a0affa0a2626e5a",
    "0017": "887369c7cf50f5cf",
    "0018": "5ca94c9cd050f5fc",
    "0019": "d7cb8480cc231335",
    "0020": "3b3285cf370cf02b",
    "0021": "12892fdce044be78",
    "0022": "b44d148e9535728a",
    "0023": "3133b2bf4e9c95d5",
    "0024": "e37c67d4c5870375",
}


def test_a_migration_on_main_stays_as_it_is() -> None:
    # A database that has passed one would never get what is written into it afterwards.
    digests = {
        script.revision: hashlib.sha256(Path(script.path).read_bytes()).hexdigest()[:16] for script in SCRIPTS
    }
    assert digests == RELEASED, "write the next migration; add a new one to RELEASED when it comes to main"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an empty database of each earlier schema, each made of the one before."""
    folder = tmp_path_factory.mktemp("schemas")
    for before, revision in zip([None, *EARLIER], EARLIER, strict=False):
        file = folder / f"{revision}.db"
        if before:
            shutil.copy(folder / f"{before}.db", file)
        made_at(f"sqlite:///{file}", revision, ())
    return folder


@pytest.mark.parametrize("revision", EARLIER)
def test_every_row_of_an_earlier_schema_is_there_after_the_upgrade_on_sqlite(
    files: Path, tmp_path: Path, revision: str
) -> None:
    url = f"sqlite:///{shutil.copy(files / f'{revision}.db', tmp_path / 'old.db')}"
    before = filled(url)
    open_store(url).close()
    compare(before, held(url), revision)


@pytest.mark.postgres
@pytest.mark.parametrize("revision", SAMPLE)
def test_every_row_of_an_earlier_schema_is_there_after_the_upgrade_on_postgresql(
    postgres_url: str, revision: str
) -> None:
    url = by_psycopg(postgres_url)
    made_at(url, revision, ())
    before = filled(url)
    open_store(url).close()
    compare(before, held(url), revision)


@pytest.mark.parametrize("revision", EARLIER)
def test_a_backup_of_an_earlier_schema_is_put_back_with_every_row_on_sqlite(
    files: Path, tmp_path: Path, revision: str
) -> None:
    url = f"sqlite:///{shutil.copy(files / f'{revision}.db', tmp_path / 'old.db')}"
    new, engine = (f"sqlite:///{tmp_path / name}" for name in ("new.db", "engine.db"))
    put_back(url, new, engine, revision, tmp_path / "copy")


@pytest.mark.postgres
@pytest.mark.parametrize("revision", SAMPLE)
def test_a_backup_of_an_earlier_schema_is_put_back_with_every_row_on_postgresql(
    postgres_url: str, migrated_postgres_url: str, tmp_path: Path, revision: str
) -> None:
    url, new = by_psycopg(postgres_url), by_psycopg(migrated_postgres_url)
    made_at(url, revision, ())
    put_back(url, new, new, revision, tmp_path / "copy")


def put_back(url: str, new: str, engine_url: str, revision: str, file: Path) -> None:
    before = filled(url)
    store = Store(url)
    backup.save(store, file)
    store.close()
    assert backup.restore(new, engine_url, file).schema == revision
    after = held(new)
    # What a restore voids or forgets: sign-ins, one-time links, signs of life.
    assert all(row["revoked_at"] for row in after["session"])
    for table in ("session", "invite"):
        for row in (*before[table], *after[table]):
            del row["revoked_at"]
    compare({**before, "worker": []}, after, revision)


def by_psycopg(url: str) -> str:
    return url.replace("postgresql://", "postgresql+psycopg://")


def filled(url: str) -> Tables:
    """Fill all tables of a database; return what they hold."""
    engine = create_engine(url)
    with engine.begin() as connection:
        for table in _reflected(engine).sorted_tables:
            rows = [{column.name: _value(column, n) for column in table.columns} for n in (1, 2)]
            connection.execute(table.insert(), rows)
    engine.dispose()
    stored_rows = held(url)
    assert {len(rows) for rows in stored_rows.values()} == {2}
    return stored_rows


def held(url: str) -> Tables:
    """Return all rows of all our tables."""
    engine = create_engine(url)
    metadata = _reflected(engine)
    with engine.connect() as connection:
        rows_by_table = {
            table.name: [dict(row) for row in connection.execute(table.select()).mappings()]
            for table in metadata.sorted_tables
        }
    engine.dispose()
    return rows_by_table


def compare(before: Tables, after: Tables, revision: str) -> None:
    """Every row is there, with the same value in each column; what migrations change on purpose excepted."""
    expected = on_purpose(before, after, revision)
    for table, rows in expected.items():
        rows_after = [{column: row[column] for column in rows[0]} if rows else row for row in after[table]]
        assert sorted(rows_after, key=repr) == sorted(rows, key=repr), table


def on_purpose(before: Tables, after: Tables, revision: str) -> Tables:
    """Return the rows of before as later migrations mean them to be."""
    expected = deepcopy(before)
    if revision < "0002":
        # Who may rate says the membership, and work is given out in units, each of one response so far.
        for row in expected["person"]:
            row["role"] = ""
        unit_of = {unit["response_id"]: unit["id"] for unit in after["unit"]}
        for row in (*expected["assignment"], *expected["rating_event"]):
            row["unit_id"] = unit_of[row.pop("response_id")]
    if revision < "0009":
        # The roles that were there have become the panel `roles`.
        for row in expected["judge"]:
            row["options"]["roles"] = "roles"
    if "embedding" in expected and revision < "0010":
        # Vectors are made again when they are needed: nobody had noted for whom they were kept.
        expected["embedding"] = []
    return expected


def _reflected(engine: Engine) -> MetaData:
    metadata = MetaData()
    metadata.reflect(engine, only=lambda name, _: name != "alembic_version")
    return metadata


def _value(column: Column[Any], n: int) -> Any:
    if n == 2 and column.nullable:
        return None
    for key in column.foreign_keys:
        return _value(key.column, n)
    kind = column.type
    if isinstance(kind, Boolean):
        return n == 1
    if isinstance(kind, Integer):
        return n
    if isinstance(kind, Float):
        return n + 0.25
    if isinstance(kind, DateTime):
        return datetime(2026, 10, n, 9, 30, 15, 250)
    if isinstance(kind, JSON):
        return {"k": [n, "é", None]}
    if isinstance(kind, LargeBinary):
        return bytes([0, 255, n])
    return SAID.get((column.table.name, column.name), f"{column.name} {n}, é")
