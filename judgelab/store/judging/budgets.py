"""Budgets and costs of runs and projects, including failed calls and open batches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from judgelab.store.db.workers import alive_since
from judgelab.store.models import (
    Completion,
    EndpointRow,
    FailedCall,
    JudgeRow,
    Judgment,
    Project,
    Run,
    Worker,
)

BUDGET = "budget_usd"  # in a project's settings


class BudgetCaps(NamedTuple):
    """How many US dollars a run, and all runs of its project together, may cost; None = no limit."""

    project_id: int
    run: float | None
    project: float | None


class Budget(NamedTuple):
    """One budget: of a run, or of all runs of a project."""

    kind: Literal["run", "project"]
    id: int

    @property
    def key(self) -> str:
        """Return its key in `Worker.holds`."""
        return f"{self.kind} {self.id}"


class BudgetState(NamedTuple):
    """What is spent of a budget, and what other processes have reserved, in US dollars."""

    spent: float
    reserved_by_others: float


def budget_states(
    session: Session, executor_id: str | None, budgets: Sequence[Budget]
) -> dict[Budget, BudgetState]:
    """Return the states of budgets, locking out other processes until the transaction ends."""
    query = select(Worker).where(Worker.beat_at >= alive_since()).order_by(Worker.id).with_for_update()
    rows = [worker for worker in session.scalars(query) if worker.executor_id != executor_id]
    states = {}
    for budget in budgets:
        cost = cost_of_run if budget.kind == "run" else cost_of_project
        others = sum(worker.holds.get(budget.key, 0.0) for worker in rows)
        states[budget] = BudgetState(cost(session, budget.id), others)
    return states


def publish_reserved(session: Session, executor_id: str | None, holds: Mapping[Budget, float]) -> None:
    """Store what a worker has reserved of each budget; does nothing for a process that is no worker."""
    row = session.scalar(select(Worker).where(Worker.executor_id == executor_id))
    if row is not None:
        row.holds = {budget.key: amount for budget, amount in holds.items() if amount}


def budget_caps(session: Session, run_ids: Sequence[int]) -> dict[int, BudgetCaps]:
    """Return the caps by run id; a deleted run is missing."""
    query = (
        select(Run.id, Run.project_id, Run.budget, Project.settings)
        .join(Project, Project.id == Run.project_id)
        .where(Run.id.in_(run_ids))
    )
    return {
        run_id: BudgetCaps(project_id, budget, settings.get(BUDGET))
        for run_id, project_id, budget, settings in session.execute(query)
    }


def model_and_prices(session: Session, run_id: int) -> tuple[str, Mapping[str, Any]]:
    """Return a run's model and the price list of its endpoint, which may be empty."""
    query = (
        select(JudgeRow.model, EndpointRow.prices)
        .select_from(Run)
        .join(JudgeRow, JudgeRow.id == Run.judge_id)
        .outerjoin(EndpointRow, EndpointRow.id == JudgeRow.endpoint_id)
        .where(Run.id == run_id)
    )
    model, prices = session.execute(query).one()
    return model, prices or {}


def cost_of_run(session: Session, run_id: int) -> float:
    """Return what a run cost so far in US dollars; calls without a known price are not included."""
    return _cost(session, Judgment.run_id == run_id) + _expected_batch_cost(session, Run.id == run_id)


def cost_of_project(session: Session, project_id: int) -> float:
    """Return what a project's runs cost so far in US dollars, without calls of unknown price."""
    runs = select(Run.id).where(Run.project_id == project_id)
    return _cost(session, Judgment.run_id.in_(runs)) + _expected_batch_cost(
        session, Run.project_id == project_id
    )


def _cost(session: Session, condition: Any) -> float:
    total = 0.0
    for table in (Completion, FailedCall):
        query = select(func.sum(table.cost)).join(Judgment, Judgment.id == table.judgment_id)
        total += session.scalar(query.where(condition)) or 0.0
    return total


def _expected_batch_cost(session: Session, condition: Any) -> float:
    """Return the expected cost of batches that are not merged yet."""
    query = select(Run.remote).where(condition, Run.mode == "batch")
    return sum(
        batch.get("expected") or 0.0
        for remote in session.scalars(query)
        for batch in remote.get("batches", ())
        if not batch.get("merged")
    )
