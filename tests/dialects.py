"""Compiled SQL that all test databases of a kind share.

Every engine compiles the statements it meets anew. A test has a database of its own, so that most of a test's
time would go into compiling what the test before had compiled. The app has one engine, and nothing of this.
"""

from __future__ import annotations

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import Dialect
from sqlalchemy.util import LRUCache

_dialects: dict[str, Dialect] = {}
_compiled: LRUCache[object, object] = LRUCache(5000)


@event.listens_for(Engine, "engine_connect")
def share(connection: Connection) -> None:
    """Let a connection use what connections of its kind have compiled before."""
    # A statement is found again by its dialect too, which is therefore the same object for all.
    connection.dialect = _dialects.setdefault(connection.dialect.name, connection.dialect)
    connection.execution_options(compiled_cache=_compiled)
