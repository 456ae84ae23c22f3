"""Helpers of the routes that sign a browser in: the store, form fields, the cookie, link guessing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from urllib.parse import parse_qs

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from judgelab.accounts import link_rate_limit, signin
from judgelab.config import settings
from judgelab.languages import _
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import shared_store
from judgelab.ui.server.origin import address_of, is_https
from judgelab.ui.server.route_pages import page

Handler = Callable[[Request], Awaitable[Response]]


def limit_link_guesses(handler: Handler) -> Handler:
    """Make a route refuse unknown links from an address that has opened too many of them.

    Valid links keep working: they cannot be guessed, and many people may share an address.
    """

    @wraps(handler)
    async def answer(request: Request) -> Response:
        response = await handler(request)
        if not getattr(request.state, "unknown_link", False):
            return response
        store, address = await opened_store(), address_of(request)
        try:
            await asyncio.to_thread(link_rate_limit.check, store, address)
        except link_rate_limit.TooManyLinks as error:
            refused = page(_("Too many attempts"), _(error.args[0]), status=429)
            refused.headers["retry-after"] = str(error.seconds)
            return refused
        await asyncio.to_thread(link_rate_limit.record_bad_link, store, address)
        return response

    return answer


def mark_unknown_link(request: Request) -> None:
    """Mark the request as one for an unknown link, for `limit_link_guesses`."""
    request.state.unknown_link = True


async def opened_store() -> Store:
    """Return the database of this process."""
    return await asyncio.to_thread(shared_store, settings().database_url)


async def form_fields(request: Request, most_bytes: int) -> dict[str, str]:
    """Return a form's fields, with the first value of each; empty if the form is larger than allowed."""
    return {name: values[0] for name, values in (await form_values(request, most_bytes)).items()}


async def form_values(request: Request, most_bytes: int) -> dict[str, list[str]]:
    """Return a form's fields with all values of each; empty if the form is larger than allowed."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most_bytes:
            return {}
    return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)


async def signed_in(request: Request, store: Store, cookie: str, target: str) -> Response:
    """Sign the browser in and redirect it, ending the previous person's sign-in."""
    await end_sign_in(request, store)
    answer = RedirectResponse(target, status_code=303)
    set_cookie(request, answer, cookie)
    return answer


async def end_sign_in(request: Request, store: Store) -> None:
    """End this browser's sign-in, if it has one."""
    cookie = request.cookies.get(signin.COOKIE)
    if cookie:
        await asyncio.to_thread(signin.sign_out, store, cookie)


def set_cookie(request: Request, answer: Response, cookie: str) -> None:
    """Set the sign-in cookie, inaccessible to scripts and not sent with other sites' forms."""
    answer.set_cookie(
        signin.COOKIE,
        cookie,
        httponly=True,
        samesite="lax",
        secure=is_https(request),
        max_age=int(signin.SIGN_IN_LIFETIME.total_seconds()),
    )


def refuse_foreign() -> Response:
    """Return the response that refuses a request from another site."""
    return page(_("Request refused"), _("The request came from another site."), status=403)
