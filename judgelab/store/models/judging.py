"""Endpoints, judges, runs, judgments, and everything that models replied."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, Text, UniqueConstraint

from judgelab.store.models.base import Base, Mapped, mapped_column, now


class EndpointRow(Base):
    """A server of models; API keys are never stored, only where to find them.

    The key is in the variable `api_key_env`, or in the system's keyring under `keyring_name`. It is sent as
    `key_header`: "Authorization" as a bearer token; gateways like Azure's want "api-key". `headers` and
    `query` hold what else every call sends; neither is secret.
    """

    __tablename__ = "endpoint"
    __table_args__ = (UniqueConstraint("name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    base_url: Mapped[str]
    api_key_env: Mapped[str | None]
    keyring_name: Mapped[str | None]
    key_header: Mapped[str] = mapped_column(default="Authorization")
    headers: Mapped[dict[str, Any]] = mapped_column(default=dict)
    query: Mapped[dict[str, Any]] = mapped_column(default=dict)
    concurrency: Mapped[int] = mapped_column(default=64)
    rpm: Mapped[int | None]
    tpm: Mapped[int | None]
    timeout: Mapped[float] = mapped_column(default=120.0)
    prices: Mapped[dict[str, Any]] = mapped_column(default=dict)
    learnt: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime] = mapped_column(default=now)


class EndpointPause(Base):
    """When calls to an endpoint may start again: a 429 pauses it for all runs and processes."""

    __tablename__ = "endpoint_pause"
    __table_args__ = (UniqueConstraint("endpoint_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    endpoint_id: Mapped[int] = mapped_column(ForeignKey("endpoint.id", ondelete="CASCADE"))
    until: Mapped[datetime]
    reason: Mapped[str] = mapped_column(default="")


class JudgeRow(Base):
    """A judge: protocol, options, backend, model and parameters, under its rater name.

    `origin`: `run` (we call its model), `imported` (its scores are from a file), `scripted` (no model),
    `learned` (from the project's ratings), `jury` (combined from the judges named in `options`).
    `own_scale`: its scores are wins, ranks
    or votes, not points of the criterion's scale.
    """

    __tablename__ = "judge"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    name: Mapped[str]
    origin: Mapped[str] = mapped_column(default="run")
    protocol: Mapped[str] = mapped_column(default="")
    options: Mapped[dict[str, Any]] = mapped_column(default=dict)
    backend: Mapped[str] = mapped_column(default="")
    endpoint_id: Mapped[int | None] = mapped_column(ForeignKey("endpoint.id", ondelete="SET NULL"))
    model: Mapped[str] = mapped_column(default="")
    parameters: Mapped[dict[str, Any]] = mapped_column(default=dict)
    samples: Mapped[int] = mapped_column(default=1)
    aggregation: Mapped[str] = mapped_column(default="mean")
    template_version: Mapped[str] = mapped_column(default="")
    own_scale: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = mapped_column(default=now)


class Run(Base):
    """A judge applied to a selection of responses.

    `wanted`: the desired state (`run`, `pause`, `cancel`), or `stop` after a fault that no retry fixes.
    `state`: the actual (`waiting`, `running`, `paused`, `cancelled`, `done`, `stopped`). `rested`: seconds
    between start and end without work, the last until `resumed_at`. `mode`: `live`, or `batch` (batches are
    in `remote`). `cache`: whether cached replies may be used. `mishaps`, until it is resumed:
    workers without its key, chunks on which workers died. Counts are sums over judgments.
    """

    __tablename__ = "run"
    __table_args__ = (Index("ix_run_project_id_state", "project_id", "state"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    judge_id: Mapped[int] = mapped_column(ForeignKey("judge.id", ondelete="CASCADE"))
    selection: Mapped[dict[str, Any]] = mapped_column(default=dict)
    state: Mapped[str] = mapped_column(default="waiting")
    wanted: Mapped[str] = mapped_column(default="run")
    attempt: Mapped[int] = mapped_column(default=1)
    reason: Mapped[str] = mapped_column(Text, default="")
    units: Mapped[int] = mapped_column(default=0)
    budget: Mapped[float | None]
    mode: Mapped[str] = mapped_column(default="live")
    remote: Mapped[dict[str, Any]] = mapped_column(default=dict)
    cache: Mapped[bool] = mapped_column(default=True)
    code_version: Mapped[str] = mapped_column(default="")
    created_at: Mapped[datetime] = mapped_column(default=now)
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    resumed_at: Mapped[datetime | None]
    rested: Mapped[float] = mapped_column(default=0.0)
    mishaps: Mapped[dict[str, Any]] = mapped_column(default=dict)


class Judgment(Base):
    """One unit of a run: a response under one criterion, or under all (`criteria` = "*").

    `state`: `waiting`, then `scored`, `unscored` (no valid score read) or `failed` (no answer).
    `members`: if an item is judged as a whole, the row ids of its responses, `response_id` first.
    """

    __tablename__ = "judgment"
    __table_args__ = (
        UniqueConstraint("run_id", "response_id", "criteria"),
        Index("ix_judgment_run_id_state", "run_id", "state"),
        Index("ix_judgment_run_id_position", "run_id", "position"),
        Index("ix_judgment_response_id", "response_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("run.id", ondelete="CASCADE"))
    response_id: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    criteria: Mapped[str] = mapped_column(default="*")
    members: Mapped[list[Any]] = mapped_column(default=list)
    position: Mapped[int]
    state: Mapped[str] = mapped_column(default="waiting")
    reason: Mapped[str] = mapped_column(Text, default="")
    cause: Mapped[str] = mapped_column(default="")
    judged_at: Mapped[datetime | None]


class Verdict(Base):
    """A judgment's score of a response under a criterion, with the judge's rationale.

    `origin`: `judge`, or `person` if somebody read the reply and entered the score by hand (`person_id`,
    `entered_at`). `detail` explains the score: vote shares, probability mass, both orders.
    """

    __tablename__ = "verdict"
    __table_args__ = (
        UniqueConstraint("judgment_id", "response_id", "criterion_id"),
        Index("ix_verdict_response_id", "response_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    judgment_id: Mapped[int] = mapped_column(ForeignKey("judgment.id", ondelete="CASCADE"))
    response_id: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    criterion_id: Mapped[int] = mapped_column(ForeignKey("criterion.id", ondelete="CASCADE"))
    score: Mapped[float]
    rationale: Mapped[str] = mapped_column(Text, default="")
    confidence: Mapped[float | None]
    detail: Mapped[dict[str, Any]] = mapped_column(default=dict)
    origin: Mapped[str] = mapped_column(default="judge")
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id", ondelete="SET NULL"))
    entered_at: Mapped[datetime | None]


class PromptRow(Base):
    """A rendered prompt, stored once by the sha256 of its messages."""

    __tablename__ = "prompt"

    hash: Mapped[str] = mapped_column(primary_key=True)
    messages: Mapped[list[Any]]


class Completion(Base):
    """One raw reply (sample) of a judgment, with the request as sent.

    `sample` is draw * calls per draw + index of the call; `call_key` and `call_data` identify the call.
    `reading` is the parser's result: scores by criterion, rationale, or the reason for none.
    `attempts` counts the calls made for it, even failed ones; `faults` their causes. `usage`: all that the
    endpoint counted. `cached`: the reply is from the cache and cost nothing. `top_logprobs`: the
    alternatives of each token. `code_version` is that of JudgeLab. `cause` is empty for an answer, else the
    reason for none; a later answer replaces such a row.
    """

    __tablename__ = "completion"
    __table_args__ = (UniqueConstraint("judgment_id", "sample"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    judgment_id: Mapped[int] = mapped_column(ForeignKey("judgment.id", ondelete="CASCADE"))
    sample: Mapped[int]
    call_key: Mapped[str] = mapped_column(default="")
    call_data: Mapped[dict[str, Any]] = mapped_column(default=dict)
    prompt_hash: Mapped[str] = mapped_column(default="")
    text: Mapped[str] = mapped_column(Text, default="")
    body: Mapped[str] = mapped_column(Text, default="")
    model: Mapped[str] = mapped_column(default="")
    finish_reason: Mapped[str] = mapped_column(default="")
    sent: Mapped[dict[str, Any]] = mapped_column(default=dict)
    reading: Mapped[dict[str, Any]] = mapped_column(default=dict)
    logprobs: Mapped[list[Any] | None]
    top_logprobs: Mapped[list[Any] | None]
    usage: Mapped[dict[str, Any]] = mapped_column(default=dict)
    request_id: Mapped[str] = mapped_column(default="")
    cached: Mapped[bool] = mapped_column(default=False)
    code_version: Mapped[str] = mapped_column(default="")
    prompt_tokens: Mapped[int | None]
    completion_tokens: Mapped[int | None]
    latency: Mapped[float | None]
    attempts: Mapped[int] = mapped_column(default=1)
    faults: Mapped[dict[str, Any]] = mapped_column(default=dict)
    cause: Mapped[str] = mapped_column(default="")
    cost: Mapped[float | None]
    answered_at: Mapped[datetime] = mapped_column(default=now)


class FailedCall(Base):
    """One call without a usable reply: its cause, response body, duration and cost.

    `number` counts the calls for this sample; `waited` is the delay before the next one, in seconds.
    """

    __tablename__ = "failed_call"
    __table_args__ = (Index("ix_failed_call_judgment_id", "judgment_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    judgment_id: Mapped[int] = mapped_column(ForeignKey("judgment.id", ondelete="CASCADE"))
    sample: Mapped[int]
    number: Mapped[int]
    cause: Mapped[str]
    message: Mapped[str] = mapped_column(Text, default="")
    status: Mapped[int | None]
    request_id: Mapped[str] = mapped_column(default="")
    body: Mapped[str] = mapped_column(Text, default="")
    sent: Mapped[dict[str, Any]] = mapped_column(default=dict)
    latency: Mapped[float | None]
    waited: Mapped[float] = mapped_column(default=0.0)
    prompt_tokens: Mapped[int | None]
    completion_tokens: Mapped[int | None]
    cost: Mapped[float | None]
    at: Mapped[datetime] = mapped_column(default=now)


class CachedReply(Base):
    """A cached reply under the hash of everything that could change it; failures are never cached."""

    __tablename__ = "completion_cache"
    __table_args__ = (Index("ix_completion_cache_endpoint_id", "endpoint_id"),)

    key: Mapped[str] = mapped_column(primary_key=True)
    endpoint_id: Mapped[int | None] = mapped_column(ForeignKey("endpoint.id", ondelete="CASCADE"))
    model: Mapped[str] = mapped_column(default="")
    reply: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime] = mapped_column(default=now)


class MetricScore(Base):
    """A metric's score of a response; null with a reason if there is none."""

    __tablename__ = "metric_score"
    __table_args__ = (
        UniqueConstraint("response_id", "metric"),
        Index("ix_metric_score_project_id_metric", "project_id", "metric"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("project.id", ondelete="CASCADE"))
    response_id: Mapped[int] = mapped_column(ForeignKey("response.id", ondelete="CASCADE"))
    metric: Mapped[str]
    options: Mapped[dict[str, Any]] = mapped_column(default=dict)
    score: Mapped[float | None]
    reason: Mapped[str] = mapped_column(default="")
    scored_at: Mapped[datetime] = mapped_column(default=now)


class Worker(Base):
    """A worker process; after ten seconds without a heartbeat, others take over its work.

    `kind`: `api` calls endpoints, `local` has models in its own memory. `doing` is what it reports
    while a model is downloaded or loaded. `uses` is its share of each endpoint that it calls now,
    `holds` the US dollars it has reserved of each budget.
    """

    __tablename__ = "worker"
    __table_args__ = (UniqueConstraint("executor_id"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    executor_id: Mapped[str]
    pid: Mapped[int]
    slots: Mapped[int]
    kind: Mapped[str] = mapped_column(default="api")
    doing: Mapped[str] = mapped_column(default="")
    uses: Mapped[dict[str, Any]] = mapped_column(default=dict)
    holds: Mapped[dict[str, Any]] = mapped_column(default=dict)
    started_at: Mapped[datetime] = mapped_column(default=now)
    beat_at: Mapped[datetime] = mapped_column(default=now)
