"""When a failed call is tried again, and after how long. Pure."""

from __future__ import annotations

import random
from dataclasses import dataclass

from judgelab.errors import BackendError

# The endpoint has too much to do: that is no fault of the item, so it is borne longer.
PATIENT = frozenset({"rate_limit", "overload"})
# What concerns everybody who calls the endpoint: it rests, for all runs and processes.
RESTING = frozenset({*PATIENT, "unreachable"})


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long apart a call is tried.

    Args:
        attempts: calls made for one reply at most.
        rate_limited: how often a 429 or 503 is borne; it rests the endpoint, so the item is not to blame.
        base: seconds before the second attempt; doubled for each further one.
        longest: seconds between two attempts at most, where the endpoint asks for none.
        longest_asked: seconds of Retry-After that are honoured; what asks for more is asked again then.
        unreachable: seconds without anybody at the address until a run stops.
        never_reached: the same for an address where nobody answered before: it may be wrong.
    """

    attempts: int = 5
    rate_limited: int = 30
    base: float = 0.5
    longest: float = 30.0
    longest_asked: float = 3600.0
    unreachable: float = 900.0
    never_reached: float = 60.0

    def allows(self, error: BackendError, *, failures: int, rate_limits: int) -> bool:
        """Return whether to try again after `failures` faults and `rate_limits` refusals of this call."""
        if not error.retryable:
            return False
        if error.cause == "unreachable":
            return True  # time decides, for the whole run (`patience`)
        if error.cause in PATIENT:
            return rate_limits < self.rate_limited
        return failures < self.attempts

    def patience(self, *, reached: bool) -> float:
        """Return for how many seconds an endpoint may be unreachable before a run stops."""
        return self.unreachable if reached else self.never_reached

    def delay(self, error: BackendError, *, tries: int, rng: random.Random) -> float:
        """Return the seconds to wait after the `tries`-th attempt.

        Never less than the endpoint asked for; the jitter on top spreads calls that failed together.
        """
        if error.retry_after is not None:
            return min(self.longest_asked, error.retry_after) * (1 + 0.1 * rng.random())
        grown: float = min(self.longest, self.base * 2 ** min(tries - 1, 30))
        return grown * (0.75 + 0.5 * rng.random())
