"""The routes of the forms before and after a rater's work: a GET asks, a POST stores answers.

After the work, a GET gives the completion code to whoever has one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from html import escape

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from judgelab.accounts import permissions, signin
from judgelab.annotation import questionnaires
from judgelab.annotation.links.questions import IncompleteAnswers
from judgelab.annotation.questionnaires import FormVisit, When
from judgelab.errors import NotAllowed
from judgelab.languages import _, best_language, in_language
from judgelab.ui.rater import address
from judgelab.ui.server import rating_route, recruitment_pages
from judgelab.ui.server.origin import same_origin
from judgelab.ui.server.question_fields import draw_questions, submitted_answers
from judgelab.ui.server.route_pages import languages_of, page
from judgelab.ui.server.signing import form_values, opened_store, refuse_foreign
from judgelab.ui.session import tokens
from judgelab.wording import mark

MOST_BYTES = 600_000  # of thirty long answers
ASKS = {
    "entry": mark("Before you start, please answer a few questions."),
    "exit": mark("You have rated everything. Please answer a few last questions."),
}


async def entry_questions(request: Request) -> Response:
    """Ask the questions before the work."""
    return await _answer(request, "entry")


async def exit_questions(request: Request) -> Response:
    """Ask the questions after the work, or give the completion code."""
    return await _answer(request, "exit")


async def _answer(request: Request, when: When) -> Response:
    """Answer in the person's own language or the study's."""
    store = await opened_store()
    cookie, slug = request.cookies.get(signin.COOKIE), request.path_params["project"]
    # A form is sent to the address that it was opened by, with the same token.
    token = request.query_params.get(tokens.PARAMETER, "")
    sign_in = tokens.sign_in_of(token, use=tokens.QUESTIONS)
    try:
        visitor, project = await asyncio.to_thread(
            permissions.check_may_rate, store, cookie, slug, sign_in=sign_in
        )
        person_id = rating_route.rater_of(visitor, _requested(request) or visitor.id)
        visit = await asyncio.to_thread(questionnaires.find_form, store, person_id, project.id, when)
    except (PermissionError, NotAllowed):
        reason = _(
            "This browser is not signed in to this study. Open the study again by the link that you got, or "
            "from the platform."
        )
        return recruitment_pages.refusal(reason)
    study_language = str(project.settings.get("language") or "")
    if sign_in is not None:
        tokens.issue(sign_in, held=token, use=tokens.QUESTIONS)  # its lifetime begins anew with the form
    back = address.rating_page(slug, _requested(request))
    with in_language(best_language([visitor.language, study_language, *languages_of(request)])):
        if request.method != "POST":
            return _page(visit, when, back)
        if not same_origin(request):
            return refuse_foreign()
        submitted = submitted_answers(visit.questions, await form_values(request, MOST_BYTES))
        try:
            await asyncio.to_thread(questionnaires.answer_form, store, person_id, project.id, when, submitted)
        except IncompleteAnswers as error:
            return _page(visit, when, back, submitted, error.errors)
    return RedirectResponse(back if when == "entry" else str(request.url), status_code=303)


def _requested(request: Request) -> int | None:
    """Return the rater that an owner on their own computer chose, if the address names one."""
    written = request.query_params.get(address.RATER, "")
    return int(written) if written.isascii() and written.isdigit() and len(written) < 19 else None


def _page(
    visit: FormVisit,
    when: When,
    back: str,
    answers: Mapping[int, Sequence[str]] | None = None,
    problems: Mapping[int, str] | None = None,
) -> Response:
    name = visit.project.name
    if visit.questions:
        problems = problems or {}
        fields = draw_questions(visit.questions, answers or {}, problems)
        form = f'<form method="post">{fields}<button>{escape(_("Submit answers"))}</button></form>'
        return page(name, _(ASKS[when]), more=form, long=True, status=422 if problems else 200)
    if when == "entry":
        return RedirectResponse(back, status_code=303)
    if visit.ending is not None:
        text = _("You have finished this study. Thank you for your work.")
        return page(name, text, more=recruitment_pages.ending(visit.ending))
    if visit.answered:
        link = f'<p><a class="button" href="{escape(back)}">{escape(_("Back to the study"))}</a></p>'
        return page(name, _("Your answers are stored. Thank you for your work."), more=link)
    return recruitment_pages.refusal(_("This page is available once your part in the study is over."))
