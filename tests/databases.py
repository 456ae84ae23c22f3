"""Empty databases for tests: migrated once, then copied, because a migration takes longer than most tests."""

from __future__ import annotations

import tempfile
from functools import lru_cache
from pathlib import Path

from judgelab.store.schema import open_store


def new_sqlite(path: Path) -> str:
    """Put an empty database of the newest schema at `path`; return its URL."""
    path.write_bytes(_empty_sqlite())
    return f"sqlite:///{path}"


@lru_cache(maxsize=1)
def _empty_sqlite() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "empty.db"
        open_store(f"sqlite:///{path}").close()
        return path.read_bytes()
