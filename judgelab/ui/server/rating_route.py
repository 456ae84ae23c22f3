"""The route that stores ratings without rerunning the page's script.

A rerun of the script costs about 30 ms of one core per rating; this costs a few (`design/rating.md`).
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections import OrderedDict
from typing import Any

import streamlit as st
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from judgelab.accounts import modes, permissions, signin
from judgelab.config import settings
from judgelab.errors import NotAllowed, NotFound, StoreUnavailable, UserError
from judgelab.languages import best_language, in_language
from judgelab.store.db.schema import shared_store
from judgelab.store.people.people import PersonInfo
from judgelab.ui.rater import work as rating_work
from judgelab.ui.rater.work import Memory
from judgelab.ui.server.origin import same_origin
from judgelab.ui.session import tokens

MOST_BYTES = 4_000_000
MOST_SCREENS = 500
AT_ONCE = 4  # storing threads: SQLite allows one writer, and more threads would only wait for it


class _Screens:
    """What each screen was last told, so that a large project is not recounted for every rating."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Memory] = OrderedDict()

    def memory_of(self, key: str) -> Memory:
        """Return this screen's memory; the least recently used ones are dropped."""
        with self._lock:
            memory = self._known.pop(key, None) or Memory()
            self._known[key] = memory
            while len(self._known) > MOST_SCREENS:
                self._known.popitem(last=False)
            return memory


_screens = _Screens()
_places = threading.BoundedSemaphore(AT_ONCE)


async def work(request: Request) -> Response:
    """Store a screen's operations and return what it shows next."""
    origin_known = request.headers.get("content-type", "").startswith("application/json")
    if not origin_known or not same_origin(request):
        return _refused("The request came from another site and was refused.", 403)
    payload = await _body(request)
    if payload is None:
        return _refused("The request is not a list of operations.", 400)
    cookie, token = request.cookies.get(signin.COOKIE), request.headers.get(tokens.HEADER)
    try:
        return JSONResponse(await asyncio.to_thread(_work, cookie, token, payload))
    except PermissionError as error:
        return _refused(str(error), 401)
    except (NotAllowed, NotFound) as error:
        return _refused(str(error), 403)
    except StoreUnavailable as error:
        return _refused(str(error), 503)
    except UserError as error:
        return _refused(str(error), 400)


def _work(cookie: str | None, token: str | None, payload: dict[str, Any]) -> dict[str, Any]:
    store = shared_store(settings().database_url)
    with _places:
        visitor, project = permissions.check_may_rate(
            store, cookie, str(payload.get("project")), sign_in=tokens.sign_in_of(token)
        )
        person_id = rater_of(visitor, payload.get("person"))
        memory = _screens.memory_of(rating_work.screen_key(person_id, project.id))
        with in_language(_language(payload.get("language"))):
            return rating_work.exchange(store, person_id, project, payload.get("ops"), memory)


def rater_of(visitor: PersonInfo, requested: object) -> int:
    """Return the id of the rater: the visitor's own, or one that a local owner chose."""
    chooses_rater = visitor.role == "owner" and modes.is_local(st.get_option("server.address"))
    if not isinstance(requested, int) or (requested != visitor.id and not chooses_rater):
        raise NotAllowed("you may only rate as yourself.")
    return requested


def _language(requested: object) -> str:
    """Return the screen's language, if it is supported."""
    return best_language([requested if isinstance(requested, str) else None])


async def _body(request: Request) -> dict[str, Any] | None:
    body = b""
    try:
        async for part in request.stream():
            body += part
            if len(body) > MOST_BYTES:
                return None
    except ClientDisconnect:  # the client left before sending everything and will not read the response
        return None
    try:
        payload = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return payload if isinstance(payload, dict) else None


def _refused(message: str, status: int) -> Response:
    return JSONResponse({"message": message}, status_code=status)
