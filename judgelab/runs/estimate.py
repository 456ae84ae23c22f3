"""What a run will take before it is started: units, calls, tokens, money, time."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from judgelab.backends import backends
from judgelab.errors import UserError
from judgelab.protocols import Call
from judgelab.protocols.core.base import continue_conversation
from judgelab.runs.execute.reply_cache import cached_share
from judgelab.runs.plan.judge_config import JudgeConfig
from judgelab.runs.plan.percentile_examples import describe_groups
from judgelab.runs.plan.pricing import Price, price_of
from judgelab.runs.plan.prompt_inputs import with_inputs
from judgelab.runs.plan.run_builder import RunDraft, build_run
from judgelab.runs.plan.spec import JudgeSpec, Selection
from judgelab.runs.plan.tokens import Tokenizer, tokenizer_of
from judgelab.store.db.engine import Session, Store
from judgelab.store.judging.budgets import BUDGET, cost_of_project
from judgelab.store.judging.judgments import JudgmentUnit, units_without_run
from judgelab.store.judging.run_counts import typical_call
from judgelab.store.judging.runs import CandidateResponse
from judgelab.store.projects.project_info import ProjectInfo
from judgelab.store.projects.projects import find_project

SAMPLED_UNITS = 50  # units that are looked at to know what the others take
MOST_CALLS = 500  # prompts that are built for it: an item of many responses takes hundreds
SHORT_REPLY, LONG_REPLY = 2, 300  # tokens, where neither a limit nor an earlier reply says more
QUICK_CALL, SLOW_CALL = 0.5, 8.0  # seconds, where no earlier call says more
BATCH_SECONDS = 24 * 3600.0  # within which the endpoint promises the replies of a batch


class Range(NamedTuple):
    """From the least to the most that is likely."""

    low: float
    high: float


@dataclass(frozen=True)
class RunEstimate:
    """What a run would take.

    Attributes:
        units: judgments.
        calls: fewest (the endpoint gives all samples in one call) to most (each sample by itself).
        completions: replies, whatever number of calls brings them.
        prompt_tokens: more calls send the prompt more often.
        tokenizer: by whose table prompts were counted; empty where they are estimated at four bytes a token.
        completion_tokens: from replies as short as the model's usual ones to the limit.
        cost: US dollars; 0 for a script, None when no price of the model is known.
        seconds: at the endpoint's limits; up to a day for a batch.
        measured: whether time and length of replies come from earlier calls to this model.
        batch_share: what a call in a batch costs, as a share of a live one; None where no price list says it.
        cached: completions bought before, which need no call: about, where more than 50 units are judged.
        examples: which groups are not judged because the examples come from them; empty where none are shown
            by percentile.
        left: US dollars that the project's budget leaves for this and all other runs; None without one.
    """

    units: int
    samples: int
    calls: Range
    completions: int
    prompt_tokens: Range
    completion_tokens: Range
    cost: Range | None
    seconds: Range
    measured: bool
    tokenizer: str = ""
    batch_share: float | None = None
    left: float | None = None
    cached: int = 0
    examples: str = ""


def estimate(
    store: Store,
    slug: str,
    spec: JudgeSpec,
    selection: Selection | None = None,
    *,
    batch: bool = False,
    cache: bool = True,
) -> RunEstimate:
    """Return what a run would take, live or as a batch; nothing is stored or sent.

    What replies bought before would answer (`cache`; a batch asks for everything) costs no call.

    Raises:
        UserError: the judge or the selection cannot be taken.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        draft = build_run(session, project, spec, selection or Selection())
        return _estimate_draft(session, project, draft, batch=batch, cache=cache)


def estimate_with_trial(
    store: Store,
    slug: str,
    spec: JudgeSpec,
    selection: Selection,
    few: Selection,
    *,
    all_responses: Sequence[CandidateResponse],
    batch: bool = False,
    cache: bool = True,
) -> tuple[RunEstimate, RunEstimate]:
    """Return what a run would take, and what one on `few` of its responses would, live; see `estimate`.

    `all_responses` is what `service.responses_to_judge` returned.
    """
    with store.reading() as session:
        project = find_project(session, slug)
        whole, trial = (
            build_run(session, project, spec, chosen, all_responses=all_responses)
            for chosen in (selection, few)
        )
        return (
            _estimate_draft(session, project, whole, batch=batch, cache=cache),
            _estimate_draft(session, project, trial, batch=False, cache=cache),
        )


def _estimate_draft(
    session: Session, project: ProjectInfo, draft: RunDraft, *, batch: bool, cache: bool
) -> RunEstimate:
    judge = draft.judge_config.judge
    usual = typical_call(session, judge.endpoint_id, judge.model)
    tokenizer = tokenizer_of(judge.model)
    units = _sample_units(session, draft)
    tokens = _prompt_tokens(draft.judge_config, units, tokenizer)
    kind = backends.get(judge.backend)
    taken = (
        cached_share(session, draft.judge_config, units, structured=kind.structured)
        if cache and not batch
        else 0.0
    )
    budget = project.settings.get(BUDGET)
    left = None if budget is None else max(0.0, budget - cost_of_project(session, project.id))
    prompts = _prompts(draft, units)
    calls = Range(*(math.ceil(number * (1 - taken)) for number in _calls(draft, prompts)))
    endpoint = draft.judge_config.endpoint
    price = price_of(endpoint.prices, judge.model) if endpoint else None
    all_replies = prompts * judge.samples
    cached = round(all_replies * taken)
    replies = all_replies - cached
    longest = judge.parameters.get("max_tokens") or LONG_REPLY
    prompt = Range(tokens * calls.low, tokens * calls.high)
    completion = Range(SHORT_REPLY * replies, longest * replies)
    if usual:
        completion = Range(usual.completion_tokens * replies * 0.8, usual.completion_tokens * replies * 1.25)
    return RunEstimate(
        units=len(draft.units),
        samples=judge.samples,
        calls=calls,
        completions=all_replies,
        cached=cached,
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost=_cost(price.in_batch() if price and batch else price, prompt, completion)
        if kind.origin != "scripted"
        else Range(0.0, 0.0),
        seconds=Range(0.0, BATCH_SECONDS)
        if batch
        else _seconds(draft.judge_config, calls, Range(usual.seconds, usual.seconds * 2) if usual else None),
        measured=usual is not None,
        tokenizer=tokenizer.name,
        batch_share=price.batch if price else None,
        left=left,
        examples=describe_groups(draft.split),
    )


def _sample_units(session: Session, draft: RunDraft) -> list[JudgmentUnit]:
    """Return units spread over the selection: what is true of them is taken for true of all."""
    one_of_each = {kind.example_position for kind in draft.units.sizes().values()}
    sample = _units_at(session, draft, one_of_each)
    taken = sum(len(_calls_of(draft.judge_config, unit)) for unit in sample) / len(sample)
    step = -(-len(draft.units) // max(1, min(SAMPLED_UNITS, int(MOST_CALLS / max(1.0, taken)))))
    further = set(range(0, len(draft.units), step)) - one_of_each
    return [*sample, *_units_at(session, draft, further)]


def _units_at(session: Session, draft: RunDraft, places: Iterable[int]) -> list[JudgmentUnit]:
    units = units_without_run(session, [draft.units[place] for place in sorted(places)])
    return with_inputs(session, draft.judge_config, units)


def _calls_of(judge_config: JudgeConfig, unit: JudgmentUnit) -> list[Call]:
    """Return the calls of a unit; none where it lacks what its prompt needs, and will fail by itself.

    A further turn holds the talk before it, but for the reply that nobody knows yet.
    """
    try:
        calls = judge_config.calls(judge_config.task(unit))
    except UserError:
        return []
    by_key = {call.key: call for call in calls}
    return [continue_conversation(by_key[call.after], "", call) if call.after else call for call in calls]


def _prompt_tokens(judge_config: JudgeConfig, units: Sequence[JudgmentUnit], tokenizer: Tokenizer) -> float:
    """Return the mean length of a prompt."""
    calls = [call for unit in units for call in _calls_of(judge_config, unit)]
    lengths = [tokenizer.of(call.messages) for call in calls[:: max(1, len(calls) // SAMPLED_UNITS)]]
    return fmean(lengths) if lengths else 0.0


def _prompts(draft: RunDraft, units: Sequence[JudgmentUnit]) -> int:
    """Return how many prompts one draw of all units takes; about, where units of one size differ in it."""
    taken: dict[int, list[int]] = defaultdict(list)
    for unit in units:
        taken[len(unit.contenders)].append(len(_calls_of(draft.judge_config, unit)))
    return round(sum(fmean(taken[size]) * kind.units for size, kind in draft.units.sizes().items()))


def _calls(draft: RunDraft, prompts: int) -> Range:
    judge, endpoint = draft.judge_config.judge, draft.judge_config.endpoint
    if judge.origin == "scripted":
        return Range(prompts, prompts)
    most = prompts * judge.samples
    single = bool(endpoint and endpoint.learnt.get(judge.model, {}).get("single"))
    return Range(most if single else prompts, most)


def _cost(price: Price | None, prompt: Range, completion: Range) -> Range | None:
    if price is None:
        return None
    costs = [price.of(p, c) or 0.0 for p, c in zip(prompt, completion, strict=True)]
    return Range(*costs)


def _seconds(judge_config: JudgeConfig, calls: Range, usual: Range | None) -> Range:
    if judge_config.endpoint is None:
        latency = float(judge_config.judge.parameters.get("latency", 0.0))
        usual = Range(latency, latency + 0.02)
    quick, slow = usual or Range(QUICK_CALL, SLOW_CALL)
    at_once = judge_config.endpoint.concurrency if judge_config.endpoint else 64
    rate = judge_config.endpoint.rpm if judge_config.endpoint else None
    return Range(*(_time(n, each, at_once, rate) for n, each in zip(calls, (quick, slow), strict=True)))


def _time(calls: float, each: float, at_once: int, per_minute: int | None) -> float:
    if not calls:
        return 0.0
    by_concurrency = -(-calls // at_once) * each
    by_rate = calls * 60.0 / per_minute if per_minute else 0.0
    return max(each, by_concurrency, by_rate)


def describe_estimate(estimate: RunEstimate) -> Sequence[tuple[str, str]]:
    """Return the estimate as (label, value) pairs for a person."""
    cost = "unknown: no price given" if estimate.cost is None else _span(estimate.cost, "{:,.2f} USD")
    return (
        ("Judgments", f"{estimate.units:,}"),
        ("Calls", _span(estimate.calls, "{:,.0f}")),
        ("Replies", f"{estimate.completions:,}"),
        ("From the cache", f"{estimate.cached:,}"),
        (f"Prompt tokens ({estimate.tokenizer or 'estimated'})", _span(estimate.prompt_tokens, "{:,.0f}")),
        ("Completion tokens (estimated)", _span(estimate.completion_tokens, "{:,.0f}")),
        ("Cost", cost),
        ("Seconds", _span(estimate.seconds, "{:,.0f}")),
    )


def _span(values: Range, form: str) -> str:
    low, high = form.format(values.low), form.format(values.high)
    return low if low == high else f"{low} to {high}"
