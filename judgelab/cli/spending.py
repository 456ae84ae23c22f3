"""`run budget`: what a run may cost; and the estimate of a run before it starts."""

from __future__ import annotations

from typing import Annotated

import typer

from judgelab.cli import shared
from judgelab.runs import service
from judgelab.runs.estimate import RunEstimate, describe_estimate
from judgelab.runs.plan.budgeting import read_budget, set_budget
from judgelab.store.db.engine import Store


def register(runs: typer.Typer) -> None:
    """Add the command to those of `run`."""
    runs.command("budget")(budget)


def budget(
    run: int,
    amount: Annotated[str, typer.Argument(metavar="USD|none", help="US dollars; none = no limit.")],
    resume: Annotated[bool, typer.Option("--resume", help="Also resume the run.")] = False,
) -> None:
    """Change a run's budget."""
    store = shared.store()
    limit_usd = read_budget(amount)
    set_budget(store, run, limit_usd)
    if resume:
        service.resume(store, run)
    limit = "no limit" if limit_usd is None else f"{limit_usd:g} USD"
    print(f"Budget of run {run}: {limit}; cost so far: {_spent_text(store, run)}.")


def show_estimate(estimate: RunEstimate, *, as_json: bool) -> None:
    """Print the estimate of a run."""
    lines = [f"{label}: {value}" for label, value in describe_estimate(estimate)]
    if estimate.examples:
        lines.append(estimate.examples)
    if estimate.left is not None:
        lines.append(f"Remaining project budget: {estimate.left:,.2f} USD")
        if estimate.cost is None:
            lines.append("Calls without a known price don't count towards any budget.")
        elif estimate.cost.high > estimate.left:
            lines.append("The run may reach the budget; it would then pause.")
    shared.emit({**vars(estimate)}, as_json=as_json, text="\n".join(lines))


def _spent_text(store: Store, run: int) -> str:
    cost = service.run_status(store, run).cost
    return "unknown" if cost is None else f"{cost:,.2f} USD"
