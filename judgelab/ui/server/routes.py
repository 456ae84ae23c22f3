"""Our own routes: sign-in by link or by name, signing out, health, and the routes of other modules."""

from __future__ import annotations

import asyncio
from functools import wraps
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from judgelab.accounts import password_sign_in, signin
from judgelab.errors import NotAllowed
from judgelab.languages import _, best_language, in_language
from judgelab.store.db.engine import Store
from judgelab.store.people.invites import InviteInfo
from judgelab.ui.rater import address, images
from judgelab.ui.server import (
    guest_route,
    help_route,
    image_route,
    questionnaire_route,
    rating_route,
    recruitment_route,
    results_route,
)
from judgelab.ui.server.origin import address_of, same_origin
from judgelab.ui.server.route_pages import button, languages_of, page, sign_in_form
from judgelab.ui.server.signing import (
    Handler,
    end_sign_in,
    form_fields,
    limit_link_guesses,
    mark_unknown_link,
    opened_store,
    refuse_foreign,
    signed_in,
)
from judgelab.wording import mark

MOST_BYTES = 10_000  # of the sign-in form
UNUSABLE = {
    "used": mark("It works only once and has been used."),
    "expired": mark("It has expired."),
    "revoked": mark("It was revoked."),
}
NEVER = mark("It is incomplete or not a sign-in link.")


def in_browser_language(handler: Handler) -> Handler:
    """Make a route answer in the browser's preferred language."""

    @wraps(handler)
    async def answer(request: Request) -> Response:
        with in_language(best_language(languages_of(request))):
            return await handler(request)

    return answer


@in_browser_language
@limit_link_guesses
async def invite(request: Request) -> Response:
    """Say on GET whom the link signs in, so that link previews do not use it up; sign in on POST."""
    token, store = request.path_params["token"], await opened_store()
    if request.method == "POST" and not same_origin(request):
        return refuse_foreign()
    invitation = await asyncio.to_thread(signin.find_invite, store, token)
    if invitation is None:
        mark_unknown_link(request)
    if invitation is None or invitation.state != "open":
        return _unusable(UNUSABLE[invitation.state] if invitation else NEVER)
    if request.method != "POST":
        return page("JudgeLab", await _offer(request, store, invitation), more=button(_("Open JudgeLab")))
    cookie = await asyncio.to_thread(signin.redeem, store, token)
    if cookie is None:  # used or revoked since it was looked up
        return _unusable(UNUSABLE["used"])
    target = f"/?project={quote(invitation.project)}" if invitation.project else "/"
    return await signed_in(request, store, cookie, target)


@in_browser_language
async def sign_in(request: Request) -> Response:
    """Return the form on GET; sign in by name and password on POST."""
    if request.method != "POST":
        return sign_in_form()
    if not same_origin(request):
        return refuse_foreign()
    fields = await form_fields(request, MOST_BYTES)
    store = await opened_store()
    name, password = fields.get("name", ""), fields.get("password", "")
    try:
        cookie = await asyncio.to_thread(
            password_sign_in.sign_in, store, name, password, address=address_of(request)
        )
    except NotAllowed as error:
        return sign_in_form(name=name, wrong=_(error.args[0]), status=403)
    return await signed_in(request, store, cookie, "/")


@in_browser_language
async def sign_out(request: Request) -> Response:
    """Sign this browser out."""
    if not same_origin(request):
        return refuse_foreign()
    await end_sign_in(request, await opened_store())
    answer = RedirectResponse("/", status_code=303)
    answer.delete_cookie(signin.COOKIE)
    return answer


async def health(request: Request) -> Response:
    """Say that the server answers."""
    return JSONResponse({"ok": True})


def _unusable(reason: str) -> Response:
    new_link = _(
        "{why} Ask the person who sent it for a new one; `judgelab up` prints the owner's link at every "
        "start.",
        why=_(reason),
    )
    return page(_("This link doesn't work"), new_link, status=403)


async def _offer(request: Request, store: Store, invitation: InviteInfo) -> str:
    if invitation.once:
        offer = _("This link signs this browser in as {name}. It works once.", name=invitation.person)
    else:
        offer = _(
            "This link signs this browser in as {name}. Keep it: you can use it again on all your devices.",
            name=invitation.person,
        )
    signed_in_person = await asyncio.to_thread(signin.whoami, store, request.cookies.get(signin.COOKIE))
    if signed_in_person is None or signed_in_person.id == invitation.person_id:
        return offer
    sign_out_note = _(
        "This browser is signed in as {name}. Continuing signs {name} out.", name=signed_in_person.name
    )
    return f"{offer} {sign_out_note}"


ROUTES = [
    Route("/invite/{token}", invite, methods=["GET", "POST"]),
    Route(results_route.PATH, in_browser_language(limit_link_guesses(results_route.results))),
    Route(
        recruitment_route.PATH,
        in_browser_language(limit_link_guesses(recruitment_route.study)),
        methods=["GET", "POST"],
    ),
    *(
        Route(path, in_browser_language(questions), methods=["GET", "POST"])
        for path, questions in (
            (address.ENTRY_PATH, questionnaire_route.entry_questions),
            (address.EXIT_PATH, questionnaire_route.exit_questions),
        )
    ),
    Route(help_route.ROOT, help_route.redirect_to_index),
    Route(help_route.PATH, in_browser_language(help_route.read)),
    Route(guest_route.PATH, guest_route.guest, methods=["GET", "POST"]),
    Route("/sign-in", sign_in, methods=["GET", "POST"]),
    Route("/sign-out", sign_out, methods=["POST"]),
    Route(address.PATH, rating_route.work, methods=["POST"]),
    Route(images.PATH, image_route.image),
    Route("/healthz", health),
]
