"""What every request passes through, from the outside in."""

from __future__ import annotations

from starlette.middleware import Middleware

from judgelab.ui import navigation
from judgelab.ui.ahead import LoadingAhead
from judgelab.ui.guest_route import OpenDoor
from judgelab.ui.headers import SecurityHeaders
from judgelab.ui.health import HEALTH
from judgelab.ui.known_pages import KnownPages
from judgelab.ui.routes import ROUTES
from judgelab.ui.tracing import RequestTrace
from judgelab.ui.upload_door import UploadDoor

OURS = [*HEALTH, *ROUTES]
MIDDLEWARE = [
    Middleware(RequestTrace, routes=OURS),
    Middleware(SecurityHeaders),
    Middleware(KnownPages, pages=navigation.ADDRESSES, routes=OURS),
    Middleware(OpenDoor),
    Middleware(UploadDoor),
    Middleware(LoadingAhead, asked_for=navigation.asked_for),
]
