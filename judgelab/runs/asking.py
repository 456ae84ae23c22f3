"""Asking a model until it answers or the policy says enough."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.domain import Message, Reply
from judgelab.errors import BackendError
from judgelab.runs.bench import Job
from judgelab.runs.limits import Halted
from judgelab.wording import sentence

log = logging.getLogger("judgelab.runs")
# Beyond the endpoint's own time limit: a server that drips one byte a second never runs into that one.
GRACE_SECONDS = 5.0


@dataclass(frozen=True)
class Answer:
    """What came of asking: replies, or the error that ended the attempts."""

    replies: Sequence[Reply]
    attempts: int
    faults: Mapping[str, int]
    error: BackendError | None = None


async def ask(
    job: Job, messages: Sequence[Message], parameters: Mapping[str, Any], *, first_sample: int
) -> Answer:
    """Return the replies to one prompt, or why none came after all attempts.

    Raises:
        Halted: the run was paused, cancelled or stopped before an answer came.
    """
    faults: Counter[str] = Counter()
    attempts = 0
    while True:
        async with job.gate.entered(job.control):
            attempts += 1
            try:
                replies = await _attempt(job, messages, parameters, first_sample)
                _count_tokens(job, replies)
                return Answer(replies, attempts, dict(faults))
            except BackendError as caught:
                error = caught
        faults[error.cause] += 1
        if error.stops_run:
            await job.bench.stop(job.run_id, str(error))
            raise Halted
        limited = faults["rate_limit"]
        if not job.bench.policy.allows(error, failures=faults.total() - limited, rate_limits=limited):
            return Answer((), attempts, dict(faults), error)
        await _wait(job, error, attempts)


async def _attempt(
    job: Job, messages: Sequence[Message], parameters: Mapping[str, Any], first_sample: int
) -> list[Reply]:
    limit = job.backend.connection.timeout + GRACE_SECONDS
    try:
        async with asyncio.timeout(limit):
            return await job.backend.complete(messages, parameters, first_sample=first_sample)
    except TimeoutError:
        raise BackendError(
            sentence("no whole answer within {seconds} s", seconds=f"{limit:g}"),
            cause="timeout",
            retryable=True,
        ) from None
    except BackendError:
        raise
    except Exception as error:
        # A backend that raises anything else has a mistake; the unit shows it, the run goes on.
        log.exception("backend %s", type(job.backend).__name__)
        raise BackendError(f"{type(error).__name__}: {error}", cause="unexpected", retryable=True) from error


async def _wait(job: Job, error: BackendError, attempts: int) -> None:
    delay = job.bench.policy.delay(error, tries=attempts, rng=job.bench.rng)
    if error.cause == "rate_limit":
        # The endpoint rests, for everybody; the gate makes this call wait like all others.
        await job.bench.rest(job.briefing.endpoint, delay, str(error))
    else:
        await job.control.sleep(delay)


def _count_tokens(job: Job, replies: Sequence[Reply]) -> None:
    used = [tokens for reply in replies for tokens in vars(reply.usage).values() if tokens]
    job.gate.spend(sum(used))
