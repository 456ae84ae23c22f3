"""Stores the replies of a batch like live ones, matched by request id, since the order is not kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from judgelab.backends.openai_batches import BatchApi, BatchLine, sent_parameters
from judgelab.errors import BackendError
from judgelab.runs.batch.journal import BatchEntry
from judgelab.runs.batch.request_lines import BatchRequestId, parse_request_id
from judgelab.runs.calls.call_with_retries import FailedAttempt
from judgelab.runs.calls.model_calls import Answer
from judgelab.runs.calls.worker_context import Job
from judgelab.runs.execute.execution import reply_rows
from judgelab.runs.execute.records import failed_call
from judgelab.runs.execute.verdicts import make_verdict, replies_of
from judgelab.runs.plan.pricing import price_of
from judgelab.runs.plan.prompt_inputs import with_inputs
from judgelab.runs.plan.prompting import parameters_of
from judgelab.runs.plan.samples import Sample, samples_of
from judgelab.store.judging.failures import failed_request_ids
from judgelab.store.judging.judgments import JudgmentUnit, waiting_among, waiting_units
from judgelab.store.judging.verdicts import NewReply
from judgelab.wording import sentence

BLOCK = 500  # lines that are stored at a time


async def merge_results(job: Job, batches: BatchApi, entry: BatchEntry) -> BackendError | None:
    """Store all replies of an ended batch; safe to repeat. Requests that were not sent remain open.

    Returns the error after which no further request can succeed, if there was one.

    Raises:
        BackendError: the files cannot be had now.
    """
    sent = sent_parameters(await batches.download(entry.file))
    seen: set[int] = set()
    stopping: BackendError | None = None
    for file in filter(None, (entry.output, entry.errors)):
        text = await batches.download(file)
        for block in _blocks(batches.read(text, sent=sent, model=job.judge_config.judge.model)):
            seen.update(request.judgment for request, line in block if line.asked)
            stopping = await _store_block(job, block) or stopping
    if entry.state == "completed":
        await _fail_unanswered(job, entry, seen)
    return stopping


def _blocks(lines: Iterator[BatchLine]) -> Iterator[Sequence[tuple[BatchRequestId, BatchLine]]]:
    parsed = ((request, line) for line in lines if (request := parse_request_id(line.custom_id)) is not None)
    while block := list(islice(parsed, BLOCK)):
        yield block


async def _store_block(job: Job, block: Sequence[tuple[BatchRequestId, BatchLine]]) -> BackendError | None:
    units = await asyncio.to_thread(_waiting, job, [request.judgment for request, _ in block])
    stored = await asyncio.to_thread(_stored_units, job, list(units))
    final: dict[int, BackendError] = {}
    writes = []
    for request, line in block:
        unit = units.get(request.judgment)
        if unit is None or not line.asked:
            continue
        if line.error is None:
            writes += [job.worker_context.writer.keep(row) for row in _replies(job, unit, request, line)]
            continue
        before = unit.failures.get(request.samples[0])
        failed = failed_call(
            job.judge_config, unit, request.samples[0], FailedAttempt(1, line.error, 0.0, 0.0), before
        )
        # A merge that was cut off may have stored it; the unit waits all the same.
        new = (unit.judgment_id, failed.values["request_id"]) not in stored
        if new:
            writes.append(job.worker_context.writer.keep(failed))
        tries = new + (before.attempts if before else 0)
        again = job.worker_context.policy.allows(line.error, failures=tries, rate_limits=0)
        if not again and not line.teaches and not line.error.stops_run:
            final[unit.judgment_id] = line.error
            answer = Answer((), int(new), {line.error.cause: 1} if new else {}, line.error)
            rows = reply_rows(job.judge_config, unit, _requested_samples(job, unit, request), answer)
            writes += [job.worker_context.writer.keep(row) for row in rows]
    await asyncio.gather(*writes)
    await _conclude(job, list(units), final)
    stopping = [line.error for _, line in block if line.error is not None and line.error.stops_run]
    return stopping[0] if stopping else None


def _waiting(job: Job, judgment_ids: Sequence[int]) -> dict[int, JudgmentUnit]:
    with job.worker_context.store.reading() as session:
        units = with_inputs(session, job.judge_config, waiting_among(session, judgment_ids))
        return {unit.judgment_id: unit for unit in units}


def _stored_units(job: Job, judgment_ids: Sequence[int]) -> set[tuple[int, str]]:
    with job.worker_context.store.reading() as session:
        return failed_request_ids(session, judgment_ids)


def _requested_samples(job: Job, unit: JudgmentUnit, request: BatchRequestId) -> list[Sample]:
    samples = samples_of(job.judge_config, job.judge_config.task(unit), replies_of(unit))
    by_number = {sample.number: sample for sample in samples}
    return [by_number[number] for number in request.samples]


def _replies(job: Job, unit: JudgmentUnit, request: BatchRequestId, line: BatchLine) -> list[NewReply]:
    task = job.judge_config.task(unit)
    samples = _requested_samples(job, unit, request)
    parameters = parameters_of(job.judge_config, task, samples[0].call, structured=job.backend.structured)
    answer = Answer(line.replies, 1, {})
    rows = reply_rows(job.judge_config, unit, samples, answer, parameters=parameters)
    stored = replies_of(unit)  # a merge that was cut off may have stored it
    return [replace(row, values=_as_batch(job, row.values)) for row in rows if row.sample not in stored]


def _as_batch(job: Job, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply's row with the batch price; the model's latency is unknown."""
    endpoint = job.judge_config.endpoint
    price = price_of(endpoint.prices, job.judge_config.judge.model) if endpoint else None
    share = 1.0 if price is None or price.batch is None else price.batch
    cost = None if values["cost"] is None else values["cost"] * share
    return {**values, "cost": cost, "latency": None}


async def _conclude(job: Job, judgment_ids: Sequence[int], final: Mapping[int, BackendError]) -> None:
    units = await asyncio.to_thread(_waiting, job, judgment_ids)
    writes = []
    for unit in units.values():
        replies, error = replies_of(unit), final.get(unit.judgment_id)
        task = job.judge_config.task(unit)
        samples = samples_of(job.judge_config, task, replies)
        if error is not None or len(replies) >= len(samples):
            verdict = make_verdict(job.judge_config, unit, task, samples, replies, error=error)
            writes.append(job.worker_context.writer.keep(verdict))
    await asyncio.gather(*writes)


async def _fail_unanswered(job: Job, entry: BatchEntry, seen: set[int]) -> None:
    """Say of requests that a whole batch lost that no reply came: they would be asked for ever."""
    reason = sentence("the batch ended without a result for this request")
    error = BackendError(reason, cause="no_reply", retryable=False)

    def lost() -> list[int]:
        with job.worker_context.store.reading() as session:
            units = waiting_units(session, job.run_id, low=entry.low, high=entry.high)
            return [unit.judgment_id for unit in units if unit.judgment_id not in seen]

    ids = await asyncio.to_thread(lost)
    await _conclude(job, ids, dict.fromkeys(ids, error))
