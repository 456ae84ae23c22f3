"""When a failed call is tried again, and after how long. Pure."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from judgelab.errors import BackendError

# The endpoint has too much to do: that is no fault of the item, so it is borne longer.
PATIENT = frozenset({"rate_limit", "overload"})
# What concerns everybody who calls the endpoint: it rests, for all runs and processes.
RESTING = frozenset({*PATIENT, "unreachable"})


def rests(error: BackendError) -> bool:
    """Return whether the endpoint rests after this error, for all: it has too much to do, or asks for it."""
    return error.cause in RESTING or error.retry_after is not None


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long apart a call is tried.

    Args:
        attempts: calls made for one reply at most.
        rate_limited: how often a 429 or 503 is borne; it rests the endpoint, so the item is not to blame.
        base: seconds before the second attempt; doubled for each further one.
        longest: seconds between two attempts at most, where the endpoint asks for none.
        longest_asked: seconds of Retry-After that are honoured; an endpoint that asks for more is asked again
            then: it may be back long before, and a mistaken header must not silence it for a year.
        unreachable: seconds without anybody at the address until a run stops.
        never_reached: the same for an address where nobody answered before: it may be wrong.
    """

    attempts: int = 6
    rate_limited: int = 30
    base: float = 0.25
    longest: float = 30.0
    longest_asked: float = 300.0
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
        """Return the seconds to wait after the `tries`-th failure of this sort.

        What the endpoint asked for, up to `longest_asked`: it then rests for everybody, and the rate limiter
        lets calls through one by one. Otherwise jitter spreads calls that failed together.
        """
        if error.retry_after is not None:
            return min(self.longest_asked, error.retry_after)
        grown: float = min(self.longest, self.base * 2 ** min(tries - 1, 30))
        return grown * (0.75 + 0.5 * rng.random())


class Tries:
    """The calls made for one reply so far: what failed among them, and when the next one may go out.

    Args:
        policy: when failed calls are tried again.
        rng: spreads the waits.
    """

    def __init__(self, policy: RetryPolicy, rng: random.Random) -> None:
        self.calls = 0
        self.faults: Counter[str] = Counter()
        self.last: BackendError | None = None
        self._policy = policy
        self._rng = rng

    def failed(self, error: BackendError) -> float | None:
        """Note a failed call; return the seconds until the next one, None where it was the last.

        Waits grow with failures of the same sort: an item whose endpoint rested twice has not failed twice.
        """
        self.faults[error.cause] += 1
        self.last = error
        refused = sum(self.faults[cause] for cause in PATIENT)
        away = self.faults["unreachable"]
        failures = self.faults.total() - refused - away
        if not self._policy.allows(error, failures=failures, rate_limits=refused):
            return None
        alike = refused if error.cause in PATIENT else away if error.cause == "unreachable" else failures
        return self._policy.delay(error, tries=alike, rng=self._rng)
