"""Read counts over the whole database, for monitoring."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.db import workers
from judgelab.store.models import EndpointPause, EndpointRow, Judgment, Rating, Run, now

RUN_STATES = ("waiting", "running", "paused", "stopped", "cancelled", "done")
JUDGMENT_STATES = ("waiting", "scored", "unscored", "failed")


@dataclass(frozen=True)
class DatabaseCounts:
    """Rows by kind; `queue` counts waiting units of active runs, `rests` cool-down seconds by endpoint."""

    ratings: int
    judgments: dict[str, float]
    runs: dict[str, float]
    queue: int
    workers: dict[str, float]
    rests: dict[str, float]


def read_counts(session: Session) -> DatabaseCounts:
    """Return the current counts."""
    at = now()
    rests = session.execute(
        select(EndpointRow.name, EndpointPause.until).outerjoin(
            EndpointPause, EndpointPause.endpoint_id == EndpointRow.id
        )
    )
    goes_on = Run.state.in_(("waiting", "running")) & (Run.wanted == "run")
    return DatabaseCounts(
        ratings=session.scalar(select(func.count()).select_from(Rating)) or 0,
        judgments=_by_state(session, Judgment, JUDGMENT_STATES),
        runs=_by_state(session, Run, RUN_STATES),
        queue=session.scalar(
            select(func.count())
            .select_from(Judgment)
            .join(Run, Run.id == Judgment.run_id)
            .where(goes_on, Judgment.state == "waiting")
        )
        or 0,
        workers={kind: float(workers.count_live(session, kind=kind)) for kind in ("api", "local")},
        rests={name: max(0.0, (until - at).total_seconds()) if until else 0.0 for name, until in rests},
    )


def _by_state(
    session: Session, table: type[Judgment] | type[Run], states: tuple[str, ...]
) -> dict[str, float]:
    rows = session.execute(select(table.state, func.count()).group_by(table.state)).all()
    return {**dict.fromkeys(states, 0.0), **{state: float(count) for state, count in rows}}
