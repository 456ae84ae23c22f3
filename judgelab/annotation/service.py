"""The rating loop's use cases: what lies on a rater's screen, and what they did with it.

Everything that arrives is checked here: the person's right to rate, that the answer was given to them,
that each score fits its scale. An operation is stored in one transaction and named by its uid, so that a
screen may send it again until it hears that it was stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from judgelab.annotation import effects, giving, layout, qualifying, screen
from judgelab.annotation.operations import LASTING, read_operation
from judgelab.annotation.qualifying import Feedback
from judgelab.annotation.round import open_round
from judgelab.annotation.screen import OwnWork, QueueItem
from judgelab.annotation.standing import Progress, standing
from judgelab.errors import InvalidInput
from judgelab.store import assignments, ratings, tallies
from judgelab.store.engine import Session, Store
from judgelab.store.models import now

REFILL_BELOW = 3  # a screen that holds this many needs no transaction that writes


@dataclass(frozen=True)
class OpResult:
    """What became of one operation.

    Attributes:
        state: "stored" now, "repeated" when it was stored before, "refused" with the reason in `message`.
        surplus: whether a rating came after its lease was given away and filled; it is kept all the same.
        at: when it was stored.
        feedback: what the rater is told, after a training unit or a loud check.
    """

    state: Literal["stored", "repeated", "refused"]
    message: str = ""
    surplus: bool = False
    at: datetime | None = None
    feedback: Feedback | None = None


def next_items(store: Store, person_id: int, project_id: int, count: int = 5) -> list[QueueItem]:
    """Return the answers on the person's screen, filled up to `count` or a fair part when few are left.

    Raises:
        NotAllowed: the person may not rate in this project.
    """
    with store.reading() as session:
        round_ = open_round(session, person_id, project_id)
        given = assignments.held(session, person_id, project_id, at=now())
        if len(given) >= min(REFILL_BELOW, count):
            return screen.items(session, given, round_)
    with store.writing() as session:
        giving.fill(session, round_, count)
        given = assignments.held(session, person_id, project_id, at=now())
        layout.record(session, layout.lay(session, given))
        return screen.items(session, given, round_)


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
            rated = operation.kind == "rate"
            feedback = qualifying.after_rating(session, round_, operation.item, at=now()) if rated else None
    except InvalidInput as error:
        return OpResult("refused", message=str(error))
    return OpResult("stored", surplus=surplus, at=now(), feedback=feedback)


def progress(store: Store, person_id: int, project_id: int) -> Progress:
    """Return how far the person is: answers done, all that will be theirs, their pace and time."""
    with store.reading() as session:
        return standing(session, open_round(session, person_id, project_id), at=now())


def count_done(store: Store, person_id: int, project_id: int) -> int:
    """Return how many answers the person has rated; quicker than the whole `progress`."""
    with store.reading() as session:
        return tallies.done(session, person_id, project_id)


def last_rated(store: Store, person_id: int, project_id: int, *, count: int = 3) -> list[QueueItem]:
    """Return what the person rated last, newest first: a screen that was reloaded can still undo it."""
    with store.reading() as session:
        round_ = open_round(session, person_id, project_id)
        given = assignments.latest_finished(session, person_id, project_id, limit=count)
        return screen.items(session, given, round_)


def my_ratings(store: Store, person_id: int, project_id: int) -> list[OwnWork]:
    """Return what the person judged in the project's present form, latest first."""
    with store.reading() as session:
        return screen.own_work(session, open_round(session, person_id, project_id))


def reopen(store: Store, person_id: int, project_id: int, unit_id: int) -> None:
    """Put a unit that the person judged before back on their screen, first; it stays as it was judged.

    Raises:
        InvalidInput: the person has not judged it.
    """
    with store.writing() as session:
        assignments.lock_project(session, project_id)
        round_ = open_round(session, person_id, project_id)
        if unit_id not in {own.unit_id for own in screen.own_work(session, round_)}:
            raise InvalidInput("only answers that you rated can be opened again.")
        given = assignments.find_by_unit(session, unit_id, person_id)
        if given is None:
            given = assignments.new_closed(session, unit_id, person_id, project_id)
        assignments.change(session, given.id, lease_until=round_.lease_end(now()))


def offer_again(store: Store, person_id: int, project_id: int) -> int:
    """Offer again what the person skipped twice; returns how many answers that are."""
    with store.writing() as session:
        open_round(session, person_id, project_id)
        return assignments.return_to(session, person_id, project_id)


def _stored_before(session: Session, uid: str, person_id: int, project_id: int) -> bool:
    author = ratings.author(session, uid, project_id)
    if author is not None and author != person_id:
        raise InvalidInput("the uid of an operation is used once only.")
    return author is not None
