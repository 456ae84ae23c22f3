"""Budgets during a run: a call's expected cost is reserved before sending; a spent budget pauses the run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from judgelab.domain import Message
from judgelab.runs.calls.budget_lease import BudgetLease, BudgetNeed, CallPrices, allowance
from judgelab.runs.calls.rate_limits import Halted
from judgelab.runs.plan.judge_config import JudgeConfig
from judgelab.runs.plan.pricing import price_of
from judgelab.runs.plan.tokens import estimate_tokens
from judgelab.store.db.engine import Store
from judgelab.store.judging import budgets
from judgelab.store.judging.budgets import Budget, BudgetCaps, BudgetState
from judgelab.wording import Sentence, mark, sentence

if TYPE_CHECKING:
    from judgelab.runs.calls.worker_context import Job

LONG_REPLY = 300  # tokens, where no limit is sent and no earlier reply says more
SHARE_OF_TIME = 0.05  # of one thread, spent on adding up what was spent
DRAW_SECONDS = 0.05  # between two draws at least
WAIT_SECONDS = 0.25  # for what another process gives back
RUN_BUDGET_MET = mark(
    "the budget of this run is too small for another call: {spent} of {cap} USD are spent, and a call "
    "costs about {price} USD; raise the budget, then resume."
)
PROJECT_BUDGET_MET = mark(
    "the project's budget is too small for another call: all its runs together have cost {spent} of {cap} "
    "USD, and a call costs about {price} USD; raise the budget, then resume."
)


@dataclass
class Reservation:
    """The amount reserved for a call; `cost` is its actual cost, set once the reply is stored."""

    cost: float = 0.0


@dataclass
class _RunAccount:
    """One run in this process."""

    caps: BudgetCaps
    prices: CallPrices = field(default_factory=CallPrices)
    queue_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    last: float = 0.0


class Budgets:
    """The budgets of the runs that one process works on; belongs to one event loop.

    Args:
        store: the database.
        executor_id: this worker's name; None for a process that is no worker.
    """

    def __init__(self, store: Store, executor_id: str | None = None) -> None:
        self._store = store
        self._executor_id = executor_id
        self._accounts: dict[int, _RunAccount] = {}
        self._leases: dict[Budget, BudgetLease] = {}
        self._changed = asyncio.Condition()
        self._drawing = asyncio.Lock()
        self._drawn = 0.0
        self._due = 0.0

    async def refresh_if_due(self, run_ids: Sequence[int]) -> None:
        """Read the runs' budgets and costs from the database; less often the longer the query takes."""
        if time.monotonic() >= self._due or not all(run_id in self._accounts for run_id in run_ids):
            await self._refresh_allowance(run_ids)

    async def release(self) -> None:
        """Release what this process will not spend to the others."""
        self._accounts.clear()
        async with self._drawing:
            held = any(lease.cap is not None for lease in self._leases.values())
            if held and not self._accounts:
                await asyncio.to_thread(self._publish, {})

    async def overdrawn(self, run_id: int) -> Sentence | None:
        """Return why a run has to pause at once, or None; by the budget as it is now, not as it was read."""
        if not self._is_overdrawn(run_id):
            return None
        await self._refresh_allowance(list(self._accounts))
        return (
            self._exhausted_reason(run_id, self._accounts[run_id], 0.0)
            if self._is_overdrawn(run_id)
            else None
        )

    def _is_overdrawn(self, run_id: int) -> bool:
        account = self._accounts.get(run_id)
        if account is None or not account.last:
            return False
        leases = (self._leases[key] for key in _budgets_of(run_id, account.caps))
        return any(lease.cap is not None and lease.spent >= lease.cap for lease in leases)

    @asynccontextmanager
    async def reserved(
        self, job: Job, messages: Sequence[Message], *, samples: int
    ) -> AsyncIterator[Reservation]:
        """Reserve the expected cost of one call; waits while calls in flight may use up what is left.

        Raises:
            Halted: the budget is met, and the run pauses; or it was halted while it waited.
        """
        account = self._accounts.get(job.run_id)
        guess = guess_cost(job.judge_config, messages, samples)
        reservation = Reservation()
        if account is None or guess is None:
            # An unknown price counts against no budget; pages say so.
            yield reservation
            return
        leases = [self._leases[key] for key in _budgets_of(job.run_id, account.caps)]
        price = await self._wait(job, account, leases, guess)
        try:
            yield reservation
        finally:
            for lease in leases:
                lease.commit(price, reservation.cost)
            if reservation.cost:
                account.prices.learn(reservation.cost)
            await self._tell()

    async def _wait(
        self, job: Job, account: _RunAccount, leases: Sequence[BudgetLease], guess: float
    ) -> float:
        async with account.queue_lock:
            fresh = False
            while True:
                job.control.check()
                sure = account.prices.has_cost
                price = account.last = account.prices.expected(guess)
                rooms = {lease.room(price, sure=sure) for lease in leases}
                if rooms == {"yes"}:
                    for lease in leases:
                        lease.reserve(price)
                    return price
                for lease in leases:
                    lease.waiting = max(lease.waiting, price)
                if not fresh and "wait" not in rooms:
                    await self._refresh_allowance([*self._accounts, job.run_id])
                    fresh = True
                    continue
                reason = (
                    self._exhausted_reason(job.run_id, account, price if sure else 0.0)
                    if "met" in rooms
                    else None
                )
                if reason is not None:
                    await job.worker_context.pause_run(job.run_id, reason)
                    raise Halted
                await self._wait_for_change()
                fresh = False

    def _exhausted_reason(self, run_id: int, account: _RunAccount, price: float) -> Sentence | None:
        for key, reason in zip(
            _budgets_of(run_id, account.caps), (RUN_BUDGET_MET, PROJECT_BUDGET_MET), strict=True
        ):
            lease = self._leases[key]
            if lease.cap is not None and lease.total_spent + price > lease.cap:
                spent, cap = dollars(lease.total_spent), dollars(lease.cap)
                return sentence(reason, spent=spent, cap=cap, price=dollars(account.last))
        return None

    def _open(self, caps: Mapping[int, BudgetCaps]) -> None:
        self._accounts = {
            run_id: self._accounts.get(run_id) or _RunAccount(run_caps) for run_id, run_caps in caps.items()
        }
        for run_id, run_caps in caps.items():
            self._accounts[run_id].caps = run_caps
        keys = {key for run_id, run_caps in caps.items() for key in _budgets_of(run_id, run_caps)}
        open_leases = {key: lease for key, lease in self._leases.items() if key in keys or lease.calls}
        self._leases = {**{key: BudgetLease() for key in keys}, **open_leases}

    async def _refresh_allowance(self, run_ids: Sequence[int]) -> None:
        """Draw an allowance from each budget; budgets are read again, since one may have just been raised."""
        async with self._drawing:
            began = time.monotonic()
            await asyncio.sleep(max(0.0, self._drawn + DRAW_SECONDS - began))
            self._open(await asyncio.to_thread(self._caps, run_ids))
            caps = {
                key: cap
                for run_id, account in self._accounts.items()
                for key, cap in zip(_budgets_of(run_id, account.caps), account.caps[1:], strict=True)
            }
            leases = {key: self._leases[key] for key in caps}
            needs = {key: lease.freeze() for key, lease in leases.items()}
            try:
                drawn = await asyncio.to_thread(self._drawn_from, caps, needs)
                for key, (state, mine) in drawn.items():
                    leases[key].update(caps[key], *state, mine, need=needs[key])
            finally:
                for lease in leases.values():
                    lease.thaw()
            self._drawn = time.monotonic()
            self._due = self._drawn + (self._drawn - began) / SHARE_OF_TIME
        await self._tell()

    def _drawn_from(
        self, caps: Mapping[Budget, float | None], needs: Mapping[Budget, BudgetNeed]
    ) -> dict[Budget, tuple[BudgetState, float]]:
        drawn = {key: (BudgetState(0.0, 0.0), 0.0) for key in caps}
        limited = {key: cap for key, cap in caps.items() if cap is not None}
        if not limited:
            return drawn
        with self._store.writing() as session:
            for key, state in budgets.budget_states(session, self._executor_id, list(limited)).items():
                rest = limited[key] - state.spent - state.reserved_by_others
                drawn[key] = (state, allowance(rest, needs[key]))
            reserved = {key: max(drawn[key][1], needs[key].reserved) for key in limited}
            budgets.publish_reserved(session, self._executor_id, reserved)
        return drawn

    def _publish(self, reserved: Mapping[Budget, float]) -> None:
        with self._store.writing() as session:
            budgets.publish_reserved(session, self._executor_id, reserved)

    def _caps(self, run_ids: Sequence[int]) -> dict[int, BudgetCaps]:
        with self._store.reading() as session:
            return budgets.budget_caps(session, run_ids)

    async def _wait_for_change(self) -> None:
        try:
            async with asyncio.timeout(WAIT_SECONDS), self._changed:
                await self._changed.wait()
        except TimeoutError:
            return

    async def _tell(self) -> None:
        async with self._changed:
            self._changed.notify_all()


def _budgets_of(run_id: int, caps: BudgetCaps) -> tuple[Budget, Budget]:
    return Budget("run", run_id), Budget("project", caps.project_id)


def guess_cost(judge_config: JudgeConfig, messages: Sequence[Message], samples: int) -> float | None:
    """Return what a call will cost at most, roughly; None without a known price."""
    price = (
        price_of(judge_config.endpoint.prices, judge_config.judge.model) if judge_config.endpoint else None
    )
    if price is None:
        return None
    prompt = sum(estimate_tokens(message.content) for message in messages)
    return price.of(prompt, samples * float(judge_config.judge.parameters.get("max_tokens") or LONG_REPLY))


def dollars(amount: float) -> str:
    """Return an amount with cents, and with more digits where it is less than a dollar."""
    if amount >= 1:
        return f"{amount:,.2f}"
    exact = f"{amount:.4f}"
    return exact[:-2] + exact[-2:].rstrip("0")
