"""The exit questionnaire of a recruitment link, which raters answer before they get the completion code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judgelab.annotation.links import withdrawal
from judgelab.annotation.links.options import Ending
from judgelab.annotation.links.questions import FormQuestion, read_answers
from judgelab.annotation.rating.session import open_rating_session
from judgelab.store.db.engine import Session, Store
from judgelab.store.people import recruitment_links
from judgelab.store.projects.projects import ProjectInfo
from judgelab.store.rating import assignments


@dataclass(frozen=True)
class ExitVisit:
    """A person at the end of a study.

    Attributes:
        project: the project.
        questions: what they are still asked; empty if they answered or are not asked anything.
        ending: what they get now; None before they finished, and while there are questions.
    """

    project: ProjectInfo
    questions: tuple[FormQuestion, ...]
    ending: Ending | None


def find_exit(store: Store, person_id: int, project_id: int) -> ExitVisit:
    """Return what the person is asked or given at the end of this project.

    Raises:
        NotAllowed: the person may not rate in the project.
    """
    with store.reading() as session:
        return _visit(session, person_id, project_id)


def answer_exit(
    store: Store, person_id: int, project_id: int, submitted: Mapping[int, Sequence[str]]
) -> ExitVisit:
    """Store the answers, by the question's position, and return what the person gets now.

    Answers are stored once: a form that is sent again changes nothing.

    Raises:
        IncompleteAnswers: an answer is missing or not valid; nothing is stored.
        NotAllowed: the person may not rate in the project.
    """
    with store.writing() as session:
        assignments.lock_project(session, project_id)
        visit = _visit(session, person_id, project_id)
        if not visit.questions:
            return visit
        answers = read_answers(visit.questions, submitted)
        recruitment_links.save_enrolment(session, project_id, person_id, exit_answers=answers)
        return _visit(session, person_id, project_id)


def _visit(session: Session, person_id: int, project_id: int) -> ExitVisit:
    rating_session = open_rating_session(session, person_id, project_id)
    questions = withdrawal.exit_questions(session, rating_session)
    over = rating_session.state not in withdrawal.WORKING_STATES
    ending = withdrawal.ending_of(session, rating_session) if over and not questions else None
    return ExitVisit(rating_session.project, questions, ending)
