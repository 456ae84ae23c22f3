"""The readiness route: whether this process can do its work, not only answer."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from functools import cache

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from judgelab.config import settings
from judgelab.errors import UserError
from judgelab.store.db import db_health
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import shared_store

log = logging.getLogger("judgelab.app")
# Public, so without details such as paths: those are in the log.
DOWN = "the database cannot be used; see the log"
DAMAGED = "the database is damaged; see the log, and restore a backup with `judgelab restore`"
OTHER = "the database's schema does not match this JudgeLab"
CHECK_AGAIN = 600.0  # seconds between two checks of a whole large file


class LargeFileCheck:
    """Checks of a SQLite file that takes too long to read at each request: one at a time, in a thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._checked_at: float | None = None
        self._damage = ""

    def damage(self, store: Store) -> str:
        """Return the damage that the last check found, or ""; start the next one if it is due.

        A damaged file is checked again at each request, so that a restored one is ready soon.
        """
        due = self._checked_at is None or self._damage or time.monotonic() - self._checked_at >= CHECK_AGAIN
        if due and self._lock.acquire(blocking=False):
            threading.Thread(target=self._check, args=(store,), name="large-file-check", daemon=True).start()
        return self._damage

    def _check(self, store: Store) -> None:
        try:
            self._damage = db_health.check_whole_file(store)
        except UserError as error:
            self._damage = str(error)
        finally:
            self._checked_at = time.monotonic()
            self._lock.release()


@cache
def large_file_check(database_url: str) -> LargeFileCheck:
    """Return this process's checks of a database."""
    return LargeFileCheck()


async def ready(request: Request) -> Response:
    """Return 200 if the database is reachable, undamaged and has our schema; else 503 with the reason."""
    reason = await asyncio.to_thread(_reason)
    return JSONResponse({"ready": not reason, "reason": reason}, status_code=503 if reason else 200)


def _reason() -> str:
    try:
        store = shared_store(settings().database_url)
        readiness = db_health.check_readiness(store)
    except UserError as error:
        log.warning("not ready: %s", error)
        return OTHER if "schema" in str(error) else DOWN
    if not readiness.is_current:
        return OTHER
    damage = large_file_check(store.url).damage(store) if readiness.is_large else readiness.damage
    if damage:
        log.warning("not ready: the database is damaged: %s", damage)
    return DAMAGED if damage else ""


HEALTH = [Route("/readyz", ready)]
