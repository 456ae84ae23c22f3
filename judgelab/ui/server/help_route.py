"""The documentation inside the app, open to everybody."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from judgelab.languages import _
from judgelab.ui.server import handbook
from judgelab.ui.server.route_pages import page

ROOT, PATH, INDEX = "/help", "/help/{name:path}", "index"


async def redirect_to_index(_request: Request) -> Response:
    """Redirect `/help` to `/help/`, so that the first page's relative links work."""
    return RedirectResponse(f"{ROOT}/", status_code=308)


async def read(request: Request) -> Response:
    """Return a page of the documentation, or one of its drawings."""
    name = request.path_params["name"] or INDEX
    if name not in handbook.files():
        return page(
            _("Page not found"), _("The documentation shipped with JudgeLab has no page here."), status=404
        )
    if name.endswith(".svg"):
        return Response(handbook.drawing(name), media_type="image/svg+xml")
    content = await asyncio.to_thread(handbook.handbook_page, name)
    return page(
        content.title, "", more=content.html + await asyncio.to_thread(handbook.contents, name), long=True
    )
