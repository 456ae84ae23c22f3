"""The requests of a batch: one line for each unit and what it lacks, up to the limits of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from judgelab.backends.openai_batches import MOST_BYTES, MOST_REQUESTS, BatchApi
from judgelab.errors import UserError
from judgelab.runs.calls.budgets import LONG_REPLY
from judgelab.runs.calls.worker_context import Job
from judgelab.runs.execute.execution import cached_replies, cached_rows
from judgelab.runs.execute.reply_cache import find_cached
from judgelab.runs.execute.verdicts import make_verdict, replies_of, verdict_without_prompt
from judgelab.runs.plan.pricing import Price, price_of
from judgelab.runs.plan.prompt_inputs import with_inputs
from judgelab.runs.plan.prompting import parameters_of
from judgelab.runs.plan.samples import Sample, by_prompt, samples_of
from judgelab.runs.plan.tokens import estimate_tokens
from judgelab.store.judging import budgets, runs
from judgelab.store.judging.judgments import JudgmentUnit, waiting_units
from judgelab.store.judging.run_counts import typical_call
from judgelab.store.judging.verdicts import NewReply, NewVerdict

BLOCK = 500  # units that are read at a time


class BatchRequestId(NamedTuple):
    """Which samples of which judgment one line asks for."""

    judgment: int
    samples: tuple[int, ...]

    @property
    def custom_id(self) -> str:
        """The name of the line: the judgment, and the samples that lack."""
        return f"{self.judgment}-{'.'.join(map(str, self.samples))}"


def parse_request_id(custom_id: str) -> BatchRequestId | None:
    """Return what a line asked for; None for a name that is not ours."""
    judgment, _, samples = custom_id.partition("-")
    try:
        return BatchRequestId(int(judgment), tuple(int(sample) for sample in samples.split(".")))
    except ValueError:
        return None


@dataclass
class WrittenRequests:
    """A file in the making.

    Attributes:
        high: the position behind the last unit in it.
        expected: US dollars that it will about cost; None without a price.
        unaffordable: whether a budget ended it.
        cached: replies that were bought before.
        settled: units that need no request, as they are stored.
    """

    high: int
    expected: float | None
    lines: bytearray = field(default_factory=bytearray)
    requests: int = 0
    unaffordable: bool = False
    cached: list[NewReply] = field(default_factory=list)
    settled: list[NewVerdict] = field(default_factory=list)


class BudgetLimits(NamedTuple):
    """What a request will about cost, and what the budgets leave; None = no price, no budget."""

    price: Price | None
    reply_tokens: float
    remaining: float | None


def write_requests(job: Job, batches: BatchApi, low: int, high: int) -> WrittenRequests:
    """Return the requests for the open units at positions low to high - 1, as many as fit in a file."""
    means = _budget_limits(job)
    written = WrittenRequests(low, None if means.price is None else 0.0)
    for start in range(low, high, BLOCK):
        with job.worker_context.store.reading() as session:
            waiting = waiting_units(session, job.run_id, low=start, high=min(high, start + BLOCK))
            units = with_inputs(session, job.judge_config, waiting)
            places = runs.positions_of(session, [unit.judgment_id for unit in units])
            cached = find_cached(session, job.judge_config, units, structured=job.backend.structured)
        for unit in units:
            if not _add_unit(job, batches, written, unit, means, cached.get(unit.judgment_id, {})):
                return written
            written.high = places[unit.judgment_id] + 1
    written.high = high
    return written


def _add_unit(
    job: Job,
    batches: BatchApi,
    written: WrittenRequests,
    unit: JudgmentUnit,
    means: BudgetLimits,
    cached: Mapping[int, Mapping[str, Any]],
) -> bool:
    """Add a unit, without the samples that were bought before; return whether there was room for it."""
    task, replies = job.judge_config.task(unit), replies_of(unit)
    try:
        samples = samples_of(job.judge_config, task, replies)
    except UserError as error:
        written.settled.append(verdict_without_prompt(unit, error))
        return True
    written.cached += cached_rows(unit, samples, cached)
    replies.update(cached_replies(samples, cached))
    samples = samples_of(job.judge_config, task, replies)
    missing = [sample for sample in samples if sample.number not in replies]
    if not missing:
        # All was bought before; or storing was cut off between the replies and the verdict.
        written.settled.append(make_verdict(job.judge_config, unit, task, samples, replies))
        return True
    groups = _groups(job, missing)
    lines = _lines(job, batches, unit, groups)
    cost = 0.0
    if means.price is not None and written.expected is not None:
        prompt = sum(estimate_tokens(message.content) for same in groups for message in same[0].call.messages)
        cost = means.price.of(prompt, means.reply_tokens * len(missing)) or 0.0
        if means.remaining is not None and written.expected + cost > means.remaining:
            written.unaffordable = True
            return False
    size = sum(map(len, lines))
    if written.requests + len(lines) > MOST_REQUESTS or len(written.lines) + size > MOST_BYTES:
        return False
    written.lines += b"".join(lines)
    written.requests += len(lines)
    written.expected = None if written.expected is None else written.expected + cost
    return True


def _groups(job: Job, missing: Sequence[Sample]) -> list[list[Sample]]:
    """Return which samples one request asks for: those of a prompt, or each by itself."""
    if job.backend.choices_per_call(job.judge_config.judge.model) is None:
        return by_prompt(missing)
    return [[sample] for sample in missing]


def _lines(
    job: Job, batches: BatchApi, unit: JudgmentUnit, groups: Sequence[Sequence[Sample]]
) -> list[bytes]:
    task = job.judge_config.task(unit)
    lines = []
    for same in groups:
        first = same[0]
        parameters = parameters_of(job.judge_config, task, first.call, structured=job.backend.structured)
        lines.append(
            batches.request(
                BatchRequestId(unit.judgment_id, tuple(sample.number for sample in same)).custom_id,
                first.call.messages,
                {**parameters, "n": len(same)} if len(same) > 1 else parameters,
                first_sample=first.turn,
            )
        )
    return lines


def _budget_limits(job: Job) -> BudgetLimits:
    judge, endpoint = job.judge_config.judge, job.judge_config.endpoint
    price = price_of(endpoint.prices, judge.model) if endpoint else None
    with job.worker_context.store.reading() as session:
        usual = typical_call(session, judge.endpoint_id, judge.model)
        caps = budgets.budget_caps(session, [job.run_id])[job.run_id]
        rests = []
        if caps.run is not None:
            rests.append(caps.run - budgets.cost_of_run(session, job.run_id))
        if caps.project is not None:
            rests.append(caps.project - budgets.cost_of_project(session, caps.project_id))
    longest = float(judge.parameters.get("max_tokens") or LONG_REPLY)
    return BudgetLimits(
        price.in_batch() if price else None,
        usual.completion_tokens if usual else longest,
        min(rests, default=None),
    )
