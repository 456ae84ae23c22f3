"""The route of recruitment links: a GET describes the study and changes nothing, a POST joins or declines."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from judgelab.accounts import signin
from judgelab.annotation.links.questions import IncompleteAnswers
from judgelab.crowd import joining
from judgelab.crowd.joining import Arrival
from judgelab.errors import NotAllowed
from judgelab.languages import _, best_language, in_language
from judgelab.store.db.engine import Store
from judgelab.ui.server import recruitment_pages
from judgelab.ui.server.origin import address_of, same_origin
from judgelab.ui.server.question_fields import submitted_answers
from judgelab.ui.server.route_pages import languages_of
from judgelab.ui.server.signing import form_values, mark_unknown_link, opened_store, refuse_foreign, signed_in

PATH = "/study/{token}"
MOST_BYTES = 200_000  # of a background form


async def study(request: Request) -> Response:
    """Answer a recruitment link or its form in the study's language."""
    store, token = await opened_store(), request.path_params["token"]
    query = {name: request.query_params.getlist(name) for name in request.query_params}
    arrival = await asyncio.to_thread(joining.find_arrival, store, token, query)
    if arrival is None:
        mark_unknown_link(request)
        reason = _(
            "This isn't a valid study link. Check that you copied all of it, or ask the person who sent it."
        )
        return recruitment_pages.refusal(reason, status=404)
    study_language = str(arrival.project.settings.get("language") or "")
    with in_language(best_language([study_language, *languages_of(request)])):
        if request.method != "POST":
            return await _study_page(request, store, arrival)
        if not same_origin(request):
            return refuse_foreign()
        fields = await form_values(request, MOST_BYTES)
        if recruitment_pages.DECLINES in fields.get("consent", ()) and arrival.member is None:
            return recruitment_pages.declined(arrival.options)
        return await _join(request, store, token, query, arrival, fields)


async def _study_page(request: Request, store: Store, arrival: Arrival) -> Response:
    if arrival.refused is not None:
        return recruitment_pages.refusal(_(arrival.refused))
    visitor = await asyncio.to_thread(signin.whoami, store, request.cookies.get(signin.COOKIE))
    member = arrival.member
    someone_else = visitor is not None and (member is None or visitor.id != member.person_id)
    name = visitor.name if visitor is not None and someone_else else ""
    if member is not None:
        return recruitment_pages.welcome_back(arrival, signed_in=name)
    return recruitment_pages.invitation(arrival, signed_in=name)


async def _join(
    request: Request,
    store: Store,
    token: str,
    query: Mapping[str, list[str]],
    arrival: Arrival,
    fields: Mapping[str, list[str]],
) -> Response:
    entered = submitted_answers(arrival.options.fields, fields)
    answers = entered if recruitment_pages.AGREES in fields.get("consent", ()) else None
    try:
        joined = await asyncio.to_thread(
            joining.join, store, token, query, answers, address=address_of(request)
        )
    except IncompleteAnswers as error:
        return recruitment_pages.invitation(arrival, answers=entered, problems=error.errors)
    except NotAllowed as error:
        return recruitment_pages.refusal(_(error.args[0]))
    return await signed_in(request, store, joined.cookie, f"/rate?project={quote(joined.project)}")
