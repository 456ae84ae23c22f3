"""Judging units: prompt, replies stored as they came, then read, then a verdict."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

from judgelab.domain import Task
from judgelab.errors import BackendError, UserError
from judgelab.runs.calls.call_with_retries import FailedAttempt
from judgelab.runs.calls.chunk_lease import Holding
from judgelab.runs.calls.model_calls import Answer, ask
from judgelab.runs.calls.rate_limits import Halted
from judgelab.runs.calls.worker_context import Bench, Job
from judgelab.runs.execute.records import cached_values, failed_call, failure_values, reply_values
from judgelab.runs.execute.reply_cache import Hits, hits, reply_of, to_cache
from judgelab.runs.execute.verdicts import conclude, replies_of, unpromptable
from judgelab.runs.plan.judge_config import Briefing
from judgelab.runs.plan.prompt_inputs import supply
from judgelab.runs.plan.prompting import parameters_of
from judgelab.runs.plan.samples import Questions, Sample, together
from judgelab.store.judging.judgments import JudgmentUnit, StoredReply, waiting_units
from judgelab.store.judging.verdicts import NewReply
from judgelab.wording import sentence

Cached = Mapping[int, Mapping[str, Any]]  # replies bought before, by sample

T = TypeVar("T")
# Says nothing of the model: the next prompt may well be answered.
OF_THE_PROMPT = frozenset({"too_long"})


async def judge_chunk(
    bench: Bench, run_id: int, attempt: int, *, low: int, high: int, holding: Holding | None = None
) -> Literal["done", "halted"]:
    """Judge what waits at the positions low to high - 1; safe to repeat: what is stored is not asked again.

    Returns "halted" when the run was paused, cancelled or stopped before all were judged; answers that
    were in flight then are stored first.
    """
    try:
        async with bench.job(run_id, attempt, holding) as job:
            units, cached = await asyncio.to_thread(_load, job, low, high)
            judging = [_judge_or_halt(job, unit, cached.get(unit.judgment_id, {})) for unit in units]
            outcomes = await gathered(judging)
    except Halted:
        return "halted"
    return "done" if all(outcomes) else "halted"


def _load(job: Job, low: int, high: int) -> tuple[list[JudgmentUnit], Hits]:
    with job.bench.store.reading() as session:
        units = supply(session, job.briefing, waiting_units(session, job.run_id, low=low, high=high))
        return units, hits(session, job.briefing, units, structured=job.backend.structured)


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
    task, replies = job.briefing.task(unit), replies_of(unit)
    try:
        questions = Questions(job.briefing, task)
    except UserError as error:
        await job.bench.writer.keep(unpromptable(unit, error))
        return
    first, samples = None, questions.samples(replies)
    while first is None:
        await _take_cached(job, unit, samples, cached, replies)
        missing = [sample for sample in samples if sample.number not in replies]
        asking = [_ask_prompt(job, unit, task, same, replies) for same in together(missing)]
        errors = [error for found in await gathered(asking) for error in found]
        first = errors[0] if errors else None
        known, samples = len(samples), questions.samples(replies)
        if len(samples) == known:
            break
        # The talk goes on: what was said first is part of the next prompt.
        cached = await asyncio.to_thread(_hits_now, job, unit, replies)
    await job.bench.writer.keep(conclude(job.briefing, unit, task, samples, replies, error=first))


def _hits_now(job: Job, unit: JudgmentUnit, replies: Mapping[int, StoredReply]) -> Cached:
    answered = replace(unit, replies=tuple(replies.values()))
    with job.bench.store.reading() as session:
        found = hits(session, job.briefing, [answered], structured=job.backend.structured)
    return found.get(unit.judgment_id, {})


async def _take_cached(
    job: Job,
    unit: JudgmentUnit,
    samples: Sequence[Sample],
    cached: Cached,
    replies: dict[int, StoredReply],
) -> None:
    """Store the replies that were bought before as this unit's own, and note them."""
    if not await _kept(job, cached_rows(unit, samples, cached)):
        raise Halted
    replies.update(cached_replies(samples, cached))


async def _kept(job: Job, rows: Sequence[NewReply]) -> bool:
    """Store what came; return whether it stands there: False where the answer of another call does."""
    return all(await asyncio.gather(*(job.bench.writer.keep(row) for row in rows)))


def cached_rows(unit: JudgmentUnit, samples: Sequence[Sample], cached: Cached) -> list[NewReply]:
    """Return replies that were bought before as a unit's own rows."""
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
    """Return the replies that were bought before by sample."""
    return {s.number: reply_of(s, cached[s.number]) for s in samples if s.number in cached}


async def gathered(work: Iterable[Awaitable[T]]) -> list[T]:
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
    parameters = parameters_of(job.briefing, task, missing[0].call, structured=job.backend.structured)
    if len(missing) > 1 and job.backend.choices_per_call(job.briefing.judge.model) is None:
        answer = await _sample(job, unit, {**parameters, "n": len(missing)}, missing, replies)
        if answer.error is not None:
            return [answer.error]
        missing = [sample for sample in missing if sample.number not in replies]
    found = await gathered(_sample(job, unit, parameters, [sample], replies) for sample in missing)
    return [answer.error for answer in found if answer.error is not None]


async def _sample(
    job: Job,
    unit: JudgmentUnit,
    parameters: Mapping[str, Any],
    samples: Sequence[Sample],
    replies: dict[int, StoredReply],
) -> Answer:
    """Ask for these samples of a prompt in one call, store what comes, note the replies, and return it."""
    first = samples[0]
    messages = first.call.messages
    before = unit.failures.get(first.number)

    async with job.bench.budgets.held(job, messages, samples=len(samples)) as held:

        async def note(failed: FailedAttempt) -> None:
            row = failed_call(job.briefing, unit, first.number, failed, before)
            await job.bench.writer.keep(row)
            held.cost += row.values["cost"] or 0.0

        async def keep(answer: Answer) -> None:
            rows = rows_of(job.briefing, unit, samples, answer, parameters=parameters)
            there = await _kept(job, rows)
            held.cost += sum(row.values["cost"] or 0.0 for row in rows)
            if not there:
                raise Halted  # the verdict is made of the other answer

        answer = await ask(job, messages, parameters, first_sample=first.turn, keep=keep, note=note)
        if answer.error is not None:
            await keep(answer)
    if answer.error is None:
        job.control.succeeded()
    elif answer.error.cause not in OF_THE_PROMPT and job.control.gave_up():
        why = sentence(
            "many calls in a row got no answer; the last one: {problem}", problem=str(answer.error)
        )
        await job.bench.stop(job.run_id, why)
    for sample, reply in zip(samples, answer.replies, strict=False):
        said = (reply.text, reply.finish_reason, reply.logprobs, reply.top_logprobs)
        replies[sample.number] = StoredReply(sample.number, *said, sample.call.key, sample.call.data)
    return answer


def rows_of(
    briefing: Briefing,
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
        values = reply_values(reply, answer, sample, briefing, before=before, first=sample is first)
        kept = parameters and to_cache(briefing, reply, values, parameters=parameters, sample=sample)
        rows.append(NewReply(unit.judgment_id, sample.number, values, sample.shown, kept or None))
    return rows
