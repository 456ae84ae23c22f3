"""Budgets over real HTTP: what was spent is counted whole, and a budget that is met pauses its runs."""

from __future__ import annotations

import asyncio
import math

import pytest

from judgelab.domain import Message
from judgelab.errors import InvalidInput
from judgelab.runs import service
from judgelab.runs.calls.budget_lease import BudgetLease, BudgetNeed, CallPrices, allowance
from judgelab.runs.calls.worker_context import WorkerContext
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.budgeting import read_budget, set_budget
from judgelab.runs.service import RunStatus
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import find_project, update_project
from tests.runs.conftest import Workers, rests, spec, wait_until
from tests.runs.judging import judge
from tests.runs.openai_server import Server
from tests.runs.projects import flasks

A_CALL = 0.01  # the server counts one token a reply; 10,000 USD are asked for a million of them
AT_ONCE = 4


def priced(store: Store, server: Server, units: int) -> str:
    """Store a project and an endpoint whose every call costs a cent."""
    endpoints.add_endpoint(store, "local", base_url=server.url, concurrency=AT_ONCE)
    endpoints.set_price(store, "local", "tiny", prompt=0, completion=10_000)
    return flasks(store, units)


def cost(status: RunStatus) -> float:
    return status.cost or 0.0


def limit_project(store: Store, slug: str, budget: float | None) -> None:
    with store.writing() as session:
        update_project(session, find_project(session, slug).id, settings={"budget_usd": budget})


def test_a_run_pauses_at_its_budget_says_so_and_goes_on_with_a_larger_one(
    any_store: Store, server: Server
) -> None:
    slug = priced(any_store, server, 60)
    run_id = service.create_run(any_store, slug, spec(), budget=0.2)
    assert judge(any_store, run_id) == "halted"
    with any_store.reading() as session:
        run = service.runs.find_run(session, run_id)
    assert run.wanted == "pause"
    assert run.reason.startswith(
        "the budget of this run is too small for another call: 0.20 of 0.20 USD are spent, and a call"
    )
    paused = service.run_status(any_store, run_id)
    assert (paused.scored, paused.budget, server.calls) == (20, 0.2, 20)
    set_budget(any_store, run_id, 0.35)
    service.resume(any_store, run_id)
    judge(any_store, run_id)
    assert math.isclose(cost(service.run_status(any_store, run_id)), 0.35)
    set_budget(any_store, run_id, None)
    service.resume(any_store, run_id)
    judge(any_store, run_id)
    assert (service.run_status(any_store, run_id).scored, server.calls) == (60, 60)


def test_a_budget_raised_a_moment_ago_is_heeded_before_a_run_is_paused(store: Store, server: Server) -> None:
    slug = priced(store, server, 30)
    run_id = service.create_run(store, slug, spec(), budget=0.2)
    assert judge(store, run_id) == "halted"
    service.resume(store, run_id)
    with store.reading() as session:
        attempt = service.runs.find_run(session, run_id).attempt

    async def call() -> None:
        worker_context = WorkerContext(store)
        async with worker_context.job(run_id, attempt) as job:  # which reads the budget as it was
            set_budget(store, run_id, 1.0)
            async with worker_context.budgets.reserved(job, [Message("user", "How good is it?")], samples=1):
                pass
        await worker_context.drain()

    asyncio.run(call())
    with store.reading() as session:
        assert service.runs.find_run(session, run_id).wanted == "run"


def test_what_an_attempt_finds_too_late_holds_no_run_that_was_resumed(store: Store, server: Server) -> None:
    run_id = service.create_run(store, priced(store, server, 4), spec())
    with store.writing() as session:
        run = service.runs.locked_run(session, run_id)
        run.attempt = 2
        service.runs.request_pause(session, run_id, "late", attempt=1)
        service.runs.request_stop(session, run_id, "late", attempt=1)
        assert (run.wanted, run.reason) == ("run", "")
        service.runs.request_pause(session, run_id, "in time", attempt=2)
        assert (run.wanted, run.reason) == ("pause", "in time")


def test_failed_calls_that_counted_tokens_use_up_the_budget(any_store: Store, server: Server) -> None:
    slug = priced(any_store, server, 60)
    server.habits.faults, server.habits.fault_rate = ("paid",), 0.5
    run_id = service.create_run(any_store, slug, spec(), budget=0.3)
    assert judge(any_store, run_id) == "halted"
    status = service.run_status(any_store, run_id)
    assert server.failed["paid"] > 3
    assert status.calls == server.calls
    assert math.isclose(cost(status), server.calls * A_CALL)
    # A call whose attempts fail costs more than was held back for it, at most so many times as it is tried.
    assert cost(status) <= 0.3 + AT_ONCE * A_CALL * 4


def test_two_runs_in_two_processes_keep_to_the_budget_of_their_project(
    any_store: Store, server: Server
) -> None:
    server.habits.latency = 0.05
    slug = priced(any_store, server, 80)
    limit_project(any_store, slug, 0.5)
    first = service.create_run(any_store, slug, spec(name="one"))
    second = service.create_run(any_store, slug, spec(name="two", parameters={"temperature": 0.5}))
    workers = Workers(any_store.url)
    try:
        workers.start()
        workers.start()
        states = [wait_until(any_store, run_id, rests) for run_id in (first, second)]
    finally:
        workers.stop()
    assert [status.state for status in states] == ["paused", "paused"]
    for status in states:
        assert status.reason.startswith(
            "the project's budget is too small for another call: all its runs together have cost"
        )
    total = sum(cost(service.run_status(any_store, run_id)) for run_id in (first, second))
    assert math.isclose(total, server.calls * A_CALL)
    assert 0.5 - A_CALL <= total + 1e-9
    assert total <= 0.5 + 2 * AT_ONCE * A_CALL


def test_what_has_no_known_price_is_unknown_and_counts_against_no_budget(
    store: Store, server: Server
) -> None:
    endpoints.add_endpoint(store, "local", base_url=server.url)
    slug = flasks(store, 5)
    limit_project(store, slug, 0.000001)
    run_id = service.create_run(store, slug, spec())
    judge(store, run_id)
    status = service.run_status(store, run_id)
    assert (status.scored, status.cost, status.uncounted) == (5, None, 5)
    with pytest.raises(InvalidInput, match="needs a price"):
        set_budget(store, run_id, 1.0)


@pytest.mark.parametrize("text", ["0", "-1", "much", "nan", "inf"])
def test_a_budget_is_more_than_nothing(text: str) -> None:
    assert (read_budget("12.5"), read_budget("none")) == (12.5, None)
    with pytest.raises(InvalidInput, match="budget"):
        read_budget(text)


def test_a_purse_draws_waits_for_what_is_in_flight_and_says_when_it_is_met() -> None:
    lease = BudgetLease()
    assert lease.room(5.0, sure=True) == "yes"
    lease.update(10.0, 4.0, 0.0, 3.0, need=lease.freeze())
    assert lease.room(3.0, sure=True) == "yes"
    lease.reserve(3.0)
    assert lease.room(1.0, sure=True) == "draw"
    assert lease.room(4.0, sure=True) == "wait"
    lease.commit(3.0, 1.0)
    assert lease.total_spent == 5.0
    assert lease.room(4.0, sure=True) == "draw"
    assert lease.room(5.5, sure=True) == "draw"
    assert lease.room(5.5, sure=False) == "yes"
    need = lease.freeze()
    assert (need, lease.room(1.0, sure=True)) == (BudgetNeed(0.0, 0.0, 1.0), "wait")
    # What was paid before the database was read is in its sum.
    lease.update(10.0, 5.0, 2.0, 0.0, need=need)
    assert lease.total_spent == 5.0
    assert lease.room(4.0, sure=True) == "draw"


def test_what_was_paid_while_the_database_was_read_is_not_taken_for_spent_twice() -> None:
    lease = BudgetLease()
    lease.update(0.05, 0.01, 0.0, 0.04, need=lease.freeze())
    lease.reserve(0.01)
    lease.reserve(0.01)
    need = lease.freeze()
    for _call in range(2):  # both are stored before the read and settled after it
        lease.commit(0.01, 0.01)
    lease.update(0.05, 0.03, 0.0, 0.02, need=need)
    assert lease.total_spent == pytest.approx(0.05)
    assert lease.room(0.01, sure=True) == "draw"
    lease.update(0.05, 0.03, 0.0, 0.02, need=lease.freeze())
    assert lease.room(0.01, sure=True) == "yes"
    lease.update(0.05, 0.05, 0.0, 0.0, need=lease.freeze())
    assert lease.room(0.01, sure=True) == "met"


def test_an_allowance_leaves_half_to_the_others_but_is_a_whole_call_or_nothing() -> None:
    assert allowance(10.0, BudgetNeed(reserved=2.0, waiting=1.0, paid=0.0)) == 6.0
    assert allowance(1.5, BudgetNeed(reserved=0.0, waiting=1.0, paid=0.0)) == 1.0
    assert allowance(0.5, BudgetNeed(reserved=0.0, waiting=1.0, paid=0.0)) == 0.0
    assert allowance(10.0, BudgetNeed(reserved=2.0, waiting=0.0, paid=0.0)) == 2.0
    # A first call, guessed too dear, holds more than there is; the next ones get no more than there is.
    assert allowance(0.5, BudgetNeed(reserved=3.0, waiting=0.01, paid=0.0)) == 0.5


def test_the_price_of_the_next_call_is_the_mean_of_the_latest() -> None:
    prices = CallPrices()
    assert prices.expected(7.0) == 7.0
    prices.learn(1.0)
    prices.learn(2.0)
    assert prices.expected(7.0) == pytest.approx(1.2)
