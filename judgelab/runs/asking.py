"""Asking a model until it answers or the policy says enough."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.domain import Message, Reply
from judgelab.errors import BackendError
from judgelab.runs.bench import Job
from judgelab.runs.deadline import within
from judgelab.runs.limits import Halted, Turn
from judgelab.runs.retry import PATIENT, RESTING
from judgelab.wording import sentence

log = logging.getLogger("judgelab.runs")
# Beyond the endpoint's own time limit: a server that drips one byte a second never runs into that one.
# The endpoint has too much to do, or is not there: fewer calls at once may help.
TOO_MUCH = frozenset({*RESTING, "timeout"})


@dataclass(frozen=True)
class Answer:
    """What came of asking: replies, or the error that ended the attempts."""

    replies: Sequence[Reply]
    attempts: int
    faults: Mapping[str, int]
    error: BackendError | None = None


@dataclass(frozen=True)
class FailedAttempt:
    """One call without a usable reply: its number, its seconds, and those until the next one may go out."""

    number: int
    error: BackendError
    latency: float
    waited: float


async def ask(
    job: Job,
    messages: Sequence[Message],
    parameters: Mapping[str, Any],
    *,
    first_sample: int,
    note: Callable[[FailedAttempt], Awaitable[None]],
) -> Answer:
    """Return the replies to one prompt, or why none came after all attempts.

    Args:
        job: the run at work.
        messages: the prompt.
        parameters: how it is asked.
        first_sample: the number of the first sample asked for.
        note: is told of each failed call before the next one.

    Raises:
        Halted: the run was paused, cancelled or stopped before an answer came.
    """
    faults: Counter[str] = Counter()
    attempts = 0
    while True:
        async with job.gate.entered(job.control) as turn:
            await job.bench.writer.until_well(job.control)
            attempts += 1
            began = time.perf_counter()
            try:
                replies = await _attempt(job, messages, parameters, first_sample)
                job.gate.reached()
                turn.answered()
                _count_tokens(job, replies)
                return Answer(replies, attempts, dict(faults))
            except BackendError as caught:
                error = caught
            latency = time.perf_counter() - began
            stopping = _stopping(job, turn, error)
            if stopping:
                # Before the place is free: whoever waits for it must not call any more.
                await job.bench.stop(job.run_id, stopping)
        parameters = {**parameters, **error.instead}
        faults[error.cause] += 1
        again = not stopping and _again(job, error, faults)
        wait = job.bench.policy.delay(error, tries=attempts, rng=job.bench.rng) if again else 0.0
        if error.cause in RESTING and again:
            # The endpoint rests, for everybody; the gate makes this call wait like all others.
            await job.bench.rest(job.briefing.endpoint, wait, str(error))
        await note(FailedAttempt(attempts, error, latency, wait))
        if stopping:
            raise Halted
        if not again:
            return Answer((), attempts, dict(faults), error)
        if error.cause not in RESTING:
            await job.control.sleep(wait)


async def _attempt(
    job: Job, messages: Sequence[Message], parameters: Mapping[str, Any], first_sample: int
) -> list[Reply]:
    call = job.backend.complete(messages, parameters, first_sample=first_sample)
    try:
        if job.backend.kind == "local":
            # It waits for its model and its batch, however long that takes; dropped, it costs nothing.
            return await job.control.unless_halted(call)
        return await within(call, job.backend.connection.timeout)
    except (BackendError, Halted):
        raise
    except Exception as error:
        # A backend that raises anything else has a mistake; the unit shows it, the run goes on.
        log.exception("backend %s", type(job.backend).__name__)
        raise BackendError(f"{type(error).__name__}: {error}", cause="unexpected", retryable=True) from error


def _stopping(job: Job, turn: Turn, error: BackendError) -> str:
    """Tell the gate how the call ended; return why the whole run has to stop, or nothing."""
    if error.cause in TOO_MUCH:
        turn.refused()
    if error.cause != "unreachable":
        if error.cause not in ("timeout", "connection"):
            job.gate.reached()
        return str(error) if error.stops_run else ""
    seconds = job.gate.unreachable()
    if seconds < job.bench.policy.patience(reached=job.gate.was_reached):
        return ""
    job.gate.start_anew()
    return sentence(
        "{problem} It was tried for {seconds} s; resume the run when it is there again.",
        problem=str(error),
        seconds=f"{seconds:.0f}",
    )


def _again(job: Job, error: BackendError, faults: Mapping[str, int]) -> bool:
    limited = sum(faults.get(cause, 0) for cause in PATIENT)
    failures = sum(faults.values()) - limited - faults.get("unreachable", 0)
    return job.bench.policy.allows(error, failures=failures, rate_limits=limited)


def _count_tokens(job: Job, replies: Sequence[Reply]) -> None:
    used = [tokens for reply in replies for tokens in vars(reply.usage).values() if tokens]
    job.gate.spend(sum(used))
