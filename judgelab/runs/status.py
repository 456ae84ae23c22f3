"""A run at one moment, counted from stored rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from judgelab.domain import RunState
from judgelab.runs.batch.journal import BatchEntry, batch_entries
from judgelab.runs.plan.percentile_examples import describe_groups
from judgelab.runs.plan.worker_kinds import NO_LOCAL_WORKER, NO_WORKER, Kind, kind_of
from judgelab.store.db import workers
from judgelab.store.db.engine import Session
from judgelab.store.judging import run_counts
from judgelab.store.judging.judge_info import JudgeInfo
from judgelab.store.judging.runs import RunInfo
from judgelab.store.models.base import now


@dataclass(frozen=True)
class RunStatus:
    """A run at one moment; every count is a sum over stored rows.

    Attributes:
        wanted: what the user asked for; differs from `state` while calls in flight are awaited.
        waiting: units that are not judged yet.
        calls: requests made, failed ones included; none for verdicts that a file brought.
        completions: replies received; one call can bring several.
        faults: failed calls by cause, also those that a later attempt made good.
        failures: units by the cause that left them without an answer.
        seconds: from the start to the end, or to now, without those in which it rested between.
        going: seconds since it was started, or resumed the last time.
        rate: units judged per second lately.
        reason: why the run stopped, or paused by itself.
        budget: US dollars that it may cost; None = no limit.
        uncounted: replies whose cost nobody knows; `cost` is without them.
        mode: `live`, call by call, or `batch`.
        batches: the batches of the run, oldest first.
        cached: completions that were bought before; no call was made for them.
        kind: which workers take it: "api", or "local" for a model on a worker's own machine.
        examples: which groups are not judged because its examples come from them; empty where none are shown
            by percentile.
        template_version: of the prompt: the built-in text's, with those of the project's own texts.
        doing: what such a worker is busy with before it can judge ("loading tiny (1.2 of 2.0 GB)").
        workers: live worker processes of its kind; 0 while units wait means that nothing happens.
    """

    run: int
    judge: str
    protocol: str
    model: str
    origin: str
    state: RunState
    wanted: str
    reason: str
    units: int
    scored: int
    unscored: int
    failed: int
    waiting: int
    calls: int
    completions: int
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: float | None
    seconds: float
    going: float
    rate: float
    faults: Mapping[str, int]
    failures: Mapping[str, int]
    workers: int
    created_at: datetime
    budget: float | None = None
    uncounted: int = 0
    mode: str = "live"
    batches: Sequence[BatchEntry] = ()
    kind: Kind = "api"
    doing: str = ""
    cached: int = 0
    examples: str = ""
    template_version: str = ""

    @property
    def resting(self) -> bool:
        """Whether nothing happens any more unless the user asks for it."""
        return self.state in ("done", "paused", "cancelled", "stopped")

    @property
    def stuck(self) -> bool:
        """Whether units wait and no worker is there to judge them."""
        return not self.resting and not self.workers

    @property
    def no_worker(self) -> str:
        """Return what to do when it is stuck."""
        return NO_LOCAL_WORKER if self.kind == "local" else NO_WORKER


def status_of(session: Session, run: RunInfo, judge: JudgeInfo) -> RunStatus:
    """Return what a run came to so far."""
    tally = run_counts.count_units(session, run.id)
    counts = tally.states
    spent = run_counts.run_usage(session, run.id)
    end = run.finished_at or now()
    began = run.resumed_at or run.started_at
    seconds = (end - run.started_at).total_seconds() - run.rested if run.started_at else 0.0
    going = (end - began).total_seconds() if began else 0.0
    kind = kind_of(judge.backend)
    serving = [worker for worker in workers.live_workers(session) if worker.kind == kind]
    return RunStatus(
        run=run.id,
        judge=judge.name,
        protocol=judge.protocol,
        model=judge.model,
        origin=judge.origin,
        state=run.state,
        wanted=run.wanted,
        reason=run.reason,
        units=run.units,
        scored=counts.get("scored", 0),
        unscored=counts.get("unscored", 0),
        failed=counts.get("failed", 0),
        waiting=counts.get("waiting", 0),
        calls=0 if judge.origin in ("imported", "jury") else spent.calls,
        completions=spent.completions,
        prompt_tokens=spent.prompt_tokens,
        completion_tokens=spent.completion_tokens,
        cost=spent.cost,
        seconds=seconds,
        going=going,
        rate=tally.lately / min(max(going, 1.0), run_counts.RATE_SECONDS),
        faults=spent.faults,
        failures=tally.causes,
        workers=len(serving),
        kind=kind,
        doing=next((worker.doing for worker in serving if worker.doing), ""),
        created_at=run.created_at,
        budget=run.budget,
        uncounted=0 if judge.endpoint_id is None else spent.uncounted,
        mode=run.mode,
        batches=batch_entries(run.remote),
        cached=spent.cached,
        examples=describe_groups(run.selection.get("split")),
        template_version=judge.template_version,
    )
