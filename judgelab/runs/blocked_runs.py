"""Why a run is waiting: its endpoint's cool-down, or an earlier run whose endpoint does not answer."""

from __future__ import annotations

from judgelab.runs.plan.planning import chunk_size
from judgelab.runs.plan.worker_kinds import kind_of
from judgelab.runs.status import RunStatus
from judgelab.store.db import workers
from judgelab.store.db.engine import Store
from judgelab.store.judging.endpoints import CoolingRun, cooling_runs
from judgelab.wording import Sentence, sentence

SECONDS = 5.0  # in which a run that has a place has asked its first question


def why_waiting(store: Store, status: RunStatus) -> str:
    """Return what keeps a run waiting: its own reason, its endpoint's cool-down or another run; else ""."""
    going_on = status.state == "running" and status.wanted == "run"
    own = status.reason if going_on else ""
    return own or str(is_cooling_down(store, status) or why_blocked(store, status) or "")


def why_blocked(store: Store, status: RunStatus) -> Sentence | None:
    """Return which run keeps all the workers' places from one of which nothing was asked yet, if one does.

    Places are given in turn. A run whose endpoint rests keeps its own until it answers, or the run is paused.
    """
    begun = status.calls or status.waiting < status.units or status.going < SECONDS
    if status.resting or status.stuck or begun:
        return None
    with store.reading() as session:
        before = [run for run in cooling_runs(session) if kind_of(run.backend) == status.kind]
        slots = sum(run.slots for run in workers.live_workers(session) if run.kind == status.kind)
    if not before or status.run in {run.run_id for run in before}:
        return None
    if sum(-(-run.waiting // chunk_size(run.units)) for run in before) < slots:
        return None
    return sentence(
        "Run {other} occupies all workers, and its endpoint '{endpoint}' does not answer. This run starts "
        "once that one is paused: judgelab run pause {other}.",
        other=str(before[0].run_id),
        endpoint=before[0].endpoint,
    )


def cool_down_of(store: Store, status: RunStatus) -> CoolingRun | None:
    """Return the endpoint's cool-down that delays a run; None if there is none."""
    if status.state != "running":
        return None
    with store.reading() as session:
        return next((run for run in cooling_runs(session) if run.run_id == status.run), None)


def is_cooling_down(store: Store, status: RunStatus) -> Sentence | None:
    """Return which endpoint a run waits for, until when and why; None where it goes on."""
    rest = cool_down_of(store, status)
    if rest is None:
        return None
    return sentence(
        "Endpoint '{endpoint}' is paused; calls resume at {time} UTC, or as soon as a test succeeds. {why}",
        endpoint=rest.endpoint,
        time=f"{rest.until:%H:%M:%S}",
        why=rest.reason,
    )
