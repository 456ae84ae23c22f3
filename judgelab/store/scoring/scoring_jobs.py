"""Store background jobs for scoring and learning: their request, progress and current attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from judgelab.domain import RunState
from judgelab.errors import NotFound
from judgelab.store.models import LearnedPart, ScoringJob
from judgelab.store.models.base import now
from judgelab.wording import mark

JobKind = Literal["metrics", "learn"]
RESTING_STATES: tuple[RunState, ...] = ("done", "paused", "cancelled", "stopped")
ENDED_STATES: tuple[RunState, ...] = ("done", "cancelled")
STATE_OF_WISH: Mapping[str, RunState] = {"pause": "paused", "cancel": "cancelled"}


class JobKey(NamedTuple):
    """A job and its attempt, after which the engine's workflow is named."""

    job_id: int
    attempt: int


@dataclass(frozen=True)
class JobInfo:
    """A job's row.

    Attributes:
        options: the complete options of each metric by its name; for learning, those of `learn`.
        doing: the criterion being learned now.
        done: scores computed since the request; for learning, the finished part of `total`.
        total: scores missing at the request.
        report: the result of each metric once done; for learning, one row.
    """

    id: int
    project_id: int
    kind: JobKind
    metrics: Sequence[str]
    options: Mapping[str, Any]
    state: RunState
    wanted: str
    attempt: int
    reason: str
    doing: str
    done: int
    total: int
    report: Sequence[Mapping[str, Any]]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None

    @property
    def resting(self) -> bool:
        """Return whether the job only continues if the user asks for it."""
        return self.state in RESTING_STATES


def add_job(session: Session, project_id: int, options: Mapping[str, Mapping[str, Any]]) -> int:
    """Add a waiting job that computes metrics with these options; return its id."""
    chosen = {name: dict(settings) for name, settings in options.items()}
    return _add(session, ScoringJob(project_id=project_id, metrics=list(options), options=chosen))


def add_learning(session: Session, project_id: int, options: Mapping[str, Any]) -> int:
    """Add a waiting job that learns a judge; return its id."""
    return _add(session, ScoringJob(project_id=project_id, kind="learn", options=dict(options)))


def _add(session: Session, row: ScoringJob) -> int:
    session.add(row)
    session.flush()
    return row.id


def find_job(session: Session, job_id: int) -> JobInfo:
    """Return a job; raises `NotFound`."""
    return _info(_row(session, job_id))


def latest_job(session: Session, project_id: int, kind: JobKind = "metrics") -> JobInfo | None:
    """Return the newest job of this kind in a project, or None."""
    query = (
        select(ScoringJob)
        .where(ScoringJob.project_id == project_id, ScoringJob.kind == kind)
        .order_by(ScoringJob.id.desc())
    )
    row = session.scalars(query.limit(1)).first()
    return None if row is None else _info(row)


def jobs_in(session: Session, state: RunState) -> list[JobKey]:
    """Return all jobs in a state, oldest first; waiting ones only if they should run."""
    query = select(ScoringJob.id, ScoringJob.attempt).where(ScoringJob.state == state)
    if state == "waiting":
        query = query.where(ScoringJob.wanted == "run")
    return [JobKey(*row) for row in session.execute(query.order_by(ScoringJob.id))]


def kind_of(session: Session, key: JobKey) -> JobKind | None:
    """Return the job's kind; None if another attempt replaced this one or the project was deleted."""
    row = session.get(ScoringJob, key.job_id)
    return None if row is None or row.attempt != key.attempt else _info(row).kind


def start_attempt(session: Session, key: JobKey) -> bool:
    """Mark an attempt as running; return False if it is not the one to run any more."""
    row = _own(session, key)
    if row is None or row.state not in ("waiting", "running"):
        return False
    row.state, row.started_at, row.finished_at = "running", row.started_at or now(), None
    return True


def desired_state(session: Session, key: JobKey) -> str:
    """Return the job's desired state; "superseded" if another attempt replaced this one."""
    row = session.get(ScoringJob, key.job_id)
    return row.wanted if row is not None and row.attempt == key.attempt else "superseded"


def report_progress(session: Session, key: JobKey, *, done: int, total: int, doing: str = "") -> None:
    """Store the attempt's progress and current criterion."""
    row = session.get(ScoringJob, key.job_id)
    if row is not None and row.attempt == key.attempt:
        row.done, row.total, row.doing = done, total, doing


def finish_attempt(
    session: Session, key: JobKey, *, complete: bool, report: Sequence[Mapping[str, Any]]
) -> RunState | Literal["again", "superseded"]:
    """End the attempt and return the job's state, or "again" if the job was resumed in the meantime."""
    row = _own(session, key)
    if row is None or row.state != "running":
        return "superseded"
    if complete:
        row.report = [dict(row_of_report) for row_of_report in report]
        return _end(session, row, "done")
    return "again" if row.wanted == "run" else _end(session, row, STATE_OF_WISH[row.wanted])


def stop_attempt(session: Session, key: JobKey, reason: str) -> None:
    """End an attempt that cannot go on, with the reason."""
    row = _own(session, key)
    if row is not None and row.state in ("waiting", "running"):
        row.reason = reason
        _end(session, row, "stopped")


def request(session: Session, job_id: int, wish: Literal["run", "pause", "cancel"]) -> None:
    """Change a job's desired state; resuming a paused or stopped job starts its next attempt."""
    row = _row(session, job_id, locked=True)
    if row.state in ENDED_STATES:
        return
    row.wanted = wish
    if wish == "run" and row.state in ("paused", "stopped"):
        row.state, row.reason, row.attempt = "waiting", "", row.attempt + 1
    elif wish != "run" and row.state != "running":
        _end(session, row, STATE_OF_WISH[wish])


def restart(session: Session, key: JobKey) -> None:
    """Start the next attempt of a job whose workflow was lost; computed scores stay."""
    row = _own(session, key)
    if row is not None and row.state in ("waiting", "running"):
        row.attempt, row.state = row.attempt + 1, "waiting"
        if row.wanted != "run":
            _end(session, row, STATE_OF_WISH[row.wanted])


def _row(session: Session, job_id: int, *, locked: bool = False) -> ScoringJob:
    row = session.get(ScoringJob, job_id, with_for_update=locked or None)
    if row is None:
        raise NotFound(mark("scoring job"), str(job_id))
    return row


def _own(session: Session, key: JobKey) -> ScoringJob | None:
    """Return the job's row, locked, if this is its current attempt and it was not deleted."""
    row = session.get(ScoringJob, key.job_id, with_for_update=True)
    return row if row is not None and row.attempt == key.attempt else None


def _end(session: Session, row: ScoringJob, state: RunState) -> RunState:
    row.state, row.finished_at = state, now()
    if state in ENDED_STATES:
        session.execute(delete(LearnedPart).where(LearnedPart.job_id == row.id))
    return state


def _info(row: ScoringJob) -> JobInfo:
    names = JobInfo.__dataclass_fields__
    return JobInfo(**{name: getattr(row, name) for name in names})
