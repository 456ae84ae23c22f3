"""Find the known schema revisions and that of a database, without loading Alembic.

Every start of the app, a worker or a command needs this; a migration runs once per release. Alembic takes a
tenth of a second to load in each of these processes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from sqlalchemy import Connection, inspect, text

from judgelab.package_files import package_path

MIGRATIONS = package_path("migrations")
_TABLE = "alembic_version"
_NAMED = re.compile(
    r"""^(revision|down_revision)(?:\s*:[^=\n]+)?\s*=\s*(?:["'](\w+)["']|None)""", re.MULTILINE
)


class _Revisions(NamedTuple):
    known: frozenset[str]
    head: str | None


@lru_cache(maxsize=1)
def _revisions() -> _Revisions:
    scripts = (path.read_text(encoding="utf-8") for path in (MIGRATIONS / "versions").glob("[!.]*.py"))
    named = [names for script in scripts if "revision" in (names := dict(_NAMED.findall(script)))]
    known = frozenset(names["revision"] for names in named)
    (head,) = known - {names["down_revision"] for names in named}
    return _Revisions(known, head)


def head_schema() -> str | None:
    """Return the revision that this code works with."""
    return _revisions().head


def known_schemas() -> frozenset[str]:
    """Return all revisions that this code can upgrade from or works with."""
    return _revisions().known


def revision_of(connection: Connection) -> str | None:
    """Return the schema revision of the database; None if there are no tables."""
    if not inspect(connection).has_table(_TABLE):
        return None
    revision = connection.scalar(text(f"SELECT version_num FROM {_TABLE}"))
    return None if revision is None else str(revision)
