"""State changes of a run, as the engine's workflows need them: begin, continue, end a round, restart."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from judgelab.domain import RunState
from judgelab.errors import StoreUnavailable
from judgelab.runs.plan.planning import chunk_size, position_ranges
from judgelab.runs.plan.worker_kinds import Kind, local_backends
from judgelab.store.db import workers
from judgelab.store.db.engine import Session, Store
from judgelab.store.judging import run_counts, runs
from judgelab.store.judging.runs import RunKey
from judgelab.store.models import Run
from judgelab.wording import sentence

END_STATES: dict[str, RunState] = {"pause": "paused", "cancel": "cancelled", "stop": "stopped"}
AGAIN = "again"
NO_KEY = "no key at "
KEYLESS = "keyless"  # in a run's mishaps


def begin(store: Store, run_id: int, attempt: int) -> bool:
    """Mark the attempt as running; return whether it is still the one to run."""
    with store.writing() as session:
        return runs.start_attempt(session, run_id, attempt)


def remaining(store: Store, run_id: int) -> list[tuple[int, int]]:
    """Return the position ranges of the run's chunks that are not judged yet."""
    with store.reading() as session:
        run = runs.find_run(session, run_id)
        waiting = runs.waiting_positions(session, run_id)
    return [(span.low, span.high) for span in position_ranges(waiting, chunk_size(run.units))]


def should_continue(store: Store, run_id: int, attempt: int) -> bool:
    """Return whether the attempt should continue; True while the database is unreachable."""
    try:
        with store.reading() as session:
            wish = runs.desired_states(session, [run_id]).get(run_id)
    except StoreUnavailable:
        return True
    return wish is not None and (wish.wanted, wish.attempt) == ("run", attempt)


def end_round(
    store: Store, run_id: int, attempt: int, *, before: int, errors: Sequence[str]
) -> RunState | Literal["again", "superseded"]:
    """Return the state in which the run ended, or "again" when another round is due.

    The desired state is read and the state set in one transaction, so a resume before it gets another round
    and a resume after it starts the next attempt.

    Where a worker has no key for the endpoint, the run goes on for others that have it, and says what is
    missing. It stops if none of the live ones has the key and it never made a call.

    Args:
        store: the database.
        run_id: the run.
        attempt: the attempt that asks.
        before: how many chunks the round began with.
        errors: what went wrong in chunks that could not be worked on.
    """
    with store.writing() as session:
        run = runs.locked_run(session, run_id)
        if run.attempt != attempt or run.state != "running":
            return "superseded"
        waiting = runs.waiting_positions(session, run_id)
        if not waiting:
            runs.end_run(run, "done")
            return "done"
        if run.wanted != "run":
            runs.end_run(run, END_STATES[run.wanted], run.reason)
            return END_STATES[run.wanted]
        stuck = len(list(position_ranges(waiting, chunk_size(run.units)))) >= before
        problem = next((error for error in errors if not is_no_key(error)), "")
        if problem and stuck:
            runs.end_run(run, "stopped", sentence("a worker couldn't continue: {problem}", problem=problem))
            return "stopped"
        keyless = _keyless(run, errors)
        run.reason = next(iter(keyless.values()), "") if stuck else ""
        if run.reason and _no_worker_has_key(session, run_id, keyless):
            runs.end_run(run, "stopped", run.reason)
            return "stopped"
        return "again"


def no_key(executor_id: str, reason: str) -> str:
    """Return the result of a chunk for whose endpoint a worker has no key."""
    return f"{NO_KEY}{executor_id}: {reason}"


def is_no_key(result: str) -> bool:
    """Return whether a chunk came back because a worker has no key."""
    return result.startswith(NO_KEY)


def _keyless(run: Run, errors: Sequence[str]) -> dict[str, str]:
    """Return each worker without a key for the run since it was started or resumed, and its message."""
    pairs = (error.removeprefix(NO_KEY).split(": ", 1) for error in errors if is_no_key(error))
    keyless = {**{worker: reason for worker, reason in pairs}, **run.mishaps.get(KEYLESS, {})}
    run.mishaps = {**run.mishaps, KEYLESS: keyless}
    return keyless


def _no_worker_has_key(session: Session, run_id: int, keyless: Collection[str]) -> bool:
    """Return whether no live worker has the key, and none ever had: the run made no call."""
    alive = {worker.executor_id for worker in workers.live_workers(session) if worker.kind == "api"}
    return alive <= set(keyless) and not run_counts.run_usage(session, run_id).calls


def runs_to_start(store: Store, kind: Kind = "api") -> list[RunKey]:
    """Return the waiting runs that a worker of this kind may start."""
    local = local_backends()
    with store.reading() as session:
        if kind == "local":
            return runs.runs_in(session, "waiting", wanted="run", backends=local)
        return runs.runs_in(session, "waiting", wanted="run", besides=local)


def is_batch(store: Store, run_id: int) -> bool:
    """Return whether a run goes out as batches."""
    with store.reading() as session:
        return runs.find_run(session, run_id).mode == "batch"


def running_runs(store: Store) -> list[RunKey]:
    """Return the runs that are marked as running."""
    with store.reading() as session:
        return runs.runs_in(session, "running")


def restart(store: Store, key: RunKey) -> None:
    """Start the next attempt of a run whose workflow was lost; existing judgments are kept."""
    with store.writing() as session:
        run = runs.locked_run(session, key.run_id)
        if run.state not in ("running", "waiting") or run.attempt != key.attempt:
            return
        run.attempt += 1
        run.state = "waiting"
        if run.wanted != "run":
            runs.end_run(run, END_STATES[run.wanted], run.reason)
