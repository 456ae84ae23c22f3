"""How many calls at once an endpoint bears, felt out by its answers (AIMD: up by one, down by half). Pure."""

from __future__ import annotations

FEWEST_REFUSALS = 3
REFUSED_SHARE = 0.25
STEP = 8  # answers after which one more call is tried: from 1 to 64 within about 500 answers


class AdaptiveConcurrency:
    """Calls at once to one endpoint, between 1 and a limit.

    Too much refused (429, overload, timeouts) halves the width: at least three refusals, and a quarter of the
    width, before as many calls as the width were answered. One refusal among many answers is no sign of too
    many calls at once; it only rests the endpoint for as long as it asks. Calls that had begun before the
    width was halved do not count, so that sixty calls refused together halve it once.

    Args:
        limit: calls at once at most.
    """

    def __init__(self, limit: int) -> None:
        self.limit = max(1, limit)
        self.now = self.limit
        self.era = 0
        self._answered = 0
        self._refused = 0
        self._since_step = 0

    def allow(self, limit: int) -> None:
        """Change the limit; a width that was not held back by refusals follows it up."""
        limit = max(1, limit)
        self.now = limit if self.now == self.limit else min(self.now, limit)
        self.limit = limit

    def answered(self, era: int) -> None:
        """Note an answer to a call that began in `era`."""
        if era != self.era:
            return
        self._answered += 1
        if self._answered >= self.now:
            self._answered = self._refused = 0
        self._since_step += 1
        if self._since_step >= STEP:
            self._since_step = 0
            self.now = min(self.limit, self.now + 1)

    def refused(self, era: int) -> None:
        """Note a call that began in `era` and was refused, or got no answer in time."""
        if era != self.era:
            return
        self._refused += 1
        if self._refused >= max(FEWEST_REFUSALS, self.now * REFUSED_SHARE):
            self.now = max(1, self.now // 2)
            self.era += 1
            self._answered = self._refused = self._since_step = 0
