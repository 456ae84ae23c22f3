"""When a failed call is tried again, and after how long. Pure."""

from __future__ import annotations

import random
from dataclasses import dataclass

from judgelab.errors import BackendError


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long apart a call is tried.

    Args:
        attempts: calls made for one reply at most.
        rate_limited: how often a 429 is borne; it rests the endpoint, so the item is not to blame.
        base: seconds before the second attempt; doubled for each further one.
        longest: seconds between two attempts at most, Retry-After included.
    """

    attempts: int = 5
    rate_limited: int = 30
    base: float = 0.5
    longest: float = 120.0

    def allows(self, error: BackendError, *, failures: int, rate_limits: int) -> bool:
        """Return whether to try again after `failures` faults and `rate_limits` refusals of this call."""
        if not error.retryable:
            return False
        if error.cause == "rate_limit":
            return rate_limits < self.rate_limited
        return failures < self.attempts

    def delay(self, error: BackendError, *, tries: int, rng: random.Random) -> float:
        """Return the seconds to wait after the `tries`-th attempt.

        Never less than the endpoint asked for; the jitter on top spreads calls that failed together.
        """
        if error.retry_after is not None:
            return min(self.longest, error.retry_after) * (1 + 0.1 * rng.random())
        grown: float = min(self.longest, self.base * 2 ** (tries - 1))
        return grown * (0.75 + 0.5 * rng.random())
