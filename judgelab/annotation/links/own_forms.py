"""The questions that raters are asked before and after their work: the project's, or their link's own.

Raters invited by name and raters of recruitment links get the same forms. A link with a form of its own asks
that instead of the project's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from judgelab.annotation.links import withdrawal
from judgelab.annotation.links.options import FINISHED_STATES, LinkOptions
from judgelab.annotation.links.questions import (
    FormQuestion,
    check_questions,
    questions_from_json,
    read_question,
    written_question,
)
from judgelab.annotation.rating.session import RatingSession
from judgelab.store.db.engine import Session
from judgelab.store.people import memberships, recruitment_links

ENTRY, EXIT = "entry_questions", "exit_questions"  # the names of the settings
SETTINGS = (ENTRY, EXIT)


def project_form(settings: Mapping[str, Any], name: str) -> tuple[FormQuestion, ...]:
    """Return one of the project's forms, `ENTRY` or `EXIT`."""
    return questions_from_json(settings.get(name) or ())


def read_form(lines: str) -> list[dict[str, Any]]:
    """Return a form as the settings store it, from one question on each line (`read_question`).

    Raises:
        InvalidInput: a question is not valid.
    """
    questions = [read_question(line) for line in lines.splitlines() if line.strip()]
    check_questions(questions)
    return [{**asdict(question), "choices": list(question.choices)} for question in questions]


def written_form(questions: Sequence[FormQuestion]) -> str:
    """Return the lines that `read_form` reads as these questions."""
    return "\n".join(map(written_question, questions))


def with_project_forms(options: LinkOptions, settings: Mapping[str, Any]) -> LinkOptions:
    """Return a link's options with the project's forms in place of those that the link does not have."""
    return replace(
        options,
        fields=options.fields or project_form(settings, ENTRY),
        exit_fields=options.exit_fields or project_form(settings, EXIT),
    )


def entry_questions(session: Session, rating_session: RatingSession) -> tuple[FormQuestion, ...]:
    """Return what a rater is still asked before their first unit; those of a link answered on joining."""
    if rating_session.link_id is not None or rating_session.state not in withdrawal.WORKING_STATES:
        return ()
    questions = project_form(rating_session.project.settings, ENTRY)
    if not questions or not _is_rater(session, rating_session):
        return ()
    scope = (session, rating_session.project_id, rating_session.person_id)
    return () if recruitment_links.answered_entry(*scope) else questions


def exit_questions(
    session: Session, rating_session: RatingSession, *, all_rated: bool
) -> tuple[FormQuestion, ...]:
    """Return what a rater is still asked after their work.

    Raters of a link have finished when their state says so, others when they have rated all that there is for
    them (`all_rated`) or were released.
    """
    link_id, settings = rating_session.link_id, rating_session.project.settings
    finished = rating_session.state in FINISHED_STATES
    if link_id is not None:
        questions = with_project_forms(withdrawal.link_options(session, link_id), settings).exit_fields
    else:
        questions = project_form(settings, EXIT)
        finished = finished or (all_rated and rating_session.state == "active")
    if not questions or not finished or not (link_id is not None or _is_rater(session, rating_session)):
        return ()
    scope = (session, rating_session.project_id, rating_session.person_id)
    return () if recruitment_links.answered_exit(*scope) else questions


def _is_rater(session: Session, rating_session: RatingSession) -> bool:
    """Return whether the person is a member with no more rights than a rater: others try the screen out."""
    roles = memberships.roles_in(session, rating_session.person_id, rating_session.project_id)
    return rating_session.joined_at is not None and roles == {"annotator"}
