"""What a run will take before it is started: units, calls, tokens, money, time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from judgelab.runs.briefing import Briefing
from judgelab.runs.drafting import Draft, draft
from judgelab.runs.pricing import price_of
from judgelab.runs.spec import JudgeSpec, Selection
from judgelab.store.engine import Session, Store
from judgelab.store.judgments import unit_of
from judgelab.store.projects import find_project
from judgelab.store.run_counts import usual_call

BYTES_A_TOKEN = 4.0
LOOKED_AT = 50  # prompts that are built to know how long the others are
SHORT_REPLY, LONG_REPLY = 2, 300  # tokens, where neither a limit nor an earlier reply says more
QUICK_CALL, SLOW_CALL = 0.5, 8.0  # seconds, where no earlier call says more


class Range(NamedTuple):
    """From the least to the most that is likely."""

    low: float
    high: float


@dataclass(frozen=True)
class Estimate:
    """What a run would take.

    Attributes:
        units: judgments.
        calls: fewest (the endpoint gives all samples in one call) to most (each sample by itself).
        completions: replies, whatever number of calls brings them.
        prompt_tokens: estimated at four bytes a token; more calls send the prompt more often.
        completion_tokens: from replies as short as the model's usual ones to the limit.
        cost: US dollars; None when no price of the model is known.
        seconds: at the endpoint's limits.
        measured: whether time and length of replies come from earlier calls to this model.
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


def estimate(store: Store, slug: str, spec: JudgeSpec, selection: Selection | None = None) -> Estimate:
    """Return what a run would take; nothing is stored or sent.

    Raises:
        UserError: the judge or the selection cannot be taken.
    """
    with store.reading() as session:
        made = draft(session, find_project(session, slug), spec, selection or Selection())
        judge = made.briefing.judge
        usual = usual_call(session, judge.endpoint_id, judge.model)
        tokens = _prompt_tokens(session, made)
    calls = _calls(made)
    replies = len(made.units) * judge.samples
    longest = judge.parameters.get("max_tokens") or LONG_REPLY
    prompt = Range(tokens * calls.low, tokens * calls.high)
    completion = Range(SHORT_REPLY * replies, longest * replies)
    if usual:
        completion = Range(usual.completion_tokens * replies * 0.8, usual.completion_tokens * replies * 1.25)
    return Estimate(
        units=len(made.units),
        samples=judge.samples,
        calls=calls,
        completions=replies,
        prompt_tokens=prompt,
        completion_tokens=completion,
        cost=_cost(made.briefing, prompt, completion),
        seconds=_seconds(made.briefing, calls, Range(usual.seconds, usual.seconds * 2) if usual else None),
        measured=usual is not None,
    )


def _prompt_tokens(session: Session, made: Draft) -> float:
    """Return the mean length of a prompt, from prompts spread over the selection."""
    step = max(1, len(made.units) // LOOKED_AT)
    lengths = [_length(session, made, position) for position in range(0, len(made.units), step)]
    return sum(lengths) / len(lengths)


def _length(session: Session, made: Draft, position: int) -> float:
    unit = unit_of(session, *made.units[position])
    assert unit is not None
    messages = made.briefing.messages(made.briefing.task(unit))
    return sum(len(message.content.encode("utf-8", "replace")) for message in messages) / BYTES_A_TOKEN


def _calls(made: Draft) -> Range:
    judge, endpoint = made.briefing.judge, made.briefing.endpoint
    if judge.origin == "scripted":
        return Range(len(made.units), len(made.units))
    most = len(made.units) * judge.samples
    single = bool(endpoint and endpoint.learnt.get(judge.model, {}).get("single"))
    return Range(most if single else len(made.units), most)


def _cost(briefing: Briefing, prompt: Range, completion: Range) -> Range | None:
    price = price_of(briefing.endpoint.prices, briefing.judge.model) if briefing.endpoint else None
    if price is None:
        return None
    costs = [price.of(p, c) or 0.0 for p, c in zip(prompt, completion, strict=True)]
    return Range(*costs)


def _seconds(briefing: Briefing, calls: Range, usual: Range | None) -> Range:
    if briefing.endpoint is None:
        latency = float(briefing.judge.parameters.get("latency", 0.0))
        usual = Range(latency, latency + 0.02)
    quick, slow = usual or Range(QUICK_CALL, SLOW_CALL)
    at_once = briefing.endpoint.concurrency if briefing.endpoint else 64
    rate = briefing.endpoint.rpm if briefing.endpoint else None
    return Range(*(_time(n, each, at_once, rate) for n, each in zip(calls, (quick, slow), strict=True)))


def _time(calls: float, each: float, at_once: int, per_minute: int | None) -> float:
    by_concurrency = -(-calls // at_once) * each
    by_rate = calls * 60.0 / per_minute if per_minute else 0.0
    return max(each, by_concurrency, by_rate)


def words(estimate: Estimate) -> Sequence[tuple[str, str]]:
    """Return the estimate as (label, value) pairs for a person."""
    cost = "unknown: no price given" if estimate.cost is None else _span(estimate.cost, "{:,.2f} USD")
    return (
        ("Units", f"{estimate.units:,}"),
        ("Calls", _span(estimate.calls, "{:,.0f}")),
        ("Completions", f"{estimate.completions:,}"),
        ("Prompt tokens (estimated)", _span(estimate.prompt_tokens, "{:,.0f}")),
        ("Completion tokens (estimated)", _span(estimate.completion_tokens, "{:,.0f}")),
        ("Cost", cost),
        ("Seconds", _span(estimate.seconds, "{:,.0f}")),
    )


def _span(values: Range, form: str) -> str:
    low, high = form.format(values.low), form.format(values.high)
    return low if low == high else f"{low} to {high}"
