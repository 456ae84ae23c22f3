"""The rating loop's use cases: what lies on a rater's screen, and what they did with it.

Everything that arrives is checked here: the person's right to rate, that the answer was given to them,
that each score fits its scale. An operation is stored in one transaction and named by its uid, so that a
screen may send it again until it hears that it was stored.
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
from judgelab.annotation.links import withdrawal
from judgelab.annotation.progress import Progress, load_progress
from judgelab.annotation.rating import unit_view
from judgelab.annotation.rating.operations import RECORDED, Operation, read_operation
from judgelab.annotation.rating.session import RatingSession, open_rating_session
from judgelab.annotation.screen import OwnWork, QueueItem
from judgelab.errors import InvalidInput
from judgelab.store.db.engine import Session, Store
from judgelab.store.models import now
from judgelab.store.rating import assignments, ratings
from judgelab.wording import sentence

REFILL_BELOW = 3  # a screen that holds this many needs no transaction that writes


@dataclass(frozen=True)
class OpResult:
    """What became of one operation.

    Attributes:
        state: "stored" now, "repeated" when it was stored before, "refused" with the reason in `message`.
        surplus: whether a rating came after its lease was given away and filled; it is kept all the same.
        at: when it was stored.
        feedback: what the rater is told, after a training unit or a loud check.
        done: whether it brought the person one unit further; practice does not count.
        seconds: how long a rating took, as it was stored.
    """

    state: Literal["stored", "repeated", "refused"]
    message: str = ""
    surplus: bool = False
    at: datetime | None = None
    feedback: Feedback | None = None
    done: bool = False
    seconds: float | None = None


@dataclass(frozen=True)
class ScreenUpdate:
    """What became of operations, and what lies on the screen after them."""

    results: tuple[OpResult, ...]
    queue: list[QueueItem]


def next_items(
    store: Store, person_id: int, project_id: int, count: int = 5, *, hints: CandidateCache | None = None
) -> list[QueueItem]:
    """Return the answers on the person's screen, filled up to `count` or a fair part when few are left.

    Args:
        store: the database.
        person_id: who rates.
        project_id: where.
        count: how many answers a full screen holds.
        hints: where to look first, as the screen knew it last.

    Raises:
        NotAllowed: the person may not rate in this project.
    """
    with store.reading() as session:
        round_ = open_rating_session(session, person_id, project_id)
        given = assignments.held(session, person_id, project_id, at=now())
        if len(given) >= min(REFILL_BELOW, count):
            return screen.queue_items(session, given, round_)
    with store.writing() as session:
        return _filled_queue(session, round_, count, hints or CandidateCache())


def apply_operations(
    store: Store,
    person_id: int,
    project_id: int,
    ops: Sequence[object],
    *,
    count: int = 5,
    hints: CandidateCache | None = None,
) -> ScreenUpdate:
    """Store operations of a screen, in order, and return what lies on it then: all in one transaction.

    One that is refused takes no other with it: each is then stored by itself.

    Raises:
        NotAllowed: the person may not rate in this project (any more).
        StoreUnavailable: nothing was stored; the screen should send it again.
    """
    hints = hints or CandidateCache()
    try:
        operations = [read_operation(op) for op in ops]
        with store.writing() as session:
            assignments.lock_project(session, project_id)
            round_, results = _apply_in_order(session, person_id, project_id, operations)
            given = assignments.held(session, person_id, project_id, at=now())
            if len(given) >= min(REFILL_BELOW, count):
                return ScreenUpdate(results, screen.queue_items(session, given, round_))
            return ScreenUpdate(results, _filled_queue(session, round_, count, hints))
    except InvalidInput:
        results = tuple(apply(store, person_id, project_id, op) for op in ops)
        return ScreenUpdate(results, next_items(store, person_id, project_id, count, hints=hints))


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
            return _apply(session, open_rating_session(session, person_id, project_id), operation)
    except InvalidInput as error:
        return OpResult("refused", message=error.args[0])


def progress(store: Store, person_id: int, project_id: int) -> Progress:
    """Return how far the person is: answers done, all that will be theirs, their pace and time."""
    with store.reading() as session:
        return load_progress(session, open_rating_session(session, person_id, project_id), at=now())


def last_rated(store: Store, person_id: int, project_id: int, *, count: int = 3) -> list[QueueItem]:
    """Return what the person rated last, newest first: a screen that was reloaded can still undo it."""
    with store.reading() as session:
        round_ = open_rating_session(session, person_id, project_id)
        given = assignments.latest_finished(session, person_id, project_id, limit=count)
        return screen.queue_items(session, given, round_)


def my_ratings(store: Store, person_id: int, project_id: int) -> list[OwnWork]:
    """Return what the person judged in the project's present form, latest first."""
    with store.reading() as session:
        return screen.own_work(session, open_rating_session(session, person_id, project_id))


def reopen(store: Store, person_id: int, project_id: int, unit_id: int) -> None:
    """Put a unit that the person judged before back on their screen, first; it stays as it was judged.

    Raises:
        InvalidInput: the person has not judged it, or returned their work.
    """
    with store.writing() as session:
        assignments.lock_project(session, project_id)
        round_ = open_rating_session(session, person_id, project_id)
        withdrawal.check_not_returned(round_)
        if unit_id not in {own.unit_id for own in screen.own_work(session, round_)}:
            raise InvalidInput(sentence("only answers that you rated can be opened again."))
        given = assignments.find_by_unit(session, unit_id, person_id)
        if given is None:
            given = assignments.new_closed(session, unit_id, person_id, project_id)
        assignments.change(session, given.id, lease_until=round_.lease_end(now()))


def _apply_in_order(
    session: Session, person_id: int, project_id: int, operations: Sequence[Operation]
) -> tuple[RatingSession, tuple[OpResult, ...]]:
    """Carry out operations, each in the round as those before it left it: who returned rates no more."""
    round_, results = open_rating_session(session, person_id, project_id), []
    for n, operation in enumerate(operations):
        round_ = open_rating_session(session, person_id, project_id) if n else round_
        results.append(_apply(session, round_, operation))
    return round_, tuple(results)


def _apply(session: Session, round_: RatingSession, op: Operation) -> OpResult:
    if op.kind in RECORDED and _stored_before(session, op.uid, round_.person_id, round_.project.id):
        return OpResult("repeated", at=now())
    effect = apply_operation.carry_out(session, round_, op, at=now())
    feedback = qualification.after_rating(session, round_, op.item, at=now()) if op.kind == "rate" else None
    return OpResult(
        "stored",
        surplus=effect.surplus,
        at=now(),
        feedback=feedback,
        done=effect.done,
        seconds=effect.seconds,
    )


def _filled_queue(
    session: Session, round_: RatingSession, count: int, hints: CandidateCache
) -> list[QueueItem]:
    assigning.fill_queue(session, round_, count, hints=hints)
    given = assignments.held(session, round_.person_id, round_.project.id, at=now())
    unit_view.record_orders(session, unit_view.load_views(session, given))
    return screen.queue_items(session, given, round_)


def _stored_before(session: Session, uid: str, person_id: int, project_id: int) -> bool:
    author = ratings.author_of_operation(session, uid, project_id)
    if author is not None and author != person_id:
        raise InvalidInput(sentence("the uid of an operation is used once only."))
    return author is not None
