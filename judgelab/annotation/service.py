"""The use cases of rating: what a rater's screen shows, and storing what they do with it.

Everything that arrives is checked: that the person may rate, that the unit was assigned to them, that each
score fits its scale. An operation is stored in one transaction under its uid, so that a screen can send it
again until it hears that it was stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from judgelab.annotation import apply_operation, screen
from judgelab.annotation.assign import assigning, qualification
from judgelab.annotation.assign.candidate_cache import CandidateCache
from judgelab.annotation.assign.qualification import Feedback
from judgelab.annotation.links import own_forms, withdrawal
from judgelab.annotation.progress import Progress, load_progress
from judgelab.annotation.rating import unit_view
from judgelab.annotation.rating.operations import RECORDED, Operation, read_operation
from judgelab.annotation.rating.session import RatingSession, open_rating_session
from judgelab.annotation.screen import OwnWork, QueueItem
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.rating import assignments, messages, ratings
from judgelab.store.rating.messages import Thread
from judgelab.wording import sentence

REFILL_BELOW = 3  # a screen with this many units is not refilled, which saves a write transaction


@dataclass(frozen=True)
class OperationResult:
    """The result of one operation.

    Attributes:
        state: "stored" now, "repeated" if it was stored before, "refused" with the reason in `message`.
        surplus: whether a rating arrived after others had taken its place; it is stored all the same.
        at: when it was stored.
        feedback: what the rater is told, after a training unit or a check with feedback.
        counts_as_progress: whether it brought the person one unit further; practice does not count.
        seconds: the time of a rating, as it was stored.
    """

    state: Literal["stored", "repeated", "refused"]
    message: str = ""
    surplus: bool = False
    at: datetime | None = None
    feedback: Feedback | None = None
    counts_as_progress: bool = False
    seconds: float | None = None


@dataclass(frozen=True)
class ScreenUpdate:
    """The results of operations, and the units on the screen after them."""

    results: tuple[OperationResult, ...]
    queue: list[QueueItem]


def next_items(
    store: Store,
    person_id: int,
    project_id: int,
    count: int = 5,
    *,
    candidate_cache: CandidateCache | None = None,
) -> list[QueueItem]:
    """Return the units on the person's screen, filled up to `count` or a fair share when few are left.

    Args:
        store: the database.
        person_id: the rater.
        project_id: the project.
        count: how many units a full screen has.
        candidate_cache: what the screen's last search found.

    Whoever has to answer the questions before the work first is assigned nothing.

    Raises:
        NotAllowed: the person may not rate in this project.
    """
    with store.reading() as session:
        rating_session = open_rating_session(session, person_id, project_id)
        assigned = assignments.held_by_person(session, person_id, project_id, at=now())
        if len(assigned) >= min(REFILL_BELOW, count):
            return screen.queue_items(session, assigned, rating_session)
    with store.writing() as session:
        return _filled_queue(session, rating_session, count, candidate_cache or CandidateCache())


def apply_operations(
    store: Store,
    person_id: int,
    project_id: int,
    payloads: Sequence[object],
    *,
    count: int = 5,
    candidate_cache: CandidateCache | None = None,
) -> ScreenUpdate:
    """Store operations of a screen, in order, and return the units on it then, all in one transaction.

    If one is refused, each is stored in a transaction of its own, so that the others are not lost.

    Raises:
        NotAllowed: the person may not rate in this project (any more).
        StoreUnavailable: nothing was stored; the screen should send it again.
    """
    candidate_cache = candidate_cache or CandidateCache()
    try:
        operations = [read_operation(payload) for payload in payloads]
        with store.writing() as session:
            assignments.lock_project(session, project_id)
            rating_session, results = _apply_in_order(session, person_id, project_id, operations)
            assigned = assignments.held_by_person(session, person_id, project_id, at=now())
            if len(assigned) >= min(REFILL_BELOW, count):
                return ScreenUpdate(results, screen.queue_items(session, assigned, rating_session))
            return ScreenUpdate(results, _filled_queue(session, rating_session, count, candidate_cache))
    except InvalidInput:
        results = tuple(apply(store, person_id, project_id, payload) for payload in payloads)
        return ScreenUpdate(
            results, next_items(store, person_id, project_id, count, candidate_cache=candidate_cache)
        )


def apply(store: Store, person_id: int, project_id: int, payload: object) -> OperationResult:
    """Store one operation of a screen and return its result; the same uid is stored only once.

    Raises:
        NotAllowed: the person may not rate in this project (any more).
        StoreUnavailable: nothing was stored; the screen should send it again.
    """
    try:
        payload = read_operation(payload)
        with store.writing() as session:
            assignments.lock_project(session, project_id)
            return _apply(session, open_rating_session(session, person_id, project_id), payload)
    except InvalidInput as error:
        return OperationResult("refused", message=error.args[0])


def progress(store: Store, person_id: int, project_id: int) -> Progress:
    """Return the person's progress: units done and about how many in all, their pace and time."""
    with store.reading() as session:
        return load_progress(session, open_rating_session(session, person_id, project_id), at=now())


def last_rated(store: Store, person_id: int, project_id: int, *, count: int = 3) -> list[QueueItem]:
    """Return what the person rated last, newest first, so that a reloaded screen can still undo it."""
    with store.reading() as session:
        rating_session = open_rating_session(session, person_id, project_id)
        assigned = assignments.latest_finished(session, person_id, project_id, limit=count)
        return screen.queue_items(session, assigned, rating_session)


def my_ratings(store: Store, person_id: int, project_id: int) -> list[OwnWork]:
    """Return what the person rated in the project's present form, latest first."""
    with store.reading() as session:
        return screen.own_work(session, open_rating_session(session, person_id, project_id))


def own_messages(store: Store, person_id: int, project_id: int) -> list[Thread]:
    """Return the person's messages to the study team and the answers, the latest first: nobody else's."""
    with store.reading() as session:
        return messages.own_threads(session, project_id, person_id)


def reopen(store: Store, person_id: int, project_id: int, unit_id: int) -> None:
    """Put a unit that the person rated before back on their screen, as the first; its rating stays.

    Raises:
        InvalidInput: the person has not rated it, or returned their work.
    """
    with store.writing() as session:
        assignments.lock_project(session, project_id)
        rating_session = open_rating_session(session, person_id, project_id)
        withdrawal.check_not_returned(rating_session)
        if unit_id not in {work.unit_id for work in screen.own_work(session, rating_session)}:
            raise InvalidInput(sentence("only answers that you rated can be opened again."))
        assignment = assignments.find_by_unit(session, unit_id, person_id)
        if assignment is None:
            assignment = assignments.new_closed(session, unit_id, person_id, project_id)
        assignments.change(session, assignment.id, lease_until=rating_session.lease_end(now()))


def _apply_in_order(
    session: Session, person_id: int, project_id: int, operations: Sequence[Operation]
) -> tuple[RatingSession, tuple[OperationResult, ...]]:
    """Carry out operations, reloading the session after each: nothing counts after a "return"."""
    rating_session, results = open_rating_session(session, person_id, project_id), []
    for index, operation in enumerate(operations):
        rating_session = open_rating_session(session, person_id, project_id) if index else rating_session
        results.append(_apply(session, rating_session, operation))
    return rating_session, tuple(results)


def _apply(session: Session, rating_session: RatingSession, operation: Operation) -> OperationResult:
    if operation.kind in (*RECORDED, "ask") and _stored_before(
        session, operation, rating_session.person_id, rating_session.project_id
    ):
        return OperationResult("repeated", at=now())
    effect = apply_operation.carry_out(session, rating_session, operation, at=now())
    feedback = (
        qualification.after_rating(session, rating_session, operation.item, at=now())
        if operation.kind == "rate"
        else None
    )
    return OperationResult(
        "stored",
        surplus=effect.surplus,
        at=now(),
        feedback=feedback,
        counts_as_progress=effect.counts_as_progress,
        seconds=effect.seconds,
    )


def _filled_queue(
    session: Session, rating_session: RatingSession, count: int, candidate_cache: CandidateCache
) -> list[QueueItem]:
    if own_forms.entry_questions(session, rating_session):
        return []  # a rater who has not answered the entry questions reserves nothing
    assigning.fill_queue(session, rating_session, count, candidate_cache=candidate_cache)
    assigned = assignments.held_by_person(
        session, rating_session.person_id, rating_session.project_id, at=now()
    )
    unit_view.record_orders(session, unit_view.load_views(session, assigned))
    return screen.queue_items(session, assigned, rating_session)


def _stored_before(session: Session, operation: Operation, person_id: int, project_id: int) -> bool:
    find = messages.author if operation.kind == "ask" else ratings.author_of_operation
    author = find(session, operation.uid, project_id)
    if author is not None and author != person_id:
        raise InvalidInput(sentence("the uid of an operation is used once only."))
    return author is not None
