"""The rating loop's use cases: what lies on a rater's screen, and what they did with it.

Everything that arrives is checked here: the person's right to rate, that the answer was given to them,
that each score fits its scale. An operation is stored in one transaction and named by its uid, so that a
screen may send it again until it hears that it was stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any, Literal

from judgelab.annotation import assignment, effects
from judgelab.annotation.operations import LASTING, read_operation
from judgelab.annotation.round import Round, open_round
from judgelab.errors import InvalidInput
from judgelab.store import assignments, ratings, tallies, units
from judgelab.store.assignments import Given
from judgelab.store.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.ratings import OwnRating

REFILL_BELOW = 3  # a screen that holds this many needs no transaction that writes


@dataclass(frozen=True)
class QueueItem:
    """One answer as a rater sees it; `id` names the assignment and says nothing about the system.

    Attributes:
        scores: the person's own scores so far, by criterion key: a draft, or those they gave before.
        again: whether they rated it before and look at it again; it stays rated until changed.
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


@dataclass(frozen=True)
class OpResult:
    """What became of one operation.

    Attributes:
        state: "stored" now, "repeated" when it was stored before, "refused" with the reason in `message`.
        surplus: whether a rating came after its lease was given away and filled; it is kept all the same.
        at: when it was stored.
    """

    state: Literal["stored", "repeated", "refused"]
    message: str = ""
    surplus: bool = False
    at: datetime | None = None


@dataclass(frozen=True)
class Progress:
    """How far a person is, and why there may be nothing for them now (see `tallies.Tally`)."""

    done: int
    total: int
    waiting: int
    complete: int
    passed: int
    skipped: int
    flagged: int
    answers: int
    seconds_per_answer: float | None
    saved_at: datetime | None


def next_items(store: Store, person_id: int, project_id: int, count: int = 5) -> list[QueueItem]:
    """Return the answers on the person's screen, filled up to `count` or a fair part when few are left.

    Raises:
        NotAllowed: the person may not rate in this project.
    """
    with store.reading() as session:
        round_ = open_round(session, person_id, project_id)
        given = assignments.held(session, person_id, project_id, at=now())
        if len(given) >= min(REFILL_BELOW, count):
            return _items(session, given, round_)
    with store.writing() as session:
        _fill(session, round_, count)
        given = assignments.held(session, person_id, project_id, at=now())
        return _items(session, given, round_)


def apply(store: Store, person_id: int, project_id: int, op: object) -> OpResult:
    """Store one operation of a screen and return what became of it; the same uid is stored once only.

    Raises:
        NotAllowed: the person may not rate in this project (any more).
        StoreUnavailable: nothing was stored; the screen should send it again.
    """
    try:
        operation = read_operation(op)
        with store.writing() as session:
            assignments.lock_project(session, project_id)
            round_ = open_round(session, person_id, project_id)
            if operation.kind in LASTING and _stored_before(session, operation.uid, person_id, project_id):
                return OpResult("repeated", at=now())
            surplus = effects.take_effect(session, round_, operation, at=now())
    except InvalidInput as error:
        return OpResult("refused", message=str(error))
    return OpResult("stored", surplus=surplus, at=now())


def progress(store: Store, person_id: int, project_id: int) -> Progress:
    """Return how far the person is: answers done, all that will be theirs, and their pace."""
    with store.reading() as session:
        round_ = open_round(session, person_id, project_id)
        tally = tallies.tally(session, person_id, project_id, k=round_.k, at=now())
        seconds = tallies.recent_seconds(session, person_id, project_id)
        saved = tallies.saved_at(session, person_id, project_id)
    return Progress(
        done=tally.done,
        total=tally.done + tally.left,
        waiting=tally.waiting,
        complete=tally.complete,
        passed=tally.passed,
        skipped=tally.skipped,
        flagged=tally.flagged,
        answers=tally.answers,
        seconds_per_answer=median(seconds) if seconds else None,
        saved_at=saved,
    )


def count_done(store: Store, person_id: int, project_id: int) -> int:
    """Return how many answers the person has rated; quicker than the whole `progress`."""
    with store.reading() as session:
        return tallies.done(session, person_id, project_id)


def last_rated(store: Store, person_id: int, project_id: int, *, count: int = 3) -> list[QueueItem]:
    """Return what the person rated last, newest first: a screen that was reloaded can still undo it."""
    with store.reading() as session:
        round_ = open_round(session, person_id, project_id)
        given = assignments.latest_finished(session, person_id, project_id, limit=count)
        return _items(session, given, round_)


def my_ratings(store: Store, person_id: int, project_id: int) -> list[OwnRating]:
    """Return the person's own ratings, latest first."""
    with store.reading() as session:
        open_round(session, person_id, project_id)
        return ratings.own_ratings(session, person_id, project_id)


def reopen(store: Store, person_id: int, project_id: int, response_id: int) -> None:
    """Put a response that the person rated before back on their screen, first; it stays rated.

    Raises:
        InvalidInput: the person has not rated it.
    """
    with store.writing() as session:
        assignments.lock_project(session, project_id)
        round_ = open_round(session, person_id, project_id)
        rated = {own.response_id for own in ratings.own_ratings(session, person_id, project_id)}
        if response_id not in rated:
            raise InvalidInput("only answers that you rated can be opened again.")
        unit_id = units.unit_of_response(session, response_id)
        if unit_id is None:
            raise InvalidInput("this answer is not rated by itself in this project.")
        given = assignments.find_by_unit(session, unit_id, person_id)
        if given is None:
            given = assignments.new_closed(session, unit_id, person_id, project_id)
        assignments.change(session, given.id, lease_until=round_.lease_end(now()))


def offer_again(store: Store, person_id: int, project_id: int) -> int:
    """Offer again what the person skipped twice; returns how many answers that are."""
    with store.writing() as session:
        open_round(session, person_id, project_id)
        return assignments.return_to(session, person_id, project_id)


def _fill(session: Session, round_: Round, count: int) -> None:
    project_id, person_id = round_.project.id, round_.person_id
    assignments.lock_project(session, project_id)
    at = now()  # after the lock: an older time would see leases that have run out since as alive
    given = assignments.held(session, person_id, project_id, at=at)
    if len(given) >= count:
        return
    shuffle = assignment.shuffle_of(person_id, project_id)
    found = assignments.open_answers(
        session,
        person_id,
        project_id,
        k=round_.k,
        order=shuffle.place,
        limit=assignment.ENOUGH,
        at=at,
    )
    few = len(found) < assignment.ENOUGH
    chosen = assignment.choose(
        [assignment.Candidate(*answer) for answer in found],
        wanted=count,
        k=round_.k,
        shuffle=shuffle,
        held=len(given),
        active=assignments.active_raters(session, project_id, at=at) if few else 1,
    )
    assignments.give(session, chosen, person_id, project_id, until=round_.lease_end(at))


def _stored_before(session: Session, uid: str, person_id: int, project_id: int) -> bool:
    author = ratings.author(session, uid, project_id)
    if author is not None and author != person_id:
        raise InvalidInput("the uid of an operation is used once only.")
    return author is not None


def _items(session: Session, given: list[Given], round_: Round) -> list[QueueItem]:
    infos = units.unit_infos(session, [one.unit_id for one in given])
    responses = [response for info in infos.values() for response in info.responses]
    texts = ratings.answer_texts(session, responses)
    scored = ratings.scores(session, responses, round_.person_id)
    found = [(one, infos[one.unit_id].responses[0]) for one in given if one.unit_id in infos]
    return [_item(one, texts[response], scored[response], round_) for one, response in found]


def _item(
    given: Given, text: ratings.AnswerText, scored: Mapping[str, ratings.Scored], round_: Round
) -> QueueItem:
    draft: Mapping[str, Any] = given.draft
    scores = {key: own.score for key, own in scored.items()} | dict(draft.get("scores", {}))
    comments = {key: own.comment for key, own in scored.items() if own.comment}
    return QueueItem(
        id=given.id,
        question=text.question,
        context=text.context if round_.shows_context else "",
        answer=text.answer,
        references=text.references if round_.shows_references else (),
        scores=scores,
        comments=comments | dict(draft.get("comments", {})),
        flag=given.flag or "",
        again=given.finished,
    )
