"""The middleware that every request passes through, from the outside in."""

from __future__ import annotations

from starlette.middleware import Middleware

from judgelab.ui.server.guest_route import GuestRedirect
from judgelab.ui.server.headers import SecurityHeaders
from judgelab.ui.server.health import HEALTH
from judgelab.ui.server.not_found import KnownPages
from judgelab.ui.server.preload import PagePreloader
from judgelab.ui.server.routes import ROUTES
from judgelab.ui.server.tracing import RequestTrace
from judgelab.ui.server.upload_limits import UploadLimits
from judgelab.ui.session import navigation

OURS = [*HEALTH, *ROUTES]
MIDDLEWARE = [
    Middleware(RequestTrace, routes=OURS),
    Middleware(SecurityHeaders),
    Middleware(KnownPages, pages=navigation.ADDRESSES, routes=OURS),
    Middleware(GuestRedirect),
    Middleware(UploadLimits),
    Middleware(PagePreloader, asked_for=navigation.script_for),
]
