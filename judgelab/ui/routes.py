"""Our own routes beside Streamlit: links that sign in, signing in by name, signing out, health."""

from __future__ import annotations

import asyncio
from urllib.parse import parse_qs, quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from judgelab.accounts import by_password, signin
from judgelab.config import settings
from judgelab.errors import NotAllowed
from judgelab.store.engine import Store
from judgelab.store.invites import InviteInfo
from judgelab.store.schema import shared_store
from judgelab.ui import rating_route
from judgelab.ui.origin import is_https, same_origin
from judgelab.ui.route_pages import button, page, sign_in_form

MOST_BYTES = 10_000  # of a form: a name and a password
NEW_LINK = (
    "Ask whoever sent it for a new one; `judgelab up` prints the owner's at every start on this machine."
)
UNUSABLE = {
    "used": "It works once, and it was used.",
    "expired": "Its time is over.",
    "revoked": "It was taken back.",
}


async def invite(request: Request) -> Response:
    """Say on GET whom the link signs in, so that previews use nothing up; sign in on POST."""
    token, store = request.path_params["token"], await _store()
    if request.method == "POST" and not same_origin(request):
        return _foreign()
    found = await asyncio.to_thread(signin.look_up, store, token)
    if found is None or found.state != "open":
        why = UNUSABLE[found.state] if found else "It is not complete, or it never was one."
        return page("This link signs nobody in", f"{why} {NEW_LINK}", status=403)
    if request.method != "POST":
        return page("JudgeLab", await _offer(request, store, found), more=button("Open JudgeLab"))
    cookie = await asyncio.to_thread(signin.redeem, store, token)
    if cookie is None:  # between the look and this, somebody else used it or took it back
        return page("This link signs nobody in", f"{UNUSABLE['used']} {NEW_LINK}", status=403)
    where = f"/?project={quote(found.project)}" if found.project else "/"
    return await _signed_in(request, store, cookie, where)


async def sign_in(request: Request) -> Response:
    """Show the form on GET; sign in by name and password on POST."""
    if request.method != "POST":
        return sign_in_form()
    if not same_origin(request):
        return _foreign()
    fields = await _fields(request)
    store = await _store()
    name, password = fields.get("name", ""), fields.get("password", "")
    address = request.client.host if request.client else ""
    try:
        cookie = await asyncio.to_thread(by_password.sign_in, store, name, password, address=address)
    except NotAllowed as error:
        return sign_in_form(name=name, wrong=str(error), status=403)
    return await _signed_in(request, store, cookie, "/")


async def sign_out(request: Request) -> Response:
    """End the sign-in of this browser."""
    if not same_origin(request):
        return _foreign()
    await _end(request, await _store())
    answer = RedirectResponse("/", status_code=303)
    answer.delete_cookie(signin.COOKIE)
    return answer


async def health(request: Request) -> Response:
    """Say that the server answers."""
    return JSONResponse({"ok": True})


def set_cookie(request: Request, answer: Response, cookie: str) -> None:
    """Give the browser the cookie of its sign-in: out of reach of scripts and of other sites' forms."""
    answer.set_cookie(
        signin.COOKIE,
        cookie,
        httponly=True,
        samesite="lax",
        secure=is_https(request),
        max_age=int(signin.SIGN_IN_LIFETIME.total_seconds()),
    )


async def _store() -> Store:
    return await asyncio.to_thread(shared_store, settings().database_url)


async def _offer(request: Request, store: Store, found: InviteInfo) -> str:
    often = "It works once." if found.once else "Keep it: it works again on every device of yours."
    said = f"This link signs this browser in as {found.person}. {often}"
    there = await asyncio.to_thread(signin.whoami, store, request.cookies.get(signin.COOKIE))
    if there is not None and there.id != found.person_id:
        said += f" This browser is signed in as {there.name}, who will be signed out."
    return said


async def _signed_in(request: Request, store: Store, cookie: str, where: str) -> Response:
    await _end(request, store)  # nobody is left signed in behind the next person's back
    answer = RedirectResponse(where, status_code=303)
    set_cookie(request, answer, cookie)
    return answer


async def _end(request: Request, store: Store) -> None:
    before = request.cookies.get(signin.COOKIE)
    if before:
        await asyncio.to_thread(signin.sign_out, store, before)


async def _fields(request: Request) -> dict[str, str]:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            return {}
    sent = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
    return {name: values[0] for name, values in sent.items()}


def _foreign() -> Response:
    return page("Not from here", "The request came from another site and was refused.", status=403)


ROUTES = [
    Route("/invite/{token}", invite, methods=["GET", "POST"]),
    Route("/sign-in", sign_in, methods=["GET", "POST"]),
    Route("/sign-out", sign_out, methods=["POST"]),
    Route(rating_route.PATH, rating_route.work, methods=["POST"]),
    Route("/healthz", health),
]
