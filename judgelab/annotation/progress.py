"""Where a person stands in a project: how far they are, what they spent, and why nothing may be left."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from statistics import median

from judgelab.annotation.assign import interleaving, qualification
from judgelab.annotation.assign.qualification import TrainingProgress
from judgelab.annotation.links import withdrawal
from judgelab.annotation.links.options import Ending
from judgelab.annotation.rating.session import RatingSession
from judgelab.store.db.engine import Session
from judgelab.store.rating import active_time, assigned_units, assignments, open_units, progress_counts


@dataclass(frozen=True)
class Progress:
    """How far a person is, and why there may be nothing for them now (see `tallies.Tally`).

    Attributes:
        done: all they rated, checks and repeats counted, training not.
        total: `done` and about what will still be theirs.
        state: their standing in the project (`Membership`).
        pace: seconds of the last answers, newest first, where the screen measured them.
        reserved: units that only raters of other cohorts get.
        limit: the most units one person gets, once they have got them.
        seconds: time spent at units, as the screen measured it, never more than passed;
            silences of over a minute are left out.
        practice: how far they are in the training round, while that lasts.
        ending: what a crowd worker is given for leaving as they stand; None for everybody else.
        due_at: when a crowd worker's time ends.
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
    due_at: datetime | None = None

    @property
    def seconds_per_answer(self) -> float | None:
        """Return the median of the last answers; None where none was measured."""
        return median(self.pace) if self.pace else None

    def one_more(self, seconds: float | None) -> Progress:
        """Return the progress after one more answer that took so long, if that is known."""
        pace = self.pace if seconds is None else (seconds, *self.pace)[: progress_counts.RECENT]
        return replace(self, done=self.done + 1, total=max(self.total, self.done + 1), pace=pace)


def load_progress(session: Session, round_: RatingSession, *, at: datetime) -> Progress:
    """Return where the person stands now."""
    who = (session, round_.person_id, round_.project.id)
    cohorts = open_units.cohorts_of(*who)
    tally = progress_counts.rater_progress(*who, k=round_.k, at=at, cohorts=cohorts)
    held = assignments.held(*who, at=at)
    left = tally.left + _expected_extras(session, round_, tally.left)
    left += sum(not one.finished and one.purpose in ("attention", "repeat") for one in held)
    most = round_.policy.most
    limit = None
    if most is not None:
        left = min(left, max(most - tally.on_screen, 0))
        limit = most if assigned_units.count_towards_limit(*who, at=at) >= most and not held else None
    return Progress(
        done=tally.done,
        total=tally.done + left,
        waiting=tally.waiting,
        complete=tally.complete,
        passed=tally.passed,
        skipped=tally.skipped,
        flagged=tally.flagged,
        answers=tally.answers,
        pace=tuple(progress_counts.recent_seconds(*who)),
        saved_at=progress_counts.last_saved_at(*who),
        state=round_.state,
        reserved=tally.reserved,
        limit=limit,
        seconds=sum(active_time.active_seconds(session, round_.project.id, round_.person_id).values()),
        practice=qualification.training_progress(session, round_),
        ending=withdrawal.ending_of(session, round_),
        due_at=round_.due_at,
    )


def _expected_extras(session: Session, round_: RatingSession, left: int) -> int:
    """Return about how many checks and repeats will come between the units that are left."""
    policy = round_.policy
    if not policy.attention_every and not policy.repeats:
        return 0
    unseen = open_units.open_checks(session, round_.person_id, round_.project.id, "attention")
    # Units with a known score are among those left already.
    return interleaving.expected_extras(left, {"attention": len(unseen), "repeat": left}, policy=policy)
