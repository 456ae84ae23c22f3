"""A rater's progress in a project: units done and left, time spent, and why there may be nothing to rate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median

from judgelab.annotation.assign import interleaving, qualification
from judgelab.annotation.assign.qualification import TrainingProgress
from judgelab.annotation.links import own_forms, withdrawal
from judgelab.annotation.links.options import Ending
from judgelab.annotation.rating.session import RatingSession
from judgelab.store.db.engine import Session
from judgelab.store.people import deleted_work
from judgelab.store.people.deleted_work import DeletedWork
from judgelab.store.rating import active_time, assigned_units, assignments, open_units, progress_counts


@dataclass(frozen=True)
class Progress:
    """How far a person is, and why there may be nothing for them now (see `progress_counts.rater_progress`).

    Attributes:
        done: units they rated, with checks and repeats, without training.
        total: `done` and about how many they will still get; none after their part is over.
        state: their standing in the project (`Membership`).
        pace: seconds of the last units, newest first, where the screen measured them.
        reserved: units that only raters of other cohorts get.
        limit: the most units one person gets, once they have got them.
        seconds: time spent on units, as the screen measured it, never more than has passed; pauses of over
            a minute are left out, time for deleted ratings is not.
        practice: how far they are in the training round, while it lasts.
        ending: what a crowd worker is given for leaving now; None for everybody else.
        asked_first: whether the questions before the work are open; nothing is rated before.
        asked_at_end: whether the exit questionnaire is open; before it is answered, `ending` is empty.
        all_rated: whether they rated all that there is for them.
        due_at: when a crowd worker's time ends.
        pay: the amount for finishing, for crowd workers who are paid by submission; else empty.
        deleted: the work that the person deleted themselves; None if they did not.
    """

    done: int
    total: int
    waiting: int
    complete: int
    passed: int
    skipped: int
    flagged: int
    answers: int
    pace: tuple[float, ...]
    saved_at: datetime | None
    state: str = "active"
    reserved: int = 0
    limit: int | None = None
    seconds: float = 0.0
    practice: TrainingProgress | None = None
    ending: Ending | None = None
    asked_first: bool = False
    asked_at_end: bool = False
    all_rated: bool = False
    due_at: datetime | None = None
    pay: str = ""
    deleted: DeletedWork | None = None

    @property
    def seconds_per_answer(self) -> float | None:
        """The median of the last units; None if none was measured."""
        return median(self.pace) if self.pace else None

    def one_more(self, seconds: float | None) -> Progress:
        """Return the progress after one more unit, which took `seconds` if that is known."""
        pace = self.pace if seconds is None else (seconds, *self.pace)[: progress_counts.RECENT]
        return replace(self, done=self.done + 1, total=max(self.total, self.done + 1), pace=pace)


def load_progress(session: Session, rating_session: RatingSession, *, at: datetime) -> Progress:
    """Return the person's progress now."""
    scope = (session, rating_session.person_id, rating_session.project_id)
    cohorts = open_units.cohorts_of(*scope)
    tally = progress_counts.rater_progress(*scope, k=rating_session.k, at=at, cohorts=cohorts)
    held = assignments.held_by_person(*scope, at=at)
    remaining = tally.assignable + _expected_extras(session, rating_session, tally.assignable)
    remaining += sum(
        not assignment.finished and assignment.purpose in ("attention", "repeat") for assignment in held
    )
    max_units = rating_session.policy.max_units
    limit = None
    if max_units is not None:
        remaining = min(remaining, max(max_units - tally.on_screen, 0))
        if not held and assigned_units.count_towards_limit(*scope, at=at) >= max_units:
            limit = max_units
    if rating_session.state not in withdrawal.WORKING_STATES:
        remaining = 0
    active = active_time.active_seconds(session, rating_session.project_id, rating_session.person_id)
    deleted = deleted_work.by_person(session, rating_session.project_id, rating_session.person_id)
    own_deleted = deleted.get(rating_session.person_id)
    left = remaining or tally.waiting or tally.passed
    all_rated = bool(tally.done) and not held and (limit is not None or not left)
    asked_first = bool(own_forms.entry_questions(session, rating_session))
    asked_at_end = bool(own_forms.exit_questions(session, rating_session, all_rated=all_rated))
    return Progress(
        done=tally.done,
        total=tally.done + remaining,
        waiting=tally.waiting,
        complete=tally.complete,
        passed=tally.passed,
        skipped=tally.skipped,
        flagged=tally.flagged,
        answers=tally.answers,
        pace=tuple(progress_counts.recent_seconds(*scope)),
        saved_at=progress_counts.last_saved_at(*scope),
        state=rating_session.state,
        reserved=tally.reserved,
        limit=limit,
        seconds=sum(active.values()) + (own_deleted.seconds if own_deleted else 0.0),
        practice=qualification.training_progress(session, rating_session),
        ending=Ending() if asked_at_end or asked_first else withdrawal.ending_of(session, rating_session),
        asked_first=asked_first,
        asked_at_end=asked_at_end,
        all_rated=all_rated,
        due_at=rating_session.due_at,
        pay=withdrawal.pay_for_finishing(session, rating_session),
        deleted=own_deleted,
    )


def _expected_extras(session: Session, rating_session: RatingSession, left: int) -> int:
    """Return about how many checks and repeats will come among the units that are left."""
    policy = rating_session.policy
    if not policy.attention_every and not policy.repeats:
        return 0
    unseen = open_units.open_checks(session, rating_session.person_id, rating_session.project_id, "attention")
    # Gold units are already among those left.
    return interleaving.expected_extras(left, {"attention": len(unseen), "repeat": left}, policy=policy)
