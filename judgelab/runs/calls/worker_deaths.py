"""Workers that died over a portion of a run: counted, so that a unit that kills its worker fails in the end.

A portion over which workers died three times with nothing stored between is judged unit by unit, each while
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

TOGETHER, ALONE = 3, 2  # deaths of a portion, and then over one unit alone
UNITS_IN_A_ROW = 3  # whatever is judged, the worker dies: it is not the units
CAUSE = "worker_died"
PORTIONS, IN_A_ROW, STEP = "portions", "in_a_row", "step"  # in a run's mishaps


class Portion(NamedTuple):
    """The positions low to high - 1 of a run's attempt, by the engine's name, taken up for the nth `time`."""

    name: str
    run_id: int
    attempt: int
    low: int
    high: int
    time: int


def take_up(store: Store, portion: Portion) -> bool:
    """Return whether the portion's units are to be judged one by one; counts a death before this time."""
    if portion.time <= 1:
        return False
    with store.writing() as session:
        run = runs.locked_run(session, portion.run_id)
        known = _known(run, portion)
        if known.get("time") != portion.time and known.get("left") != portion.time - 1:
            known = _one_more(session, run, portion, known)
        _note(run, portion, {**known, "time": portion.time})
        return "alone" in known


def waiting(store: Store, portion: Portion) -> list[int]:
    """Return the positions of the portion's units that wait."""
    with store.reading() as session:
        return run_chunks.waiting_positions(session, portion.run_id, low=portion.low, high=portion.high)


def begin_alone(store: Store, portion: Portion, position: int) -> None:
    """Note which unit is judged alone from now on; the one before it, if any, was judged."""
    with store.writing() as session:
        run = runs.locked_run(session, portion.run_id)
        known = _known(run, portion)
        if known.get("alone") is not None and known["alone"] != position:
            run.mishaps = {**run.mishaps, IN_A_ROW: 0}
        died = known.get("died", ()) if known.get("alone") == position else ()
        _note(run, portion, {**known, "alone": position, "died": list(died)})


def end(store: Store, portion: Portion) -> None:
    """Forget the deaths over a portion that came to its end."""
    if portion.time > 1:
        with store.writing() as session:
            run = runs.locked_run(session, portion.run_id)
            if _known(run, portion).get("alone") is not None:
                run.mishaps = {**run.mishaps, IN_A_ROW: 0}
            _note(run, portion, None)


def leave(session: Session, held: Iterable[Portion], steps: Iterable[int] = ()) -> None:
    """Note that a worker ends in order, with these portions in hand, in a step of these runs' batches."""
    for run_id in steps:
        with suppress(NotFound):
            _forget_step(runs.locked_run(session, run_id))
    for portion in held:
        with suppress(NotFound):  # deleted, with its project
            run = runs.locked_run(session, portion.run_id)
            _note(run, portion, {**_known(run, portion), "left": portion.time})


def woke(store: Store, portion: Portion) -> None:
    """Note that who took the portion up this time only slept while another one took it over."""
    with store.writing() as session:
        run = runs.locked_run(session, portion.run_id)
        known = _known(run, portion)
        if portion.time in known.get("died", ()):
            died = [time for time in known["died"] if time != portion.time]
            _note(run, portion, {**known, "died": died})


@asynccontextmanager
async def at_risk(store: Store, run_id: int, steps: set[int]) -> AsyncIterator[bool]:
    """Tell whether a step of a run's batches may be taken: not when workers died in it three times in a row.

    It is counted while it is taken, and forgotten at its end, whatever that is. `steps` holds the runs of
    which this process takes one.
    """
    alive = await asyncio.to_thread(_risk, store, run_id)
    steps.add(run_id)
    try:
        yield alive
    finally:
        steps.discard(run_id)
        await asyncio.to_thread(_survived, store, run_id)


def _risk(store: Store, run_id: int) -> bool:
    with store.writing() as session:
        run = runs.locked_run(session, run_id)
        begun: int = run.mishaps.get(STEP, 0)
        run.mishaps = {**run.mishaps, STEP: begun + 1}
        return begun < TOGETHER


def _survived(store: Store, run_id: int) -> None:
    with store.writing() as session:
        _forget_step(runs.locked_run(session, run_id))


def _forget_step(run: Run) -> None:
    run.mishaps = {**run.mishaps, STEP: 0}


def _one_more(session: Session, run: Run, portion: Portion, known: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known of a portion over which a worker died once more; nothing stored, it counts."""
    stored = run_chunks.chunk_progress(session, run.id, low=portion.low, high=portion.high)
    died = [*(known.get("died", ()) if known.get("stored") == stored else ()), portion.time - 1]
    known = {**known, "stored": stored, "died": died[-TOGETHER:]}
    position = known.get("alone")
    if position is not None and len(died) >= ALONE:
        _fail(session, run, position)
        return {**known, "alone": None, "died": []}
    if "alone" not in known and len(died) >= TOGETHER:
        if run.wanted == "run":
            run.reason = _suspected(portion, len(died))
        return {**known, "alone": None, "died": []}
    return known


def _suspected(portion: Portion, times: int) -> Sentence:
    return sentence(
        "workers died {n} times over the positions {low} to {high} with nothing stored between; these units "
        "are judged one by one now.",
        n=times,
        low=str(portion.low),
        high=str(portion.high - 1),
    )


def _fail(session: Session, run: Run, position: int) -> None:
    """Fail the unit that killed its worker, and stop the run where others before it did so, too."""
    unit = run_chunks.waiting_unit_at(session, run.id, position)
    if unit is None:
        return
    reason = _said(run.id, position, unit.name)
    save_verdicts(session, [NewVerdict(unit.judgment_id, unit.response_id, "failed", reason, CAUSE)])
    row = run.mishaps.get(IN_A_ROW, 0) + 1
    run.mishaps = {**run.mishaps, IN_A_ROW: row}
    if row >= UNITS_IN_A_ROW:
        stopping = sentence(
            "the worker died over {n} units in a row, the last one at position {position} ({unit}), each "
            "while it did nothing else; see its log, give it more memory or choose another model, then "
            "resume.",
            n=row,
            position=str(position),
            unit=unit.name,
        )
        runs.request_stop(session, run.id, stopping)


def _said(run_id: int, position: int, name: str) -> Sentence:
    return sentence(
        "the worker died each time it judged this unit (position {position}: {unit}), {alone} times while it "
        "did nothing else. See its log and the length of these texts, then ask again: judgelab run "
        "retry-failed {run}.",
        position=str(position),
        unit=name,
        alone=ALONE,
        run=str(run_id),
    )


def _known(run: Run, portion: Portion) -> dict[str, Any]:
    return dict(run.mishaps.get(PORTIONS, {}).get(_key(portion), {}))


def _note(run: Run, portion: Portion, known: Mapping[str, Any] | None) -> None:
    """Write down what is known of a portion, or None; portions of attempts before are forgotten."""
    begin = f"{portion.attempt}/"
    others = {
        name: told
        for name, told in run.mishaps.get(PORTIONS, {}).items()
        if name.startswith(begin) and name != _key(portion)
    }
    run.mishaps = {**run.mishaps, PORTIONS: others if known is None else {**others, _key(portion): known}}


def _key(portion: Portion) -> str:
    return portion.name.split("/", 1)[1]
