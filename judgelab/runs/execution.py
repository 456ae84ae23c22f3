"""Judging units: prompt, replies stored as they came, then read, then a verdict."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from judgelab.domain import Message, Task
from judgelab.errors import BackendError, UserError
from judgelab.protocols.prompts import prompt_hash
from judgelab.runs.asking import Answer, FailedAttempt, ask
from judgelab.runs.bench import Bench, Job
from judgelab.runs.briefing import Briefing
from judgelab.runs.limits import Halted
from judgelab.runs.prompting import parameters_of
from judgelab.runs.records import cached_values, failed_call, failure_values, reply_values
from judgelab.runs.reply_cache import Hits, hits, reply_of, to_cache
from judgelab.runs.verdicts import conclude, replies_of
from judgelab.store.judgments import ReplyToKeep, StoredReply, UnitRow, VerdictToKeep, waiting_units

Cached = Mapping[int, Mapping[str, Any]]  # replies bought before, by sample

# Says nothing of the model: the next prompt may well be answered.
OF_THE_PROMPT = frozenset({"too_long"})


async def judge_chunk(
    bench: Bench, run_id: int, attempt: int, *, low: int, high: int
) -> Literal["done", "halted"]:
    """Judge what waits at the positions low to high - 1; safe to repeat: what is stored is not asked again.

    Returns "halted" when the run was paused, cancelled or stopped before all were judged; answers that
    were in flight then are stored first.
    """
    try:
        async with bench.job(run_id, attempt) as job:
            units, cached = await asyncio.to_thread(_load, job, low, high)
            judging = (_judge_or_halt(job, unit, cached.get(unit.judgment_id, {})) for unit in units)
            outcomes = await asyncio.gather(*judging, return_exceptions=True)
    except Halted:
        return "halted"
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    return "done" if all(outcomes) else "halted"


def _load(job: Job, low: int, high: int) -> tuple[list[UnitRow], Hits]:
    with job.bench.store.reading() as session:
        units = waiting_units(session, job.run_id, low=low, high=high)
        return units, hits(session, job.briefing, units, structured=job.backend.structured)


async def _judge_or_halt(job: Job, unit: UnitRow, cached: Cached) -> bool:
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


async def _judge(job: Job, unit: UnitRow, cached: Cached) -> None:
    task = job.briefing.task(unit)
    try:
        messages = job.briefing.messages(task)
    except UserError as error:
        await job.bench.writer.keep(
            VerdictToKeep(unit.judgment_id, unit.response_id, "failed", str(error), "no_prompt")
        )
        return
    replies = replies_of(unit)
    await _take_cached(job, unit, messages, cached, replies)
    missing = [sample for sample in range(job.briefing.judge.samples) if sample not in replies]
    errors = await _gather_samples(job, unit, task, messages, missing=missing, replies=replies)
    await job.bench.writer.keep(
        conclude(job.briefing, unit, task, replies, error=errors[0] if errors else None)
    )


async def _take_cached(
    job: Job,
    unit: UnitRow,
    messages: Sequence[Message],
    cached: Cached,
    replies: dict[int, StoredReply],
) -> None:
    """Store the replies that were bought before as this unit's own, and note them."""
    rows = cached_rows(unit, messages, cached)
    await asyncio.gather(*(job.bench.writer.keep(row) for row in rows))
    replies.update({sample: reply_of(sample, values) for sample, values in cached.items()})


def cached_rows(unit: UnitRow, messages: Sequence[Message], cached: Cached) -> list[ReplyToKeep]:
    """Return replies that were bought before as a unit's own rows."""
    key, shown = prompt_hash(messages), _shown(messages)
    return [
        ReplyToKeep(unit.judgment_id, sample, cached_values(values, key, unit.failures.get(sample)), shown)
        for sample, values in cached.items()
    ]


async def _gather_samples(
    job: Job,
    unit: UnitRow,
    task: Task,
    messages: Sequence[Message],
    *,
    missing: list[int],
    replies: dict[int, StoredReply],
) -> list[BackendError]:
    """Fill `replies` with the missing samples: in one call where the endpoint allows, else one by one."""
    parameters = parameters_of(job.briefing, task, structured=job.backend.structured)
    together = job.backend.choices_per_call(job.briefing.judge.model) is None
    if len(missing) > 1 and together:
        answer = await _sample(job, unit, messages, {**parameters, "n": len(missing)}, missing, replies)
        if answer.error is not None:
            return [answer.error]
        missing = [sample for sample in missing if sample not in replies]
    found = await asyncio.gather(
        *(_sample(job, unit, messages, parameters, [sample], replies) for sample in missing),
        return_exceptions=True,
    )
    for outcome in found:
        if isinstance(outcome, BaseException):
            raise outcome
    return [answer.error for answer in found if isinstance(answer, Answer) and answer.error is not None]


async def _sample(
    job: Job,
    unit: UnitRow,
    messages: Sequence[Message],
    parameters: Mapping[str, Any],
    samples: Sequence[int],
    replies: dict[int, StoredReply],
) -> Answer:
    """Ask for these samples in one call, store what comes, note the replies, and return it."""
    before = unit.failures.get(samples[0])

    async with job.bench.budgets.held(job, messages, samples=len(samples)) as held:

        async def note(failed: FailedAttempt) -> None:
            row = failed_call(job.briefing, unit, samples[0], failed, before)
            await job.bench.writer.keep(row)
            held.cost += row.values["cost"] or 0.0

        answer = await ask(job, messages, parameters, first_sample=samples[0], note=note)
        rows = rows_of(job.briefing, unit, messages, samples, answer, parameters=parameters)
        await asyncio.gather(*(job.bench.writer.keep(row) for row in rows))
        held.cost += sum(row.values["cost"] or 0.0 for row in rows)
    if answer.error is None:
        job.control.succeeded()
    elif answer.error.cause not in OF_THE_PROMPT and job.control.gave_up():
        await job.bench.stop(job.run_id, f"many calls in a row got no answer; the last one: {answer.error}")
    for sample, reply in zip(samples, answer.replies, strict=False):
        replies[sample] = StoredReply(
            sample, reply.text, reply.finish_reason, reply.logprobs, reply.top_logprobs
        )
    return answer


def rows_of(
    briefing: Briefing,
    unit: UnitRow,
    messages: Sequence[Message],
    samples: Sequence[int],
    answer: Answer,
    *,
    parameters: Mapping[str, Any] | None = None,
) -> list[ReplyToKeep]:
    """Return what came of asking for some samples of a unit, as it is stored.

    With the `parameters` of the call, whole replies are kept for others who ask the same.
    """
    key, shown = prompt_hash(messages), _shown(messages)
    before = unit.failures.get(samples[0])
    if answer.error is not None:
        values = failure_values(answer, key, before)
        return [ReplyToKeep(unit.judgment_id, samples[0], values, shown)]
    rows = []
    for position, (sample, reply) in enumerate(zip(samples, answer.replies, strict=False)):
        values = reply_values(reply, answer, key, briefing, before=before, first=position == 0)
        kept = parameters and to_cache(briefing, reply, values, parameters=parameters, sample=sample)
        rows.append(ReplyToKeep(unit.judgment_id, sample, values, shown, kept or None))
    return rows


def _shown(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": message.role, "content": message.content} for message in messages]
