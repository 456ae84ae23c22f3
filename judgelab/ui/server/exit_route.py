"""The route of the exit questionnaire: a GET asks it or gives the completion code, a POST stores answers."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from html import escape

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from judgelab.accounts import permissions, signin
from judgelab.annotation.links.questions import IncompleteAnswers
from judgelab.crowd import exit_form
from judgelab.crowd.exit_form import ExitVisit
from judgelab.errors import NotAllowed
from judgelab.languages import _, best_language, in_language
from judgelab.ui.server import recruitment_pages
from judgelab.ui.server.origin import same_origin
from judgelab.ui.server.question_fields import draw_questions, submitted_answers
from judgelab.ui.server.route_pages import languages_of, page
from judgelab.ui.server.signing import form_values, opened_store, refuse_foreign

MOST_BYTES = 600_000  # of thirty long answers


async def exit_questions(request: Request) -> Response:
    """Answer in the person's own language or the study's."""
    store = await opened_store()
    cookie, slug = request.cookies.get(signin.COOKIE), request.path_params["project"]
    try:
        person, project = await asyncio.to_thread(permissions.check_may_rate, store, cookie, slug)
    except (PermissionError, NotAllowed):
        reason = _("This browser is not signed in to this study. Open the study from the platform again.")
        return recruitment_pages.refusal(reason)
    study_language = str(project.settings.get("language") or "")
    with in_language(best_language([person.language, study_language, *languages_of(request)])):
        visit = await asyncio.to_thread(exit_form.find_exit, store, person.id, project.id)
        if request.method != "POST":
            return _exit_page(visit)
        if not same_origin(request):
            return refuse_foreign()
        submitted = submitted_answers(visit.questions, await form_values(request, MOST_BYTES))
        try:
            await asyncio.to_thread(exit_form.answer_exit, store, person.id, project.id, submitted)
        except IncompleteAnswers as error:
            return _exit_page(visit, submitted, error.errors)
    return RedirectResponse(str(request.url), status_code=303)


def _exit_page(
    visit: ExitVisit,
    answers: Mapping[int, Sequence[str]] | None = None,
    problems: Mapping[int, str] | None = None,
) -> Response:
    if visit.questions:
        problems = problems or {}
        fields = draw_questions(visit.questions, answers or {}, problems)
        form = f'<form method="post">{fields}<button>{escape(_("Submit answers"))}</button></form>'
        text = _("You have rated everything. Please answer a few last questions.")
        return page(visit.project.name, text, more=form, long=True, status=422 if problems else 200)
    if visit.ending is None:
        return recruitment_pages.refusal(_("This page is available once your part in the study is over."))
    text = _("You have finished this study. Thank you for your work.")
    return page(visit.project.name, text, more=recruitment_pages.ending(visit.ending))
