"""A written text, or its absence, as the values of its row."""

from __future__ import annotations

from typing import Any

from judgelab.db_text import db_safe_text
from judgelab.preparation.generation.send import SendResult
from judgelab.runs.plan.code_version import code_version
from judgelab.runs.plan.pricing import Price, cached_tokens
from judgelab.store.models.base import now


def answer_values(result: SendResult, price: Price | None) -> dict[str, Any]:
    """Return the row of a reply with what it cost, where the price is known."""
    reply = result.reply
    assert reply is not None
    usage = reply.usage
    cached = cached_tokens(reply.counted)
    cost = price.of(usage.prompt_tokens, usage.completion_tokens, cached_tokens=cached) if price else None
    return {
        **_calls(result),
        "text": db_safe_text(reply.text),
        "body": db_safe_text(reply.body),
        "model": reply.model,
        "finish_reason": reply.finish_reason,
        "sent": dict(reply.sent),
        "usage": dict(reply.counted),
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "cost": cost,
        "latency": reply.latency,
        "cause": "",
        "reason": "",
    }


def failure_values(result: SendResult) -> dict[str, Any]:
    """Return the row of a failed request."""
    assert result.error is not None
    return {
        **_calls(result),
        "text": "",
        "body": "",
        "model": "",
        "finish_reason": "",
        "sent": {},
        "usage": {},
        "prompt_tokens": None,
        "completion_tokens": None,
        "cost": None,
        "latency": None,
        "cause": result.error.cause,
        "reason": db_safe_text(str(result.error)),
    }


def _calls(result: SendResult) -> dict[str, Any]:
    return {
        "attempts": result.attempts,
        "faults": dict(result.faults),
        "code_version": code_version(),
        "answered_at": now(),
    }
