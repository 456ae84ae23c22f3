"""A reply, or its absence, as the values of a completion row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from judgelab.db_text import db_safe_text
from judgelab.domain import Exchange, Reply
from judgelab.runs.calls.call_with_retries import FailedAttempt
from judgelab.runs.calls.model_calls import Answer
from judgelab.runs.plan.code_version import code_version
from judgelab.runs.plan.judge_config import JudgeConfig
from judgelab.runs.plan.pricing import Price, cached_tokens, price_of
from judgelab.runs.plan.samples import Sample
from judgelab.store.judging.failures import NewFailure, excerpt
from judgelab.store.judging.judgments import JudgmentUnit, StoredFailure
from judgelab.store.models.base import now


def reply_values(
    reply: Reply,
    answer: Answer,
    sample: Sample,
    judge_config: JudgeConfig,
    *,
    before: StoredFailure | None,
    first: bool,
) -> dict[str, Any]:
    """Return the row of one reply; the calls, and what failed among them, count on the first of an answer."""
    price = (
        price_of(judge_config.endpoint.prices, judge_config.judge.model) if judge_config.endpoint else None
    )
    usage = reply.usage
    return {
        **_calls(answer, before, first=first),
        **sample.place,
        "prompt_hash": sample.prompt,
        "text": db_safe_text(reply.text),
        "body": db_safe_text(reply.body),
        "model": db_safe_text(reply.model),
        "finish_reason": db_safe_text(reply.finish_reason),
        "sent": dict(reply.sent),
        "reading": {},
        "logprobs": None if reply.logprobs is None else [list(pair) for pair in reply.logprobs],
        "top_logprobs": _alternatives(reply),
        "usage": dict(reply.counted),
        "request_id": db_safe_text(reply.request_id),
        "cached": False,
        "code_version": code_version(),
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "latency": reply.latency,
        "cause": "",
        "cost": _cost(reply, price),
        "answered_at": now(),
    }


def failure_values(answer: Answer, sample: Sample, before: StoredFailure | None) -> dict[str, Any]:
    """Return the failure row of a sample: the number of failed attempts and the last error."""
    assert answer.error is not None
    return {
        **_calls(answer, before, first=True),
        **sample.place,
        "prompt_hash": sample.prompt,
        "text": "",
        "body": "",
        "model": "",
        "finish_reason": "",
        "sent": {},
        "usage": {},
        "request_id": "",
        "cached": False,
        "code_version": code_version(),
        "top_logprobs": None,
        "reading": {"reason": db_safe_text(str(answer.error))},
        "logprobs": None,
        "prompt_tokens": None,
        "completion_tokens": None,
        "latency": None,
        "cause": answer.error.cause,
        "cost": None,
        "answered_at": now(),
    }


def cached_values(reply: Mapping[str, Any], sample: Sample, before: StoredFailure | None) -> dict[str, Any]:
    """Return the row of a reply that was bought before: no call is made for it, and it costs nothing."""
    return {
        "attempts": before.attempts if before else 0,
        "faults": dict(before.faults) if before else {},
        **reply,
        **sample.place,
        "prompt_hash": sample.prompt,
        "reading": {},
        "cached": True,
        "code_version": code_version(),
        "prompt_tokens": None,
        "completion_tokens": None,
        "latency": None,
        "cause": "",
        "cost": 0.0,
        "answered_at": now(),
    }


def failed_call(
    judge_config: JudgeConfig,
    unit: JudgmentUnit,
    sample: int,
    failed: FailedAttempt,
    before: StoredFailure | None,
) -> NewFailure:
    """Return the row of one call that brought no usable reply; it may have cost something all the same."""
    error = failed.error
    exchange = error.exchange or Exchange()
    price = (
        price_of(judge_config.endpoint.prices, judge_config.judge.model) if judge_config.endpoint else None
    )
    prompt, completion = exchange.usage.prompt_tokens, exchange.usage.completion_tokens
    values = {
        "message": db_safe_text(str(error)),
        "status": exchange.status,
        "request_id": db_safe_text(exchange.request_id),
        "body": excerpt(db_safe_text(exchange.body)),
        "sent": dict(exchange.sent),
        "latency": failed.latency,
        "waited": failed.waited,
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "cost": price.of(prompt, completion) if price else None,
        "at": failed.at,
    }
    number = failed.number + (before.attempts if before else 0)
    return NewFailure(unit.judgment_id, sample, number, error.cause, values)


def _cost(reply: Reply, price: Price | None) -> float | None:
    if price is None:
        return None
    cached = cached_tokens(reply.counted)
    return price.of(reply.usage.prompt_tokens, reply.usage.completion_tokens, cached_tokens=cached)


def _alternatives(reply: Reply) -> list[list[list[Any]]] | None:
    if reply.top_logprobs is None:
        return None
    return [[list(pair) for pair in token] for token in reply.top_logprobs]


def _calls(answer: Answer, before: StoredFailure | None, *, first: bool) -> dict[str, Any]:
    if not first:
        return {"attempts": 0, "faults": {}}
    faults = Counter(answer.faults)
    faults.update(before.faults if before else {})
    return {"attempts": answer.attempts + (before.attempts if before else 0), "faults": dict(faults)}
