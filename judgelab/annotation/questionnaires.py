"""The forms before and after a rater's work: what they are asked, and storing their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from judgelab.annotation.links import own_forms, withdrawal
from judgelab.annotation.links.options import Ending
from judgelab.annotation.links.questions import FormQuestion, read_answers
from judgelab.annotation.progress import load_progress
from judgelab.annotation.rating.session import open_rating_session
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.people import recruitment_links
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.rating import assignments

When = Literal["entry", "exit"]


@dataclass(frozen=True)
class FormVisit:
    """A person at the beginning or end of a study.

    Attributes:
        project: the project.
        questions: what they are still asked; empty if they answered or are not asked anything.
        ending: at the end, what a rater of a recruitment link gets now; None before they finished, while
            there are questions, and for raters invited by name.
        answered: whether they answered the exit questionnaire, or are not to be asked any more.
    """

    project: ProjectInfo
    questions: tuple[FormQuestion, ...]
    ending: Ending | None
    answered: bool


def find_form(store: Store, person_id: int, project_id: int, when: When) -> FormVisit:
    """Return what the person is asked before or after their work, or given at the end.

    Raises:
        NotAllowed: the person may not rate in the project.
    """
    with store.reading() as session:
        return _visit(session, person_id, project_id, when)


def answer_form(
    store: Store, person_id: int, project_id: int, when: When, submitted: Mapping[int, Sequence[str]]
) -> FormVisit:
    """Store the answers, by the question's position, and return what the person is asked or gets now.

    Answers are stored once: a form that is sent again changes nothing.

    Raises:
        IncompleteAnswers: an answer is missing or not valid; nothing is stored.
        NotAllowed: the person may not rate in the project.
    """
    with store.writing() as session:
        assignments.lock_project(session, project_id)
        visit = _visit(session, person_id, project_id, when)
        if not visit.questions:
            return visit
        answers = read_answers(visit.questions, submitted)
        values: dict[str, Any] = {"exit_answers": answers}
        if when == "entry":  # a question left empty is kept too: an empty form would be asked again
            values = {"background": {**{question.label: None for question in visit.questions}, **answers}}
        recruitment_links.save_enrolment(session, project_id, person_id, **values)
        return _visit(session, person_id, project_id, when)


def _visit(session: Session, person_id: int, project_id: int, when: When) -> FormVisit:
    rating_session = open_rating_session(session, person_id, project_id)
    answered = recruitment_links.answered_exit(session, project_id, person_id)
    if when == "entry":
        questions = own_forms.entry_questions(session, rating_session)
        return FormVisit(rating_session.project, questions, None, answered)
    all_rated = load_progress(session, rating_session, at=now()).all_rated
    questions = own_forms.exit_questions(session, rating_session, all_rated=all_rated)
    over = rating_session.state not in withdrawal.WORKING_STATES
    ending = withdrawal.ending_of(session, rating_session) if over and not questions else None
    return FormVisit(rating_session.project, questions, ending, answered)
