"""What a batch brought, stored as live replies are: by the name of each request, since order is not kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

from judgelab.backends.openai_batches import Batches, Line, sent_parameters
from judgelab.errors import BackendError
from judgelab.runs.batch.journal import Entry
from judgelab.runs.batch.request_lines import Asked, asked_by
from judgelab.runs.calls.call_with_retries import FailedAttempt
from judgelab.runs.calls.model_calls import Answer
from judgelab.runs.calls.worker_context import Job
from judgelab.runs.execute.execution import rows_of
from judgelab.runs.execute.records import failed_call
from judgelab.runs.execute.verdicts import conclude, replies_of
from judgelab.runs.plan.pricing import price_of
from judgelab.runs.plan.prompt_inputs import supply
from judgelab.runs.plan.prompting import parameters_of
from judgelab.runs.plan.samples import Sample, samples_of
from judgelab.store.judging.failures import failed_request_ids
from judgelab.store.judging.judgments import JudgmentUnit, waiting_among, waiting_units
from judgelab.store.judging.verdicts import NewReply
from judgelab.wording import sentence

BLOCK = 500  # lines that are stored at a time


async def merge(job: Job, batches: Batches, entry: Entry) -> BackendError | None:
    """Store everything that an ended batch brought; safe to repeat. What it did not ask waits as before.

    Returns the error after which no further request can succeed, if there was one.

    Raises:
        BackendError: the files cannot be had now.
    """
    sent = sent_parameters(await batches.download(entry.file))
    seen: set[int] = set()
    stopping: BackendError | None = None
    for file in filter(None, (entry.output, entry.errors)):
        text = await batches.download(file)
        for block in _blocks(batches.read(text, sent=sent, model=job.briefing.judge.model)):
            seen.update(asked.judgment for asked, line in block if line.asked)
            stopping = await _store(job, block) or stopping
    if entry.state == "completed":
        await _left_out(job, entry, seen)
    return stopping


def _blocks(lines: Iterator[Line]) -> Iterator[Sequence[tuple[Asked, Line]]]:
    known = ((asked, line) for line in lines if (asked := asked_by(line.custom_id)) is not None)
    while block := list(islice(known, BLOCK)):
        yield block


async def _store(job: Job, block: Sequence[tuple[Asked, Line]]) -> BackendError | None:
    units = await asyncio.to_thread(_waiting, job, [asked.judgment for asked, _ in block])
    told = await asyncio.to_thread(_told, job, list(units))
    final: dict[int, BackendError] = {}
    kept = []
    for asked, line in block:
        unit = units.get(asked.judgment)
        if unit is None or not line.asked:
            continue
        if line.error is None:
            kept += [job.bench.writer.keep(row) for row in _replies(job, unit, asked, line)]
            continue
        before = unit.failures.get(asked.samples[0])
        failed = failed_call(
            job.briefing, unit, asked.samples[0], FailedAttempt(1, line.error, 0.0, 0.0), before
        )
        # A merge that was cut off may have stored it; the unit waits all the same.
        new = (unit.judgment_id, failed.values["request_id"]) not in told
        if new:
            kept.append(job.bench.writer.keep(failed))
        tries = new + (before.attempts if before else 0)
        again = job.bench.policy.allows(line.error, failures=tries, rate_limits=0)
        if not again and not line.teaches and not line.error.stops_run:
            final[unit.judgment_id] = line.error
            answer = Answer((), int(new), {line.error.cause: 1} if new else {}, line.error)
            rows = rows_of(job.briefing, unit, _asked(job, unit, asked), answer)
            kept += [job.bench.writer.keep(row) for row in rows]
    await asyncio.gather(*kept)
    await _conclude(job, list(units), final)
    stopping = [line.error for _, line in block if line.error is not None and line.error.stops_run]
    return stopping[0] if stopping else None


def _waiting(job: Job, judgment_ids: Sequence[int]) -> dict[int, JudgmentUnit]:
    with job.bench.store.reading() as session:
        units = supply(session, job.briefing, waiting_among(session, judgment_ids))
        return {unit.judgment_id: unit for unit in units}


def _told(job: Job, judgment_ids: Sequence[int]) -> set[tuple[int, str]]:
    with job.bench.store.reading() as session:
        return failed_request_ids(session, judgment_ids)


def _asked(job: Job, unit: JudgmentUnit, asked: Asked) -> list[Sample]:
    samples = samples_of(job.briefing, job.briefing.task(unit), replies_of(unit))
    by_number = {sample.number: sample for sample in samples}
    return [by_number[number] for number in asked.samples]


def _replies(job: Job, unit: JudgmentUnit, asked: Asked, line: Line) -> list[NewReply]:
    task = job.briefing.task(unit)
    samples = _asked(job, unit, asked)
    parameters = parameters_of(job.briefing, task, samples[0].call, structured=job.backend.structured)
    answer = Answer(line.replies, 1, {})
    rows = rows_of(job.briefing, unit, samples, answer, parameters=parameters)
    there = replies_of(unit)  # a merge that was cut off may have stored it
    return [replace(row, values=_as_batch(job, row.values)) for row in rows if row.sample not in there]


def _as_batch(job: Job, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a reply's row with the price of a batch; how long the model took nobody knows."""
    endpoint = job.briefing.endpoint
    price = price_of(endpoint.prices, job.briefing.judge.model) if endpoint else None
    share = 1.0 if price is None or price.batch is None else price.batch
    cost = None if values["cost"] is None else values["cost"] * share
    return {**values, "cost": cost, "latency": None}


async def _conclude(job: Job, judgment_ids: Sequence[int], final: Mapping[int, BackendError]) -> None:
    units = await asyncio.to_thread(_waiting, job, judgment_ids)
    kept = []
    for unit in units.values():
        replies, error = replies_of(unit), final.get(unit.judgment_id)
        task = job.briefing.task(unit)
        samples = samples_of(job.briefing, task, replies)
        if error is not None or len(replies) >= len(samples):
            verdict = conclude(job.briefing, unit, task, samples, replies, error=error)
            kept.append(job.bench.writer.keep(verdict))
    await asyncio.gather(*kept)


async def _left_out(job: Job, entry: Entry, seen: set[int]) -> None:
    """Say of requests that a whole batch lost that no reply came: they would be asked for ever."""
    said = sentence("the batch ended without a line for this request")
    error = BackendError(said, cause="no_reply", retryable=False)

    def lost() -> list[int]:
        with job.bench.store.reading() as session:
            units = waiting_units(session, job.run_id, low=entry.low, high=entry.high)
            return [unit.judgment_id for unit in units if unit.judgment_id not in seen]

    ids = await asyncio.to_thread(lost)
    await _conclude(job, ids, dict.fromkeys(ids, error))
