"""A run that waits behind another one whose endpoint does not answer: said, with what to do."""

from __future__ import annotations

from judgelab.runs.kinds import kind_of
from judgelab.runs.planning import chunk_size
from judgelab.runs.status import RunStatus
from judgelab.store import workers
from judgelab.store.endpoints import resting_runs
from judgelab.store.engine import Store
from judgelab.wording import Sentence, sentence

SECONDS = 5.0  # in which a run that has a place has asked its first question


def held_up(store: Store, status: RunStatus) -> Sentence | None:
    """Return which run keeps all the workers' places from one of which nothing was asked yet, if one does.

    Places are given in turn. A run whose endpoint rests keeps its own until it answers, or the run is paused.
    """
    begun = status.calls or status.waiting < status.units or status.going < SECONDS
    if status.resting or status.stuck or begun:
        return None
    with store.reading() as session:
        resting = [one for one in resting_runs(session) if kind_of(one.backend) == status.kind]
        slots = sum(one.slots for one in workers.live_workers(session) if one.kind == status.kind)
    if not resting or status.run in {one.run_id for one in resting}:
        return None
    if sum(-(-one.waiting // chunk_size(one.units)) for one in resting) < slots:
        return None
    return sentence(
        "Run {other} keeps the workers' places, and its endpoint '{endpoint}' does not answer. This one "
        "begins once that one is paused: judgelab run pause {other}.",
        other=str(resting[0].run_id),
        endpoint=resting[0].endpoint,
    )


def rests_at(store: Store, status: RunStatus) -> str:
    """Return the name of the endpoint that a run waits for; empty where it goes on."""
    if status.state != "running":
        return ""
    with store.reading() as session:
        return next((one.endpoint for one in resting_runs(session) if one.run_id == status.run), "")
