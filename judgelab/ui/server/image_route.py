"""The route of the images in a project's texts, for those who may see the project."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from judgelab.accounts import permissions, signin
from judgelab.ui.server.signing import opened_store
from judgelab.ui.session import tokens

# An address names its content, so a browser may keep it; a day, as rights may be taken back.
HEADERS = {"Cache-Control": "private, max-age=86400, immutable"}


async def image(request: Request) -> Response:
    """Return the image; to everybody who may not see it, as to all if there is none, "Not Found"."""
    store = await opened_store()
    cookie = request.cookies.get(signin.COOKIE)
    sign_in = tokens.sign_in_of(request.query_params.get(tokens.PARAMETER), use=tokens.IMAGES)
    slug, sha256 = request.path_params["project"], request.path_params["sha256"]
    found = await asyncio.to_thread(permissions.visible_image, store, cookie, slug, sha256, sign_in=sign_in)
    if found is None:
        return PlainTextResponse("Not Found", status_code=404)
    media_type, content = found
    return Response(content, media_type=media_type, headers=HEADERS)
