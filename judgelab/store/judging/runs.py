"""Runs: what the user asked for, what is so, and what is left to judge."""

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


class Candidate(NamedTuple):
    """A response that may be judged, with what a selection asks about."""

    response_id: int
    item_id: int
    system: str
    group: str


class RunKey(NamedTuple):
    """A run and its attempt: what the engine's workflow is named after."""

    run_id: int
    attempt: int


class DesiredState(NamedTuple):
    """What is wanted of a run, of which attempt, for how much money at most."""

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


def candidates(session: Session, project_id: int) -> list[Candidate]:
    """Return the responses of the project's data in the order they were imported."""
    query = (
        select(ResponseRow.id, ResponseRow.item_id, ResponseRow.system, ItemRow.group)
        .join(ItemRow, ItemRow.id == ResponseRow.item_id)
        .where(ResponseRow.project_id == project_id, ItemRow.purpose == "data")
        .order_by(ResponseRow.item_id, ResponseRow.id)
    )
    return driver_rows(session, query, Candidate._make)


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

    A unit is the response's row id, a criterion's key or "*", and the row ids of all responses of an item
    that is judged as a whole; these are none where a response is judged by itself.
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
    """Return all runs in a state (and with a wish), oldest first.

    Args:
        session: of the store.
        state: the state.
        wanted: the wish; None = any.
        backends: only runs of judges with these; None = any.
        besides: no runs of judges with these.
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
    """Return what is wanted of each run now, by run id; a deleted run is missing."""
    query = select(Run.id, Run.wanted, Run.attempt, Run.budget).where(Run.id.in_(run_ids))
    rows = session.execute(query)
    return {run_id: DesiredState(wanted, attempt, budget) for run_id, wanted, attempt, budget in rows}


def locked_run(session: Session, run_id: int) -> Run:
    """Return the run's row, locked until the transaction ends, to change its state; raises `NotFound`."""
    row = session.get(Run, run_id, with_for_update=True)
    if row is None:
        raise NotFound(mark("run"), str(run_id), [str(i) for i in session.scalars(select(Run.id))])
    return row


def waiting_positions(session: Session, run_id: int) -> list[int]:
    """Return the positions of the run's unjudged units in order."""
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
    """Return whether we ask for the run's replies; scores of an imported judge came as they are."""
    query = select(JudgeRow.protocol).join(Run, Run.judge_id == JudgeRow.id).where(Run.id == run_id)
    return bool(session.scalar(query))


def unscored_judgments(session: Session, run_id: int) -> list[Judgment]:
    """Return the run's judgments whose replies hold no score, in order."""
    query = select(Judgment).where(Judgment.run_id == run_id, Judgment.state == "unscored")
    return list(session.scalars(query.order_by(Judgment.position)))


def judgments_by_response(session: Session, run_id: int, response_id: int) -> list[Judgment]:
    """Return the run's judgments of the response with this row id."""
    query = select(Judgment).where(Judgment.run_id == run_id, same_item(response_id))
    found = session.scalars(query.order_by(Judgment.position))
    return [one for one in found if one.response_id == response_id or response_id in one.members]


def same_item(response_id: int) -> ColumnElement[bool]:
    """Return what holds for judgments of the response, and for those of other responses of its item.

    Of an item that was judged as a whole the judgment stands under the first response; whoever reads rows
    looks at `members`.
    """
    item = select(ResponseRow.item_id).where(ResponseRow.id == response_id).scalar_subquery()
    return Judgment.response_id.in_(select(ResponseRow.id).where(ResponseRow.item_id == item))


def start_attempt(session: Session, run_id: int, attempt: int) -> bool:
    """Mark an attempt as running; return whether it is still the one to run."""
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
    """Let a run that goes on come to rest because of a fault; the first reason stays.

    Not a run that was resumed after the `attempt` in which that came up.
    """
    _request_end(session, run_id, "stop", reason, attempt)


def request_pause(session: Session, run_id: int, reason: str, *, attempt: int | None = None) -> None:
    """Let a run that goes on pause by itself, with the reason; a person's wish stays. See `request_stop`."""
    _request_end(session, run_id, "pause", reason, attempt)


def _request_end(session: Session, run_id: int, wanted: str, reason: str, attempt: int | None) -> None:
    run = locked_run(session, run_id)
    if run.wanted == "run" and attempt in (None, run.attempt):
        run.wanted, run.reason = wanted, reason


def remember_remote(session: Session, run_id: int, remote: Mapping[str, Any]) -> None:
    """Note what is known of a run's batches."""
    locked_run(session, run_id).remote = dict(remote)


def end_run(run: Run, state: RunState, reason: str = "") -> None:
    """Give a run its state of rest, with the reason when a fault ended it."""
    run.state = state
    run.reason = reason
    run.finished_at = now()


def _info(row: Run) -> RunInfo:
    return RunInfo(
        id=row.id,
        project_id=row.project_id,
        judge_id=row.judge_id,
        selection=row.selection,
        state=row.state,  # type: ignore[arg-type]  # stored as a word; a constraint of ours, not of the column
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
