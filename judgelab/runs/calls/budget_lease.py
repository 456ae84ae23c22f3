"""Budgets of runs and projects as one process sees them. Pure.

A call's cost is known only afterwards, so each call reserves the expected cost before it is sent. A budget is
overdrawn at most by the amount by which calls in flight exceed their reservations.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Availability = Literal["yes", "draw", "wait", "met"]
ROUNDING = 1 + 1e-9  # a sum of cents is a little more or less than the cents


class BudgetNeed(NamedTuple):
    """What a process needs of a budget, in US dollars.

    `reserved` is for calls in flight, `waiting` for the dearest call that waits; `paid` is what it has paid.
    """

    reserved: float
    waiting: float
    paid: float


class BudgetLease:
    """One budget: of a run, or of all runs of a project.

    Several processes spend it. Each draws an allowance, which it publishes: the others count that as spent.
    """

    def __init__(self) -> None:
        self.cap: float | None = None
        self.spent = 0.0
        self.others = 0.0
        self.held = 0.0
        self.calls = 0
        self.waiting = 0.0
        self.frozen = False
        self._allowance = 0.0
        self._paid = 0.0
        self._paid_at_draw = 0.0

    @property
    def total_spent(self) -> float:
        """US dollars spent: the database's figure at the last draw plus what this process paid since."""
        return self.spent + self._since

    @property
    def _since(self) -> float:
        return self._paid - self._paid_at_draw

    def freeze(self) -> BudgetNeed:
        """Block calls until `update` or `thaw`; return what is needed now."""
        self.frozen = True
        need = BudgetNeed(self.held, self.waiting, self._paid)
        self.waiting = 0.0
        return need

    def thaw(self) -> None:
        """Allow calls again after a draw that failed."""
        self.frozen = False

    def update(
        self, cap: float | None, spent: float, others: float, allowance: float, *, need: BudgetNeed
    ) -> None:
        """Record what was drawn, and allow calls again.

        Args:
            cap: US dollars that may be spent; None = no limit.
            spent: US dollars that all processes spent, as the database knows.
            others: US dollars that other processes may still spend.
            allowance: US dollars that this process may spend, calls in flight included.
            need: what `freeze` returned; what was paid since may not be in `spent`.
        """
        self.cap, self.spent, self.others, self._allowance = cap, spent, others, allowance
        self._paid_at_draw = need.paid
        self.frozen = False

    def room(self, price: float, *, sure: bool) -> Availability:
        """Return whether a call of about this price may be sent now, or what has to come first.

        Args:
            price: what the call will cost.
            sure: whether earlier calls cost that. Before the first one it is a guess on the safe side, which
                lets a single call go ahead to find out.
        """
        if self.cap is None:
            return "yes"
        if self.frozen:
            return "wait"
        if self._since + self.held + price <= self._allowance * ROUNDING:
            return "yes"
        needed = price if sure else 0.0
        if self.calls:
            return "wait" if self.total_spent + self.held + price > self.cap else "draw"
        if self.total_spent >= self.cap or self.total_spent + needed > self.cap * ROUNDING:
            # What was paid while the database was read may be counted twice: only what it says itself counts.
            return "draw" if self._since else "met"
        return "yes" if not sure and self.total_spent + self.others < self.cap else "draw"

    def reserve(self, price: float) -> None:
        """Reserve the expected cost of a call."""
        self.held += price
        self.calls += 1

    def commit(self, price: float, cost: float) -> None:
        """Release a call's reservation and record its actual cost."""
        self.calls -= 1
        self.held = self.held - price if self.calls else 0.0
        self._paid += cost


def allowance(rest: float, need: BudgetNeed) -> float:
    """Return the allowance that a process takes from the unreserved part of a budget.

    What its calls in flight hold back, and half of what is left then, so that the others find something too;
    a whole call where half is less.
    """
    free = rest - need.reserved
    more = max(free / 2, need.waiting) if 0 < need.waiting <= free * ROUNDING else 0.0
    return max(0.0, min(rest, need.reserved + more))


class CallPrices:
    """What one call of a run costs: the mean of the latest ones, a guess before the first."""

    LATEST = 0.2  # share of the newest call in the mean

    def __init__(self) -> None:
        self._mean: float | None = None

    @property
    def has_cost(self) -> bool:
        """Whether the cost of at least one call is known."""
        return self._mean is not None

    def expected(self, guess: float) -> float:
        """Return the expected cost of the next call."""
        return guess if self._mean is None else self._mean

    def learn(self, cost: float) -> None:
        """Update the mean with the cost of a call."""
        self._mean = cost if self._mean is None else self._mean + self.LATEST * (cost - self._mean)
