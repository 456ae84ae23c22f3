"""The reply cache: a judge that sends the same request again reuses the stored reply, at no cost.

The key of a reply is everything that changes it: where and how the endpoint is called, model, messages,
parameters, and the number of the sample, so that ten samples are ten replies and stay the same ten.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from judgelab.domain import Reply
from judgelab.errors import UserError
from judgelab.runs.plan.judge_config import JudgeConfig
from judgelab.runs.plan.prompting import parameters_of
from judgelab.runs.plan.samples import Sample, samples_of
from judgelab.store.db.engine import Session
from judgelab.store.judging import reply_cache as cache_table
from judgelab.store.judging.judgments import JudgmentUnit, StoredReply
from judgelab.store.judging.reply_cache import CacheEntry

COMPLETE_REASONS = frozenset({"stop", ""})  # how a reply ends that was neither cut nor withheld
CACHED_FIELDS = (
    *("text", "body", "model", "finish_reason", "sent", "logprobs", "top_logprobs", "usage", "request_id"),
)
CachedReplies = Mapping[
    int, Mapping[int, Mapping[str, Any]]
]  # values of completion rows by judgment and sample


def cache_key(judge_config: JudgeConfig, parameters: Mapping[str, Any], sample: Sample) -> str:
    """Return the name of a reply to the sample's prompt; how many come in one call is no part of it."""
    endpoint = judge_config.endpoint
    assert endpoint is not None
    request = {
        "url": endpoint.base_url,
        "headers": dict(endpoint.headers),
        "query": dict(endpoint.query),
        "prompt": sample.prompt,
        "parameters": {name: value for name, value in parameters.items() if name != "n"},
        "sample": sample.turn,
    }
    return hashlib.sha256(json.dumps(request, sort_keys=True, default=str).encode()).hexdigest()


def cacheable(
    judge_config: JudgeConfig,
    reply: Reply,
    values: Mapping[str, Any],
    *,
    parameters: Mapping[str, Any],
    sample: Sample,
) -> CacheEntry | None:
    """Return the cache entry of a reply; None if it must not be reused (truncated, withheld or empty)."""
    endpoint = judge_config.endpoint
    if endpoint is None or reply.finish_reason not in COMPLETE_REASONS or not reply.text.strip():
        return None
    key = cache_key(judge_config, parameters, sample)
    return CacheEntry(
        key, endpoint.id, judge_config.judge.model, {name: values[name] for name in CACHED_FIELDS}
    )


def find_cached(
    session: Session, judge_config: JudgeConfig, units: Sequence[JudgmentUnit], *, structured: bool
) -> CachedReplies:
    """Return the cached replies to the units' missing samples, by judgment and sample."""
    endpoint = judge_config.endpoint
    if not judge_config.cache or endpoint is None:
        return {}
    if not cache_table.holds_any(session, endpoint.id, judge_config.judge.model):
        return {}
    keys = {
        (unit.judgment_id, sample): key
        for unit in units
        for sample, key in cache_keys(judge_config, unit, structured=structured).items()
    }
    cached = cache_table.cached_replies(session, set(keys.values()))
    by_judgment: dict[int, dict[int, Mapping[str, Any]]] = {}
    for (judgment_id, sample), key in keys.items():
        if key in cached:
            by_judgment.setdefault(judgment_id, {})[sample] = cached[key]
    return by_judgment


def cache_keys(judge_config: JudgeConfig, unit: JudgmentUnit, *, structured: bool) -> dict[int, str]:
    """Return the keys of the samples that a unit lacks; none where its prompt cannot be built."""
    task = judge_config.task(unit)
    try:
        stored = {reply.sample: reply for reply in unit.replies}
        samples = samples_of(judge_config, task, stored)
    except UserError:
        return {}
    return {
        sample.number: cache_key(
            judge_config, parameters_of(judge_config, task, sample.call, structured=structured), sample
        )
        for sample in samples
        if sample.number not in stored
    }


def cached_share(
    session: Session, judge_config: JudgeConfig, units: Sequence[JudgmentUnit], *, structured: bool
) -> float:
    """Return which share of the units' samples would come from the cache; units that belong to no run."""
    endpoint = judge_config.endpoint
    if not judge_config.cache or endpoint is None or not units:
        return 0.0
    if not cache_table.holds_any(session, endpoint.id, judge_config.judge.model):
        return 0.0
    keys = [key for unit in units for key in cache_keys(judge_config, unit, structured=structured).values()]
    cached = cache_table.cached_replies(session, set(keys))
    return sum(key in cached for key in keys) / max(1, len(keys))


def reply_of(sample: Sample, values: Mapping[str, Any]) -> StoredReply:
    """Return a cached reply as the stored reply of a sample."""
    content = (values["text"], values["finish_reason"], values["logprobs"], values["top_logprobs"])
    return StoredReply(sample.number, *content, sample.call.key, sample.call.data)
