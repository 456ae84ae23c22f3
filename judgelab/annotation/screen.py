"""The units on a rater's screen with what they entered so far, and the list of their own ratings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from judgelab.annotation import forms
from judgelab.annotation.forms.base import Submission
from judgelab.annotation.rating import unit_view
from judgelab.annotation.rating.session import RatingSession
from judgelab.annotation.rating.unit_view import UnitView
from judgelab.scales.error_spans import span_in_words
from judgelab.store.db.engine import Session
from judgelab.store.models import now
from judgelab.store.rating import assignments, ratings
from judgelab.store.rating.assignments import AssignedUnit
from judgelab.store.rating.ratings import AnswerText


@dataclass(frozen=True)
class QueueItem:
    """One unit as a rater sees it; `id` is that of the assignment and reveals nothing about the system.

    Attributes:
        answer: the response, for a unit of one.
        answers: the responses in the order shown, for a unit of several.
        scores: for one response, the person's scores so far by criterion key; None: cannot be judged.
        choices: for a pair, which response was preferred.
        places: for a list, the place of each response in the order shown.
        evidence: spans that the person marked, by criterion key.
        again: whether they rated it before and look at it again; it stays rated until changed.
        seconds_left: until the lease ends, if the screen sends nothing.
        question_answers: the person's answers so far to the questions beside the criteria, by key.
        practice: whether it belongs to the training round, which the person knows they are in.
    """

    id: int
    question: str
    context: str
    answer: str
    references: tuple[str, ...]
    scores: Mapping[str, float | None]
    comments: Mapping[str, str]
    flag: str
    again: bool
    answers: tuple[str, ...] = ()
    choices: Mapping[str, Mapping[str, Any]] | None = None
    places: Mapping[str, Sequence[int | None]] | None = None
    evidence: Mapping[str, Sequence[Mapping[str, Any]]] | None = None
    question_answers: Mapping[str, Any] | None = None
    practice: bool = False
    seconds_left: float = 0.0


@dataclass(frozen=True)
class OwnWork:
    """One unit that a person has rated.

    Attributes:
        unit_id: with which it can be reopened; None if the project no longer has a screen for it.
        answers: the responses in the order shown to them.
        values: scores, choices or places by criterion key, as the screen sends them.
        in_words: the same as text.
        question_answers: the answers to the questions beside the criteria, by key.
        marked: what they marked in the response, as text by criterion key.
    """

    unit_id: int | None
    question: str
    answers: tuple[str, ...]
    values: Mapping[str, Any]
    in_words: Mapping[str, str]
    comments: Mapping[str, str]
    flag: str
    at: datetime | None
    question_answers: Mapping[str, Any]
    marked: Mapping[str, str] = field(default_factory=dict)


def queue_items(
    session: Session, assigned: Sequence[AssignedUnit], rating_session: RatingSession
) -> list[QueueItem]:
    """Return the units as the screen shows them."""
    views = unit_view.load_views(session, assigned)
    form = forms.form_of_project(rating_session)
    texts = ratings.answer_texts(session, [response for view in views for response in view.responses])
    submissions = form.submissions(session, views, rating_session.person_id)
    return [_queue_item(view, texts, submissions[view.assignment.id], rating_session) for view in views]


def own_work(session: Session, rating_session: RatingSession) -> list[OwnWork]:
    """Return what the person rated in the project's form, latest first."""
    if rating_session.form == "pointwise":
        return [
            _own_rating(rating, rating_session)
            for rating in ratings.own_ratings(*_person_scope(session, rating_session))
        ]
    assigned = assignments.latest_finished(*_person_scope(session, rating_session))
    views = unit_view.load_views(
        session, [assignment for assignment in assigned if assignment.purpose in ("work", "gold")]
    )
    form = forms.form_of_project(rating_session)
    submissions = form.submissions(session, views, rating_session.person_id)
    texts = ratings.answer_texts(session, [response for view in views for response in view.responses])
    return [
        _own_unit(view, texts, submissions[view.assignment.id], rating_session)
        for view in views
        if submissions[view.assignment.id].values
    ]


def _queue_item(
    view: UnitView, texts: Mapping[int, AnswerText], submission: Submission, rating_session: RatingSession
) -> QueueItem:
    form = forms.form_of_project(rating_session)
    assignment, shown = view.assignment, [texts[response] for response in view.responses]
    first = shown[0]
    draft = assignment.draft if assignment.draft.get("form", form.name) == form.name else {}
    values = draft.get(form.field, submission.values)
    return QueueItem(
        id=assignment.id,
        question=first.question,
        context=first.context if rating_session.shows_context else "",
        answer="" if view.several else first.answer,
        references=first.references if rating_session.shows_references else (),
        scores=values if form.field == "scores" else {},
        comments=draft.get("comments", submission.comments),
        flag=assignment.flag or "",
        again=assignment.finished,
        answers=tuple(text.answer for text in shown) if view.several else (),
        choices=values if form.field == "choices" else None,
        places=values if form.field == "places" else None,
        evidence=draft.get("evidence", submission.evidence),
        question_answers=draft.get("question_answers", assignment.question_answers),
        practice=assignment.purpose == "training",
        seconds_left=max((assignment.lease_until - now()).total_seconds(), 0)
        if assignment.lease_until
        else 0.0,
    )


def _own_rating(rating: ratings.OwnRating, rating_session: RatingSession) -> OwnWork:
    return OwnWork(
        unit_id=rating.unit_id,
        question=rating.question,
        answers=(rating.answer,),
        values=rating.scores,
        in_words=_in_words(rating.scores, rating_session),
        comments=rating.comments,
        flag=rating.flag or "",
        at=rating.rated_at,
        question_answers=rating.question_answers,
        marked={key: "; ".join(map(span_in_words, spans)) for key, spans in rating.evidence.items()},
    )


def _own_unit(
    view: UnitView, texts: Mapping[int, AnswerText], submission: Submission, rating_session: RatingSession
) -> OwnWork:
    shown = [texts[response] for response in view.responses]
    return OwnWork(
        unit_id=view.unit.id,
        question=shown[0].question,
        answers=tuple(text.answer for text in shown),
        values=submission.values,
        in_words=_in_words(submission.values, rating_session),
        comments=submission.comments,
        flag=view.assignment.flag or "",
        at=view.assignment.finished_at,
        question_answers=view.assignment.question_answers,
    )


def _in_words(values: Mapping[str, Any], rating_session: RatingSession) -> dict[str, str]:
    form = forms.form_of_project(rating_session)
    return {key: form.in_words(rating_session, key, value) for key, value in values.items()}


def _person_scope(session: Session, rating_session: RatingSession) -> tuple[Session, int, int]:
    return session, rating_session.person_id, rating_session.project_id
