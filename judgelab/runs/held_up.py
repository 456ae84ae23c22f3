"""A run that waits behind another one whose endpoint does not answer: said, with what to do."""

from __future__ import annotations

from judgelab.runs.status import RunStatus
from judgelab.store.endpoints import resting_runs
from judgelab.store.engine import Store
from judgelab.wording import Sentence, sentence


def held_up(store: Store, status: RunStatus) -> Sentence | None:
    """Return which run keeps the workers' places from one of which nothing was asked yet; None if none does.

    Places are given in turn. A run whose endpoint rests keeps its own until it answers, or the run is paused.
    """
    if status.resting or status.stuck or status.calls or status.waiting < status.units:
        return None
    with store.reading() as session:
        other = next((one for one in resting_runs(session) if one.run_id != status.run), None)
    if other is None:
        return None
    return sentence(
        "Run {other} keeps the workers' places, and its endpoint '{endpoint}' does not answer. This one "
        "begins once that one is paused: judgelab run pause {other}.",
        other=str(other.run_id),
        endpoint=other.endpoint,
    )


def rests_at(store: Store, status: RunStatus) -> str:
    """Return the name of the endpoint that a run waits for; empty where it goes on."""
    if status.state != "running":
        return ""
    with store.reading() as session:
        return next((one.endpoint for one in resting_runs(session) if one.run_id == status.run), "")
