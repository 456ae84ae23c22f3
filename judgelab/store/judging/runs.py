"""Store runs: their selection, desired and actual state, and what is left to judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, insert, select
from sqlalchemy.orm import Session

from judgelab.domain import RunState
from judgelab.errors import NotFound
from judgelab.store.db.driver_rows import driver_rows
from judgelab.store.models import (
    ItemRow,
    JudgeRow,
    Judgment,
    ResponseRow,
    Run,
)
from judgelab.store.models.base import now
from judgelab.wording import mark


class CandidateResponse(NamedTuple):
    """A response that may be judged, with what selections filter by."""

    response_id: int
    item_id: int
    system: str
    group: str


class RunKey(NamedTuple):
    """A run and its attempt, after which the engine's workflow is named."""

    run_id: int
    attempt: int


class DesiredState(NamedTuple):
    """The desired state of a run, its current attempt and its budget."""

    wanted: str
    attempt: int
    budget: float | None


@dataclass(frozen=True)
class RunInfo:
    """A run's own row; its counts are sums over judgments (`judgelab.store.judging.run_counts`)."""

    id: int
    project_id: int
    judge_id: int
    selection: Mapping[str, Any]
    state: RunState
    wanted: str
    attempt: int
    reason: str
    units: int
    budget: float | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    resumed_at: datetime | None = None
    rested: float = 0.0
    cache: bool = True
    mode: Literal["live", "batch"] = "live"
    remote: Mapping[str, Any] = field(default_factory=dict)


def candidates(session: Session, project_id: int) -> list[CandidateResponse]:
    """Return the responses of the project's data in the order they were imported."""
    query = (
        select(ResponseRow.id, ResponseRow.item_id, ResponseRow.system, ItemRow.group)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id, ItemRow.purpose == "data")
        .order_by(ResponseRow.item_id, ResponseRow.id)
    )
    return driver_rows(session, query, CandidateResponse._make)


def add_run(
    session: Session,
    project_id: int,
    judge_id: int,
    *,
    selection: Mapping[str, Any],
    units: Sequence[tuple[int, str, Sequence[int]]],
    budget: float | None = None,
    code_version: str = "",
    cache: bool = True,
    mode: Literal["live", "batch"] = "live",
) -> int:
    """Store a run with one waiting judgment per unit; return its id.

    A unit is (response id, criterion key or "*", members); the members are the ids of all responses of an
    item that is judged as a whole, and empty if a response is judged by itself.
    """
    run = Run(
        project_id=project_id,
        judge_id=judge_id,
        selection=dict(selection),
        units=len(units),
        budget=budget,
        code_version=code_version,
        cache=cache,
        mode=mode,
    )
    session.add(run)
    session.flush()
    rows = [
        {
            **{"run_id": run.id, "response_id": response_id, "criteria": criteria, "position": position},
            "members": list(members),
        }
        for position, (response_id, criteria, members) in enumerate(units)
    ]
    if rows:
        session.execute(insert(Judgment), rows)
    return run.id


def find_run(session: Session, run_id: int) -> RunInfo:
    """Return a run; raises `NotFound`."""
    row = session.get(Run, run_id)
    if row is None:
        raise NotFound(mark("run"), str(run_id), [str(i) for i in session.scalars(select(Run.id))])
    return _info(row)


def runs_of(session: Session, project_id: int) -> list[RunInfo]:
    """Return a project's runs, newest first."""
    query = select(Run).where(Run.project_id == project_id).order_by(Run.id.desc())
    return [_info(row) for row in session.scalars(query)]


def runs_in(
    session: Session,
    state: RunState,
    *,
    wanted: str | None = None,
    backends: Sequence[str] | None = None,
    besides: Sequence[str] = (),
) -> list[RunKey]:
    """Return all runs in a state (and with a desired state), oldest first.

    Args:
        session: an open session.
        state: the state.
        wanted: the desired state; None = any.
        backends: only runs of judges with these backends; None = any.
        besides: no runs of judges with these backends.
    """
    query = select(Run.id, Run.attempt).where(Run.state == state).order_by(Run.id)
    if wanted is not None:
        query = query.where(Run.wanted == wanted)
    if backends is not None or besides:
        query = query.join(JudgeRow, JudgeRow.id == Run.judge_id).where(JudgeRow.backend.not_in(besides))
    if backends is not None:
        query = query.where(JudgeRow.backend.in_(backends))
    return [RunKey(*row) for row in session.execute(query)]


def desired_states(session: Session, run_ids: Sequence[int]) -> dict[int, DesiredState]:
    """Return the current desired state of each run, by run id; a deleted run is missing."""
    query = select(Run.id, Run.wanted, Run.attempt, Run.budget).where(Run.id.in_(run_ids))
    rows = session.execute(query)
    return {run_id: DesiredState(wanted, attempt, budget) for run_id, wanted, attempt, budget in rows}


def locked_run(session: Session, run_id: int) -> Run:
    """Return the run's row, locked until the transaction ends; raises `NotFound`."""
    row = session.get(Run, run_id, with_for_update=True)
    if row is None:
        raise NotFound(mark("run"), str(run_id), [str(i) for i in session.scalars(select(Run.id))])
    return row


def waiting_positions(session: Session, run_id: int) -> list[int]:
    """Return the positions of the run's waiting units in order."""
    query = (
        select(Judgment.position)
        .where(Judgment.run_id == run_id, Judgment.state == "waiting")
        .order_by(Judgment.position)
    )
    return list(session.scalars(query))


def positions_of(session: Session, judgment_ids: Sequence[int]) -> dict[int, int]:
    """Return the positions of judgments in their runs, by judgment id."""
    query = select(Judgment.id, Judgment.position).where(Judgment.id.in_(judgment_ids))
    return {judgment_id: position for judgment_id, position in session.execute(query)}


def asks_models(session: Session, run_id: int) -> bool:
    """Return whether the run calls models; an imported judge's run does not."""
    query = select(JudgeRow.protocol).join(Run, Run.judge_id == JudgeRow.id).where(Run.id == run_id)
    return bool(session.scalar(query))


def unscored_judgments(session: Session, run_id: int) -> list[Judgment]:
    """Return the run's judgments whose replies have no score, in order."""
    query = select(Judgment).where(Judgment.run_id == run_id, Judgment.state == "unscored")
    return list(session.scalars(query.order_by(Judgment.position)))


def judgments_by_response(session: Session, run_id: int, response_id: int) -> list[Judgment]:
    """Return the run's judgments of the response with this row id."""
    query = select(Judgment).where(Judgment.run_id == run_id, same_item(response_id))
    judgments = session.scalars(query.order_by(Judgment.position))
    return [
        judgment
        for judgment in judgments
        if judgment.response_id == response_id or response_id in judgment.members
    ]


def same_item(response_id: int) -> ColumnElement[bool]:
    """Return the condition that a judgment is of any response of this response's item.

    The judgment of a whole item is stored under its first response, so callers must also check
    `members`.
    """
    item = select(ResponseRow.item_id).where(ResponseRow.id == response_id).scalar_subquery()
    return Judgment.response_id.in_(select(ResponseRow.id).where(ResponseRow.item_id == item))


def start_attempt(session: Session, run_id: int, attempt: int) -> bool:
    """Mark an attempt as running; return False if it is not the one to run any more."""
    run = locked_run(session, run_id)
    if run.attempt != attempt or run.state not in ("waiting", "running"):
        return False
    run.state = "running"
    run.started_at = run.started_at or now()
    if run.finished_at is not None:
        run.resumed_at = now()
        run.rested += (run.resumed_at - run.finished_at).total_seconds()
    run.finished_at = None
    return True


def request_stop(session: Session, run_id: int, reason: str, *, attempt: int | None = None) -> None:
    """Stop a running run because of a fault; the first reason stays.

    Does nothing if the run was resumed after the `attempt` with the fault.
    """
    _request_end(session, run_id, "stop", reason, attempt)


def request_pause(session: Session, run_id: int, reason: str, *, attempt: int | None = None) -> None:
    """Pause a running run for this reason; a person's request stays. See `request_stop`."""
    _request_end(session, run_id, "pause", reason, attempt)


def _request_end(session: Session, run_id: int, wanted: str, reason: str, attempt: int | None) -> None:
    run = locked_run(session, run_id)
    if run.wanted == "run" and attempt in (None, run.attempt):
        run.wanted, run.reason = wanted, reason


def remember_remote(session: Session, run_id: int, remote: Mapping[str, Any]) -> None:
    """Store the state of a run's batches."""
    locked_run(session, run_id).remote = dict(remote)


def end_run(run: Run, state: RunState, reason: str = "") -> None:
    """Set the run's final or paused state, with the reason if a fault ended it."""
    run.state = state
    run.reason = reason
    run.finished_at = now()


def _info(row: Run) -> RunInfo:
    return RunInfo(
        id=row.id,
        project_id=row.project_id,
        judge_id=row.judge_id,
        selection=row.selection,
        state=row.state,  # type: ignore[arg-type]  # the column is not limited to these values, but we are
        wanted=row.wanted,
        attempt=row.attempt,
        reason=row.reason,
        units=row.units,
        budget=row.budget,
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
        resumed_at=row.resumed_at,
        rested=row.rested,
        cache=row.cache,
        mode=row.mode,  # type: ignore[arg-type]  # as above
        remote=row.remote,
    )
