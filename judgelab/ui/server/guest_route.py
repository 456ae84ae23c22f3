"""The entry to a public demo: each visitor gets their own copy of the sample project."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from judgelab.accounts import sandboxes, signin
from judgelab.config import settings
from judgelab.errors import NotAllowed
from judgelab.languages import _, best_language, in_language
from judgelab.ui.kit.streamlit_internals import UPLOADS
from judgelab.ui.server.origin import address_of, same_origin
from judgelab.ui.server.route_pages import button, languages_of, page
from judgelab.ui.server.signing import opened_store, refuse_foreign, set_cookie

PATH = "/guest"
ADMISSION = sandboxes.GuestAdmission()


async def guest(request: Request) -> Response:
    """Describe the demo on GET, so that crawlers create nothing; create a sandbox on POST."""
    with in_language(best_language(languages_of(request))):
        if request.method == "POST" and not same_origin(request):
            return refuse_foreign()
        if not settings().public_demo:
            return PlainTextResponse("Not Found", status_code=404)
        if await _known(request):
            return RedirectResponse("/", status_code=303)
        if request.method != "POST":
            return page(
                _("Can an LLM judge replace human raters?"), _offer(), more=button(_("Start the tour"))
            )
        try:
            ADMISSION.admit(address_of(request))
            store = await opened_store()
            sandbox = await asyncio.to_thread(sandboxes.open_sandbox, store)
        except NotAllowed as error:
            return page("JudgeLab", _(error.args[0]), status=429)
    answer = RedirectResponse(f"/?project={quote(sandbox.project)}", status_code=303)
    set_cookie(request, answer, sandbox.cookie)
    return answer


class GuestRedirect:
    """ASGI middleware: redirects new visitors of a public demo to its entry, and refuses uploads there.

    Args:
        app: handles all other requests.
    """

    def __init__(self, app: Callable[[Scope, Receive, Send], Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or let the app answer it."""
        if scope["type"] == "http" and settings().public_demo:
            request = Request(scope)
            if UPLOADS in request.url.path and request.method != "OPTIONS":
                refused = PlainTextResponse("The open demo accepts no files.", status_code=403)
                await refused(scope, receive, send)
                return
            if request.url.path == "/" and not await _known(request):
                await RedirectResponse(PATH, status_code=303)(scope, receive, send)
                return
        await self.app(scope, receive, send)


async def _known(request: Request) -> bool:
    cookie = request.cookies.get(signin.COOKIE)
    if not cookie:
        return False
    return await asyncio.to_thread(signin.whoami, await opened_store(), cookie) is not None


def _offer() -> str:
    return _(
        "The tour takes five minutes: rate three responses, find two bad raters, watch a judge run, and see "
        "who disagrees. You get your own copy of a sample project, which is deleted after a day. "
        "Everything in it was written for the demo; no model is called. One cookie remembers where you "
        "are."
    )
