"""Judging units: send the prompt, store the raw replies, parse them, store the verdict."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

from judgelab.domain import Task
from judgelab.errors import BackendError, UserError
from judgelab.runs.calls.call_with_retries import FailedAttempt
from judgelab.runs.calls.chunk_lease import ChunkLease
from judgelab.runs.calls.model_calls import Answer, call_model
from judgelab.runs.calls.rate_limits import Halted
from judgelab.runs.calls.worker_context import Job, WorkerContext
from judgelab.runs.execute.records import cached_values, failed_call, failure_values, reply_values
from judgelab.runs.execute.reply_cache import CachedReplies, cacheable, find_cached, reply_of
from judgelab.runs.execute.verdicts import make_verdict, replies_of, verdict_without_prompt
from judgelab.runs.plan.judge_config import JudgeConfig
from judgelab.runs.plan.prompt_inputs import with_inputs
from judgelab.runs.plan.prompting import parameters_of
from judgelab.runs.plan.samples import Sample, UnitPrompts, by_prompt
from judgelab.store.judging.judgments import JudgmentUnit, StoredReply, waiting_units
from judgelab.store.judging.verdicts import NewReply
from judgelab.wording import sentence

Cached = Mapping[int, Mapping[str, Any]]  # replies bought before, by sample

T = TypeVar("T")
# Says nothing of the model: the next prompt may well be answered.
PROMPT_CAUSES = frozenset({"too_long"})


async def judge_positions(
    worker_context: WorkerContext,
    run_id: int,
    attempt: int,
    *,
    low: int,
    high: int,
    chunk_lease: ChunkLease | None = None,
) -> Literal["done", "halted"]:
    """Judge what waits at the positions low to high - 1; safe to repeat: what is stored is not asked again.

    Returns "halted" when the run was paused, cancelled or stopped before all were judged; answers that
    were in flight then are stored first.
    """
    try:
        async with worker_context.job(run_id, attempt, chunk_lease) as job:
            units, cached = await asyncio.to_thread(_load, job, low, high)
            judging = [_judge_or_halt(job, unit, cached.get(unit.judgment_id, {})) for unit in units]
            outcomes = await gather_all(judging)
    except Halted:
        return "halted"
    return "done" if all(outcomes) else "halted"


def _load(job: Job, low: int, high: int) -> tuple[list[JudgmentUnit], CachedReplies]:
    with job.worker_context.store.reading() as session:
        units = with_inputs(session, job.judge_config, waiting_units(session, job.run_id, low=low, high=high))
        return units, find_cached(session, job.judge_config, units, structured=job.backend.structured)


async def _judge_or_halt(job: Job, unit: JudgmentUnit, cached: Cached) -> bool:
    try:
        job.control.check()
        await _judge(job, unit, cached)
    except Halted:
        return False
    except BaseException:
        # Answers that cannot be stored must not be paid for any longer.
        job.control.end()
        raise
    return True


async def _judge(job: Job, unit: JudgmentUnit, cached: Cached) -> None:
    task, replies = job.judge_config.task(unit), replies_of(unit)
    try:
        questions = UnitPrompts(job.judge_config, task)
    except UserError as error:
        await job.worker_context.writer.keep(verdict_without_prompt(unit, error))
        return
    first, samples = None, questions.samples(replies)
    while first is None:
        await _take_cached(job, unit, samples, cached, replies)
        missing = [sample for sample in samples if sample.number not in replies]
        asking = [_ask_prompt(job, unit, task, same, replies) for same in by_prompt(missing)]
        errors = [error for unit_errors in await gather_all(asking) for error in unit_errors]
        first = errors[0] if errors else None
        count, samples = len(samples), questions.samples(replies)
        if len(samples) == count:
            break
        # The talk goes on: what was said first is part of the next prompt.
        cached = await asyncio.to_thread(_cached_now, job, unit, replies)
    await job.worker_context.writer.keep(
        make_verdict(job.judge_config, unit, task, samples, replies, error=first)
    )


def _cached_now(job: Job, unit: JudgmentUnit, replies: Mapping[int, StoredReply]) -> Cached:
    answered = replace(unit, replies=tuple(replies.values()))
    with job.worker_context.store.reading() as session:
        cached = find_cached(session, job.judge_config, [answered], structured=job.backend.structured)
    return cached.get(unit.judgment_id, {})


async def _take_cached(
    job: Job,
    unit: JudgmentUnit,
    samples: Sequence[Sample],
    cached: Cached,
    replies: dict[int, StoredReply],
) -> None:
    """Store cached replies as this unit's own and add them to its replies."""
    if not await _store_rows(job, cached_rows(unit, samples, cached)):
        raise Halted
    replies.update(cached_replies(samples, cached))


async def _store_rows(job: Job, rows: Sequence[NewReply]) -> bool:
    """Store the rows; return False if another call's answer was already stored."""
    return all(await asyncio.gather(*(job.worker_context.writer.keep(row) for row in rows)))


def cached_rows(unit: JudgmentUnit, samples: Sequence[Sample], cached: Cached) -> list[NewReply]:
    """Return cached replies as rows of the unit."""
    return [
        NewReply(
            unit.judgment_id,
            sample.number,
            cached_values(cached[sample.number], sample, unit.failures.get(sample.number)),
            sample.shown,
        )
        for sample in samples
        if sample.number in cached
    ]


def cached_replies(samples: Sequence[Sample], cached: Cached) -> dict[int, StoredReply]:
    """Return the cached replies by sample."""
    return {s.number: reply_of(s, cached[s.number]) for s in samples if s.number in cached}


async def gather_all(work: Iterable[Awaitable[T]]) -> list[T]:
    """Return what all of it comes to, once all of it has ended; the first exception is raised then."""
    work = list(work)
    if len(work) == 1:  # most units ask one prompt once: a task of its own would cost more than that
        return [await work[0]]
    outcomes = await asyncio.gather(*work, return_exceptions=True)
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    return [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]


async def _ask_prompt(
    job: Job, unit: JudgmentUnit, task: Task, missing: list[Sample], replies: dict[int, StoredReply]
) -> list[BackendError]:
    """Fill `replies` with the samples of one prompt: in one call if the endpoint allows, else one by one."""
    parameters = parameters_of(job.judge_config, task, missing[0].call, structured=job.backend.structured)
    if len(missing) > 1 and job.backend.choices_per_call(job.judge_config.judge.model) is None:
        answer = await _sample(job, unit, {**parameters, "n": len(missing)}, missing, replies)
        if answer.error is not None:
            return [answer.error]
        missing = [sample for sample in missing if sample.number not in replies]
    answers = await gather_all(_sample(job, unit, parameters, [sample], replies) for sample in missing)
    return [answer.error for answer in answers if answer.error is not None]


async def _sample(
    job: Job,
    unit: JudgmentUnit,
    parameters: Mapping[str, Any],
    samples: Sequence[Sample],
    replies: dict[int, StoredReply],
) -> Answer:
    """Request these samples of a prompt in one call, store the replies, and return the answer."""
    first = samples[0]
    messages = first.call.messages
    before = unit.failures.get(first.number)

    async with job.worker_context.budgets.reserved(job, messages, samples=len(samples)) as held:

        async def note(failed: FailedAttempt) -> None:
            row = failed_call(job.judge_config, unit, first.number, failed, before)
            await job.worker_context.writer.keep(row)
            held.cost += row.values["cost"] or 0.0

        async def keep(answer: Answer) -> None:
            rows = reply_rows(job.judge_config, unit, samples, answer, parameters=parameters)
            stored = await _store_rows(job, rows)
            held.cost += sum(row.values["cost"] or 0.0 for row in rows)
            if not stored:
                raise Halted  # the verdict is made of the other answer

        answer = await call_model(job, messages, parameters, first_sample=first.turn, keep=keep, note=note)
        if answer.error is not None:
            await keep(answer)
    if answer.error is None:
        job.control.succeeded()
    elif answer.error.cause not in PROMPT_CAUSES and job.control.gave_up():
        why = sentence("many calls in a row failed; the last error: {problem}", problem=str(answer.error))
        await job.worker_context.stop_run(job.run_id, why)
    for sample, reply in zip(samples, answer.replies, strict=False):
        content = (reply.text, reply.finish_reason, reply.logprobs, reply.top_logprobs)
        replies[sample.number] = StoredReply(sample.number, *content, sample.call.key, sample.call.data)
    return answer


def reply_rows(
    judge_config: JudgeConfig,
    unit: JudgmentUnit,
    samples: Sequence[Sample],
    answer: Answer,
    *,
    parameters: Mapping[str, Any] | None = None,
) -> list[NewReply]:
    """Return what came of asking for some samples of a prompt, as it is stored.

    With the `parameters` of the call, whole replies are kept for others who ask the same.
    """
    first = samples[0]
    before = unit.failures.get(first.number)
    if answer.error is not None:
        values = failure_values(answer, first, before)
        return [NewReply(unit.judgment_id, first.number, values, first.shown)]
    rows = []
    for sample, reply in zip(samples, answer.replies, strict=False):
        values = reply_values(reply, answer, sample, judge_config, before=before, first=sample is first)
        cache_entry = parameters and cacheable(
            judge_config, reply, values, parameters=parameters, sample=sample
        )
        rows.append(NewReply(unit.judgment_id, sample.number, values, sample.shown, cache_entry or None))
    return rows
