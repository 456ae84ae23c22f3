"""What runs and projects may cost, and what they cost so far, failed calls and open batches included."""

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
        """Its name in a worker's row."""
        return f"{self.kind} {self.id}"


class BudgetState(NamedTuple):
    """What is spent of a budget, and what other processes may still spend, in US dollars."""

    spent: float
    others: float


def budget_states(
    session: Session, executor_id: str | None, wanted: Sequence[Budget]
) -> dict[Budget, BudgetState]:
    """Return the state of budgets; no other process draws on any until the transaction ends."""
    query = select(Worker).where(Worker.beat_at >= alive_since()).order_by(Worker.id).with_for_update()
    rows = [worker for worker in session.scalars(query) if worker.executor_id != executor_id]
    found = {}
    for budget in wanted:
        cost = cost_of_run if budget.kind == "run" else cost_of_project
        others = sum(worker.holds.get(budget.key, 0.0) for worker in rows)
        found[budget] = BudgetState(cost(session, budget.id), others)
    return found


def publish_reserved(session: Session, executor_id: str | None, holds: Mapping[Budget, float]) -> None:
    """Write down what a process may still spend; one that is no worker has no place for it."""
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
    """Return the dollars a run cost so far; what has no known price is not in it."""
    return _cost(session, Judgment.run_id == run_id) + _expected_batch_cost(session, Run.id == run_id)


def cost_of_project(session: Session, project_id: int) -> float:
    """Return the dollars all runs of a project cost so far; what has no known price is not in it."""
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
    """Return what batches on their way are expected to cost."""
    query = select(Run.remote).where(condition, Run.mode == "batch")
    return sum(
        batch.get("expected") or 0.0
        for remote in session.scalars(query)
        for batch in remote.get("batches", ())
        if not batch.get("merged")
    )
