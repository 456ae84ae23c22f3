"""Record worker processes' heartbeats, and find live and silent workers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from judgelab.store.models import Worker
from judgelab.store.models.base import now

SILENT_SECONDS = 10.0
LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class WorkerInfo:
    """A worker process with a heartbeat within the last ten seconds."""

    executor_id: str
    pid: int
    slots: int
    started_at: datetime
    beat_at: datetime
    kind: str = "api"
    doing: str = ""


def record_heartbeat(
    session: Session, executor_id: str, *, pid: int, slots: int, kind: str = "api", doing: str = ""
) -> None:
    """Record a heartbeat, and what the worker is doing before it can judge."""
    row = session.scalar(select(Worker).where(Worker.executor_id == executor_id))
    if row is None:
        session.add(Worker(executor_id=executor_id, pid=pid, slots=slots, kind=kind, doing=doing))
    else:
        if row.pid != pid:
            row.started_at, row.uses, row.holds = now(), {}, {}
        row.pid, row.slots, row.beat_at = pid, slots, now()
        row.kind, row.doing = kind, doing


def live_workers(session: Session) -> list[WorkerInfo]:
    """Return the live workers, oldest first."""
    rows = session.scalars(select(Worker).where(Worker.beat_at >= alive_since()).order_by(Worker.started_at))
    return [WorkerInfo(w.executor_id, w.pid, w.slots, w.started_at, w.beat_at, w.kind, w.doing) for w in rows]


def count_live(session: Session, *, kind: str | None = None) -> int:
    """Return the number of live workers, of all kinds or of one."""
    query = select(func.count()).select_from(Worker).where(Worker.beat_at >= alive_since())
    if kind is not None:
        query = query.where(Worker.kind == kind)
    return session.scalar(query) or 0


def silent_workers(session: Session) -> list[str]:
    """Return the ids of silent workers whose work was not taken over yet."""
    return list(session.scalars(select(Worker.executor_id).where(Worker.beat_at < alive_since())))


def remove_workers(session: Session, executor_ids: list[str]) -> None:
    """Remove workers whose work was taken over; one with a new heartbeat in the meantime stays."""
    session.execute(
        delete(Worker).where(Worker.executor_id.in_(executor_ids), Worker.beat_at < alive_since())
    )


def mark_stopped(session: Session, executor_id: str) -> None:
    """Mark a stopping worker as silent, so that others take over its work at once."""
    session.execute(update(Worker).where(Worker.executor_id == executor_id).values(beat_at=LONG_AGO))


def alive_since() -> datetime:
    """Return the time since which a worker must have sent a heartbeat to count as alive."""
    return now() - timedelta(seconds=SILENT_SECONDS)
