"""An address at which there is no page: said so, in the reader's language, instead of opening another one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Sequence
from html import escape

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from judgelab.languages import _, best_of, speaking
from judgelab.ui.route_pages import languages_of, page

SIGNED_IN_ELSEWHERE = "oauth2callback"  # where an organisation's sign-in comes back; Streamlit answers it


class KnownPages:
    """ASGI middleware: answers 404 where Streamlit would open its first page and say that in English.

    Args:
        app: what answers otherwise.
        pages: the addresses of all pages, whoever may open them.
        routes: ours.
    """

    def __init__(
        self,
        app: Callable[[Scope, Receive, Send], Awaitable[None]],
        pages: Collection[str],
        routes: Sequence[Route],
    ) -> None:
        self.app, self._routes = app, tuple(routes)
        self._known = frozenset((*pages, "", SIGNED_IN_ELSEWHERE))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        if scope["type"] == "http" and self._nowhere(scope):
            await _nothing_here(Request(scope))(scope, receive, send)
        else:
            await self.app(scope, receive, send)

    def _nowhere(self, scope: Scope) -> bool:
        name = scope["path"].strip("/")
        if scope["method"] not in ("GET", "HEAD") or name in self._known:
            return False
        if "/" in name or "." in name or name.startswith("_"):  # files, and what Streamlit itself answers
            return False
        return all(route.matches(scope)[0] == Match.NONE for route in self._routes)


def _nothing_here(request: Request) -> Response:
    with speaking(best_of(languages_of(request))):
        return page(
            _("No such page"),
            _("“{name}” is no page of JudgeLab. Check the address.", name=request.url.path.strip("/")),
            more=f'<a class="button" href="/">{escape(_("Open JudgeLab"))}</a>',
            status=404,
        )
