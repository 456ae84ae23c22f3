"""Calls a model for a run, with retries."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgelab.domain import Message, Reply
from judgelab.errors import BackendError
from judgelab.runs.calls.call_with_retries import FailedAttempt, call_with_retries
from judgelab.runs.calls.rate_limits import Halted, RateLimiter
from judgelab.runs.calls.retry_policy import RetryPolicy, Tries
from judgelab.runs.calls.run_control import RunControl
from judgelab.runs.calls.timeouts import with_timeout
from judgelab.runs.calls.worker_context import Job
from judgelab.wording import sentence

log = logging.getLogger("judgelab.runs")


@dataclass(frozen=True)
class Answer:
    """The result of a call: replies, or the error that ended the attempts."""

    replies: Sequence[Reply]
    attempts: int
    faults: Mapping[str, int]
    error: BackendError | None = None


async def call_model(
    job: Job,
    messages: Sequence[Message],
    parameters: Mapping[str, Any],
    *,
    first_sample: int,
    keep: Callable[[Answer], Awaitable[None]],
    note: Callable[[FailedAttempt], Awaitable[None]],
) -> Answer:
    """Return the replies to one prompt, or the error after the last attempt.

    Args:
        job: the run at work.
        messages: the prompt.
        parameters: how it is asked.
        first_sample: the number of the first sample asked for.
        keep: stores the replies; the next call goes out when they are.
        note: is told of each failed call before the next one.

    Raises:
        Halted: the run was paused, cancelled or stopped before an answer came.
    """
    way = _RunCallTarget(job)
    tries = Tries(way.policy, job.worker_context.rng)

    async def attempt(sent: Mapping[str, Any]) -> list[Reply]:
        return await _attempt(job, messages, sent, first_sample)

    async def keep_replies(replies: Sequence[Reply]) -> None:
        await keep(Answer(replies, tries.calls, dict(tries.faults)))

    replies, error, stopped = await call_with_retries(
        way, tries, attempt, parameters, keep=keep_replies, note=note
    )
    if stopped:
        raise Halted
    return Answer(replies, tries.calls, dict(tries.faults), error)


class _RunCallTarget:
    """A run's way to its endpoint."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.rate_limiter: RateLimiter = job.rate_limiter
        self.control: RunControl = job.control
        self.policy: RetryPolicy = job.worker_context.policy

    async def ready(self) -> None:
        """Return when answers can be stored, and the chunk is still ours."""
        await self._job.worker_context.writer.until_well(self.control)
        if self._job.chunk_lease is not None:
            await self._job.chunk_lease.check()

    async def cool_down(self, seconds: float, reason: str) -> None:
        """Keep all processes from calling the endpoint for this many seconds."""
        await self._job.worker_context.cool_down(self._job.judge_config.endpoint, seconds, reason)

    async def stop(self, reason: str) -> None:
        """Stop the run."""
        await self._job.worker_context.stop_run(self._job.run_id, reason)

    def unreachable_reason(self, error: BackendError, seconds: float) -> str:
        """Return why the run stops after its endpoint was unreachable for too long."""
        return sentence(
            "{problem} JudgeLab tried for {seconds} s; resume the run when the endpoint is available again.",
            problem=str(error),
            seconds=f"{seconds:.0f}",
        )


async def _attempt(
    job: Job, messages: Sequence[Message], parameters: Mapping[str, Any], first_sample: int
) -> list[Reply]:
    call = job.backend.complete(messages, parameters, first_sample=first_sample)
    try:
        if job.backend.kind == "local":
            # It waits for its model and its batch, however long that takes; dropped, it costs nothing.
            return await job.control.unless_halted(call)
        return await with_timeout(call, job.backend.connection)
    except (BackendError, Halted):
        raise
    except Exception as error:
        # A backend that raises anything else has a mistake; the unit shows it, the run goes on.
        log.exception("backend %s", type(job.backend).__name__)
        raise BackendError(f"{type(error).__name__}: {error}", cause="unexpected", retryable=True) from error
