"""Which schemas there are, and which one a database has, told without loading what migrates.

Every start of the app, of a worker and of a command asks; a migration runs once in a release. Alembic takes a
tenth of a second to load, in each of these processes.
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
    """Return the revision of the tables that are there; None where there are none."""
    if not inspect(connection).has_table(_TABLE):
        return None
    found = connection.scalar(text(f"SELECT version_num FROM {_TABLE}"))
    return None if found is None else str(found)
