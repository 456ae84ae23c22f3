"""Workers that died over a chunk of a run: counted, so that a unit that kills its worker fails in the end.

A chunk over which workers died three times with nothing stored between is judged unit by unit, each while
its worker does nothing else. A unit over which a worker then died twice fails; the others go on. The counts
stand in the run's row (`mishaps`) and begin anew when the run is resumed. A worker that ended in order, or
slept and woke, has not died. The steps of a run's batches cannot be parted so: three deaths stop the run.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

from judgelab.errors import NotFound
from judgelab.store.db.engine import Session, Store
from judgelab.store.judging import run_chunks, runs
from judgelab.store.judging.verdicts import NewVerdict, save_verdicts
from judgelab.store.models import Run
from judgelab.wording import Sentence, sentence

TOGETHER, ALONE = 3, 2  # deaths of a chunk, and then over one unit alone
UNITS_IN_A_ROW = 3  # whatever is judged, the worker dies: it is not the units
CAUSE = "worker_died"
CHUNKS, IN_A_ROW, STEP = "portions", "in_a_row", "step"  # in a run's mishaps


class ChunkAttempt(NamedTuple):
    """The positions low to high - 1 of a run's attempt, by the engine's name, taken up for the nth `time`."""

    name: str
    run_id: int
    attempt: int
    low: int
    high: int
    time: int


def begin_chunk(store: Store, chunk: ChunkAttempt) -> bool:
    """Return whether the chunk's units must be judged one by one; counts a preceding death of a worker."""
    if chunk.time <= 1:
        return False
    with store.writing() as session:
        run = runs.locked_run(session, chunk.run_id)
        deaths = _deaths_of(run, chunk)
        if deaths.get("time") != chunk.time and deaths.get("left") != chunk.time - 1:
            deaths = _count_death(session, run, chunk, deaths)
        _save_deaths(run, chunk, {**deaths, "time": chunk.time})
        return "alone" in deaths


def waiting_positions(store: Store, chunk: ChunkAttempt) -> list[int]:
    """Return the positions of the chunk's units that wait."""
    with store.reading() as session:
        return run_chunks.waiting_positions(session, chunk.run_id, low=chunk.low, high=chunk.high)


def begin_unit_alone(store: Store, chunk: ChunkAttempt, position: int) -> None:
    """Note which unit is judged alone from now on; the one before it, if any, was judged."""
    with store.writing() as session:
        run = runs.locked_run(session, chunk.run_id)
        deaths = _deaths_of(run, chunk)
        if deaths.get("alone") is not None and deaths["alone"] != position:
            run.mishaps = {**run.mishaps, IN_A_ROW: 0}
        died = deaths.get("died", ()) if deaths.get("alone") == position else ()
        _save_deaths(run, chunk, {**deaths, "alone": position, "died": list(died)})


def end_chunk(store: Store, chunk: ChunkAttempt) -> None:
    """Delete the deaths recorded for a chunk that has ended."""
    if chunk.time > 1:
        with store.writing() as session:
            run = runs.locked_run(session, chunk.run_id)
            if _deaths_of(run, chunk).get("alone") is not None:
                run.mishaps = {**run.mishaps, IN_A_ROW: 0}
            _save_deaths(run, chunk, None)


def record_orderly_exit(session: Session, held: Iterable[ChunkAttempt], steps: Iterable[int] = ()) -> None:
    """Note that a worker ends in order, with these chunks in hand, in a step of these runs' batches."""
    for run_id in steps:
        with suppress(NotFound):
            _reset_batch_step(runs.locked_run(session, run_id))
    for chunk in held:
        with suppress(NotFound):  # deleted, with its project
            run = runs.locked_run(session, chunk.run_id)
            _save_deaths(run, chunk, {**_deaths_of(run, chunk), "left": chunk.time})


def record_lost_lease(store: Store, chunk: ChunkAttempt) -> None:
    """Record that the worker was only suspended while another took the chunk over: not a death."""
    with store.writing() as session:
        run = runs.locked_run(session, chunk.run_id)
        deaths = _deaths_of(run, chunk)
        if chunk.time in deaths.get("died", ()):
            died = [time for time in deaths["died"] if time != chunk.time]
            _save_deaths(run, chunk, {**deaths, "died": died})


@asynccontextmanager
async def guard_batch_step(store: Store, run_id: int, steps: set[int]) -> AsyncIterator[bool]:
    """Tell whether a step of a run's batches may be taken: not when workers died in it three times in a row.

    It is counted while it is taken, and forgotten at its end, whatever that is. `steps` holds the runs of
    which this process takes one.
    """
    alive = await asyncio.to_thread(_begin_batch_step, store, run_id)
    steps.add(run_id)
    try:
        yield alive
    finally:
        steps.discard(run_id)
        await asyncio.to_thread(_end_batch_step, store, run_id)


def _begin_batch_step(store: Store, run_id: int) -> bool:
    with store.writing() as session:
        run = runs.locked_run(session, run_id)
        begun: int = run.mishaps.get(STEP, 0)
        run.mishaps = {**run.mishaps, STEP: begun + 1}
        return begun < TOGETHER


def _end_batch_step(store: Store, run_id: int) -> None:
    with store.writing() as session:
        _reset_batch_step(runs.locked_run(session, run_id))


def _reset_batch_step(run: Run) -> None:
    run.mishaps = {**run.mishaps, STEP: 0}


def _count_death(
    session: Session, run: Run, chunk: ChunkAttempt, deaths: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what is known of a chunk over which a worker died once more; nothing stored, it counts."""
    stored = run_chunks.chunk_progress(session, run.id, low=chunk.low, high=chunk.high)
    died = [*(deaths.get("died", ()) if deaths.get("stored") == stored else ()), chunk.time - 1]
    deaths = {**deaths, "stored": stored, "died": died[-TOGETHER:]}
    position = deaths.get("alone")
    if position is not None and len(died) >= ALONE:
        _fail_unit(session, run, position)
        return {**deaths, "alone": None, "died": []}
    if "alone" not in deaths and len(died) >= TOGETHER:
        if run.wanted == "run":
            run.reason = _one_by_one_reason(chunk, len(died))
        return {**deaths, "alone": None, "died": []}
    return deaths


def _one_by_one_reason(chunk: ChunkAttempt, times: int) -> Sentence:
    return sentence(
        "workers died {n} times at positions {low} to {high} without storing anything in between; these "
        "judgments are now made one by one.",
        n=times,
        low=str(chunk.low),
        high=str(chunk.high - 1),
    )


def _fail_unit(session: Session, run: Run, position: int) -> None:
    """Fail the unit that killed its worker, and stop the run where others before it did so, too."""
    unit = run_chunks.waiting_unit_at(session, run.id, position)
    if unit is None:
        return
    reason = _failure_reason(run.id, position, unit.name)
    save_verdicts(session, [NewVerdict(unit.judgment_id, unit.response_id, "failed", reason, CAUSE)])
    row = run.mishaps.get(IN_A_ROW, 0) + 1
    run.mishaps = {**run.mishaps, IN_A_ROW: row}
    if row >= UNITS_IN_A_ROW:
        stopping = sentence(
            "the worker died on {n} judgments in a row, most recently at position {position} ({unit}), each "
            "time while doing nothing else; check its log, give it more memory or choose another model, "
            "then resume.",
            n=row,
            position=str(position),
            unit=unit.name,
        )
        runs.request_stop(session, run.id, stopping)


def _failure_reason(run_id: int, position: int, name: str) -> Sentence:
    return sentence(
        "the worker died each time it made this judgment (position {position}: {unit}), {alone} times while "
        "doing nothing else. Check its log and the length of these texts, then retry: judgelab run "
        "retry-failed {run}.",
        position=str(position),
        unit=name,
        alone=ALONE,
        run=str(run_id),
    )


def _deaths_of(run: Run, chunk: ChunkAttempt) -> dict[str, Any]:
    return dict(run.mishaps.get(CHUNKS, {}).get(_key(chunk), {}))


def _save_deaths(run: Run, chunk: ChunkAttempt, deaths: Mapping[str, Any] | None) -> None:
    """Write down what is known of a chunk, or None; chunks of attempts before are forgotten."""
    begin = f"{chunk.attempt}/"
    others = {
        name: chunk_deaths
        for name, chunk_deaths in run.mishaps.get(CHUNKS, {}).items()
        if name.startswith(begin) and name != _key(chunk)
    }
    run.mishaps = {**run.mishaps, CHUNKS: others if deaths is None else {**others, _key(chunk): deaths}}


def _key(chunk: ChunkAttempt) -> str:
    return chunk.name.split("/", 1)[1]
