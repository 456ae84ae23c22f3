"""One unit as a rater's screen shows it, with what they said so far; and their own work to read over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from judgelab.annotation import forms
from judgelab.annotation.forms.base import Submission
from judgelab.annotation.rating import unit_view
from judgelab.annotation.rating.session import RatingSession
from judgelab.annotation.rating.unit_view import UnitView
from judgelab.store.db.engine import Session
from judgelab.store.models import now
from judgelab.store.rating import assignments, ratings
from judgelab.store.rating.assignments import AssignedUnit
from judgelab.store.rating.ratings import AnswerText


@dataclass(frozen=True)
class QueueItem:
    """One unit as a rater sees it; `id` names the assignment and says nothing about the system.

    Attributes:
        answer: the response, where there is one.
        answers: the responses in the order shown, where there are several.
        scores: for one response, the person's own scores so far by criterion key; None: cannot be judged.
        choices: for a pair, which was preferred.
        places: for a list, the place of each response in the order shown.
        evidence: spans that the person marked, by criterion key.
        again: whether they rated it before and look at it again; it stays rated until changed.
        seconds_left: how long it stays on the screen without a sign of life.
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
    practice: bool = False
    seconds_left: float = 0.0


@dataclass(frozen=True)
class OwnWork:
    """One unit that a person has judged.

    Attributes:
        unit_id: what opens it again; None when the project has no screen for it any more.
        answers: the responses in the order shown to them.
        values: what they said by criterion key, in the words of the screen.
        said: the same for reading.
    """

    unit_id: int | None
    question: str
    answers: tuple[str, ...]
    values: Mapping[str, Any]
    said: Mapping[str, str]
    comments: Mapping[str, str]
    flag: str
    at: datetime | None


def queue_items(session: Session, given: Sequence[AssignedUnit], round_: RatingSession) -> list[QueueItem]:
    """Return the units as the screen shows them."""
    laid = unit_view.load_views(session, given)
    form = forms.form_of_project(round_)
    texts = ratings.answer_texts(session, [response for one in laid for response in one.responses])
    said = form.said(session, laid, round_.person_id)
    return [_queue_item(one, texts, said[one.given.id], round_) for one in laid]


def own_work(session: Session, round_: RatingSession) -> list[OwnWork]:
    """Return what the person judged in the project's form, latest first."""
    if round_.form == "pointwise":
        return [_own_rating(own, round_) for own in ratings.own_ratings(*_person_scope(session, round_))]
    given = assignments.latest_finished(*_person_scope(session, round_))
    laid = unit_view.load_views(session, [one for one in given if one.purpose in ("work", "gold")])
    form = forms.form_of_project(round_)
    said = form.said(session, laid, round_.person_id)
    texts = ratings.answer_texts(session, [response for one in laid for response in one.responses])
    return [_own_unit(one, texts, said[one.given.id], round_) for one in laid if said[one.given.id].values]


def _queue_item(
    laid: UnitView, texts: Mapping[int, AnswerText], said: Submission, round_: RatingSession
) -> QueueItem:
    form = forms.form_of_project(round_)
    given, shown = laid.given, [texts[response] for response in laid.responses]
    first = shown[0]
    draft = given.draft if given.draft.get("form", form.name) == form.name else {}
    values = {**said.values, **draft.get(form.field, {})}
    return QueueItem(
        id=given.id,
        question=first.question,
        context=first.context if round_.shows_context else "",
        answer="" if laid.several else first.answer,
        references=first.references if round_.shows_references else (),
        scores=values if form.field == "scores" else {},
        comments={**said.comments, **draft.get("comments", {})},
        flag=given.flag or "",
        again=given.finished,
        answers=tuple(one.answer for one in shown) if laid.several else (),
        choices=values if form.field == "choices" else None,
        places=values if form.field == "places" else None,
        evidence={**said.evidence, **draft.get("evidence", {})},
        practice=given.purpose == "training",
        seconds_left=max((given.lease_until - now()).total_seconds(), 0) if given.lease_until else 0.0,
    )


def _own_rating(own: ratings.OwnRating, round_: RatingSession) -> OwnWork:
    return OwnWork(
        unit_id=own.unit_id,
        question=own.question,
        answers=(own.answer,),
        values=own.scores,
        said=_in_words(own.scores, round_),
        comments=own.comments,
        flag=own.flag or "",
        at=own.rated_at,
    )


def _own_unit(
    laid: UnitView, texts: Mapping[int, AnswerText], said: Submission, round_: RatingSession
) -> OwnWork:
    shown = [texts[response] for response in laid.responses]
    return OwnWork(
        unit_id=laid.unit.id,
        question=shown[0].question,
        answers=tuple(one.answer for one in shown),
        values=said.values,
        said=_in_words(said.values, round_),
        comments=said.comments,
        flag=laid.given.flag or "",
        at=laid.given.finished_at,
    )


def _in_words(values: Mapping[str, Any], round_: RatingSession) -> dict[str, str]:
    form = forms.form_of_project(round_)
    return {key: form.in_words(round_, key, value) for key, value in values.items()}


def _person_scope(session: Session, round_: RatingSession) -> tuple[Session, int, int]:
    return session, round_.person_id, round_.project.id
