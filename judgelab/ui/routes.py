"""Our own routes beside Streamlit: the invite link, signing out, health."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from judgelab.accounts import signin
from judgelab.config import settings
from judgelab.store.schema import shared_store

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1"><title>JudgeLab</title>
<link rel="icon" href="/app/static/mark.svg"><style>
@font-face {{ font-family: "IBM Plex Sans"; font-weight: 100 700;
  src: url(/app/static/ibm-plex-sans-latin-wght-normal.woff2) format("woff2"); }}
:root {{ color-scheme: light dark; --paper: #FBFBF9; --ink: #1A2225; --accent: #0F5A6B; --on: #FFFFFF; }}
@media (prefers-color-scheme: dark) {{
  :root {{ --paper: #12181A; --ink: #E4E9E9; --accent: #6CBFD1; --on: #0B1214; }} }}
body {{ background: var(--paper); color: var(--ink); margin: 0; padding: 18vh 24px 0;
  font: 16px/1.6 "IBM Plex Sans", "Source Sans", sans-serif; }}
main {{ max-width: 34rem; margin: 0 auto; }} h1 {{ font-size: 1.5rem; font-weight: 600; margin: 0 0 .5rem; }}
button {{ font: inherit; font-weight: 600; color: var(--on); background: var(--accent); border: 0;
  border-radius: 4px; padding: .6rem 1.1rem; margin-top: 1rem; cursor: pointer; }}
button:focus-visible {{ outline: 2px solid var(--accent); outline-offset: 2px; }}
</style></head><body><main><h1>{title}</h1><p>{text}</p>{form}</main></body></html>"""
FORM = '<form method="post"><button autofocus>{label}</button></form>'


def _page(title: str, text: str, *, form: str = "", status: int = 200) -> HTMLResponse:
    return HTMLResponse(PAGE.format(title=title, text=text, form=form), status_code=status)


async def invite(request: Request) -> Response:
    """Show a button on GET, so that link previews use nothing up; sign in on POST."""
    if request.method != "POST":
        return _page(
            "JudgeLab",
            "This link signs this browser in. It works once.",
            form=FORM.format(label="Open JudgeLab"),
        )
    if not _same_origin(request):
        return _page("Not from here", "The request came from another site and was refused.", status=403)
    store = await asyncio.to_thread(shared_store, settings().database_url)
    cookie = await asyncio.to_thread(signin.redeem, store, request.path_params["token"])
    if cookie is None:
        return _page(
            "This link is used up",
            "It works once and for a limited time. `judgelab up` prints a new one at every start.",
            status=403,
        )
    answer = RedirectResponse("/", status_code=303)
    answer.set_cookie(
        signin.COOKIE,
        cookie,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
        max_age=int(signin.SIGN_IN_LIFETIME.total_seconds()),
    )
    return answer


async def sign_out(request: Request) -> Response:
    """End the sign-in of this browser."""
    if not _same_origin(request):
        return _page("Not from here", "The request came from another site and was refused.", status=403)
    cookie = request.cookies.get(signin.COOKIE)
    if cookie:
        store = await asyncio.to_thread(shared_store, settings().database_url)
        await asyncio.to_thread(signin.sign_out, store, cookie)
    answer = RedirectResponse("/", status_code=303)
    answer.delete_cookie(signin.COOKIE)
    return answer


async def health(request: Request) -> Response:
    """Say that the server answers."""
    return JSONResponse({"ok": True})


def _same_origin(request: Request) -> bool:
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host")


ROUTES = [
    Route("/invite/{token}", invite, methods=["GET", "POST"]),
    Route("/sign-out", sign_out, methods=["POST"]),
    Route("/healthz", health),
]
