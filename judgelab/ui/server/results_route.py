"""A project's results for anybody with the link: read only, without sign-in, texts or raters' names."""

from __future__ import annotations

import asyncio
from functools import lru_cache

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from judgelab.accounts import sharing
from judgelab.config import settings
from judgelab.errors import InvalidInput
from judgelab.languages import _
from judgelab.runs.plan.code_version import code_version
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import shared_store
from judgelab.ui.server.route_pages import STILL, page
from judgelab.ui.server.signing import mark_unknown_link, opened_store

PATH = "/results/{token}"
KEPT = 16
HEADERS = {
    "Cache-Control": "private, no-store",
    "Content-Security-Policy": STILL,
    "X-Robots-Tag": "noindex",
}


async def results(request: Request) -> Response:
    """Return the results that the link is for; a revoked link is treated like an unknown one."""
    store = await opened_store()
    link = await asyncio.to_thread(sharing.find_open_share, store, request.path_params["token"])
    if link is None:
        mark_unknown_link(request)
        message = _("This link shows no results: it was revoked, has expired or is incomplete.")
        return page(_("No results here"), message, status=404)
    try:
        html = await asyncio.to_thread(_page, store, link.project)
    except InvalidInput:
        return page(_("No results yet"), _("This project has no ratings yet."))
    return HTMLResponse(html, headers=HEADERS)


def _page(store: Store, slug: str) -> str:
    from judgelab.analysis.data.scores import fingerprint  # imports statistics, so only on request

    return _kept(slug, fingerprint(store, slug), settings().database_url)


@lru_cache(maxsize=KEPT)
def _kept(slug: str, _version: str, url: str) -> str:
    """Return the page, computed once for each version of the data."""
    from judgelab.reporting.gathering import gather_facts, measure_judges
    from judgelab.reporting.results import results_page

    store = shared_store(url)
    facts = gather_facts(store, slug)
    return results_page(facts, measure_judges(store, facts), version=code_version())
