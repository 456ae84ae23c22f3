"""The readiness route: whether this process can do its work, not only answer."""

from __future__ import annotations

import asyncio
import logging

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from judgelab.config import settings
from judgelab.errors import UserError
from judgelab.store.db import db_health
from judgelab.store.db.schema import shared_store

log = logging.getLogger("judgelab.app")
# Public, so without details such as paths: those are in the log.
DOWN = "the database cannot be used; see the log"
DAMAGED = "the database is damaged; see the log, and restore a backup with `judgelab restore`"
OTHER = "the database's schema does not match this JudgeLab"


async def ready(request: Request) -> Response:
    """Return 200 if the database is reachable, undamaged and has our schema; else 503 with the reason."""
    reason = await asyncio.to_thread(_reason)
    return JSONResponse({"ready": not reason, "reason": reason}, status_code=503 if reason else 200)


def _reason() -> str:
    try:
        current, wrong = db_health.check_readiness(shared_store(settings().database_url))
    except UserError as error:
        log.warning("not ready: %s", error)
        return OTHER if "schema" in str(error) else DOWN
    if not current:
        return OTHER
    if wrong:
        log.warning("not ready: the database is damaged: %s", wrong)
    return DAMAGED if wrong else ""


HEALTH = [Route("/readyz", ready)]
