"""A unit that kills its worker fails in the end, and the others are judged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence

import pytest

from judgelab.runs import service
from judgelab.runs.calls import worker_deaths
from judgelab.runs.calls.isolation import Isolation
from judgelab.runs.calls.rate_limits import Halted
from judgelab.runs.calls.worker_deaths import ChunkAttempt
from judgelab.store.db.engine import Store
from judgelab.store.models import Judgment
from tests.runs.conftest import DEADLINE, Workers, rests, start_run, wait_until
from tests.runs.judging import judge
from tests.runs.openai_server import Server

POISON = "Does flask 3 leak?"


def _kill(store: Store, workers: Workers, run_id: int, strikes: Callable[[], bool]) -> int:
    """Work with one worker after another, killed whenever it `strikes`; return how many died."""
    died, end = 0, time.monotonic() + 2 * DEADLINE
    worker = workers.start()
    while not service.run_status(store, run_id).resting:
        assert time.monotonic() < end
        if strikes():
            workers.kill(worker)
            strikes()  # what it had asked before it died
            died, worker = died + 1, workers.start()
        time.sleep(0.01)
    return died


def _more_of(requests: Sequence[object], about: str = "") -> Callable[[], bool]:
    """Return what tells whether more was asked since the last time, about something."""
    count = 0

    def strikes() -> bool:
        nonlocal count
        new, count = requests[count:], len(requests)
        return any(about in str(entry) for entry in new)

    return strikes


def test_a_unit_that_kills_its_worker_fails_and_the_others_are_judged(
    store: Store, server: Server, workers: Workers
) -> None:
    server.habits.latency = 0.4  # it kills before anything beside it is answered
    run_id = start_run(store, server, 12)
    died = _kill(store, workers, run_id, _more_of(server.bodies, POISON))
    assert died == worker_deaths.TOGETHER + worker_deaths.ALONE
    status = service.run_status(store, run_id)
    assert (status.state, status.scored, status.failed) == ("done", 11, 1)
    assert status.failures == {"worker_died": 1}
    with store.reading() as session:
        (failed,) = session.query(Judgment).filter_by(run_id=run_id, state="failed")
    assert failed.position == 3
    assert failed.reason == (
        "the worker died each time it made this judgment (position 3: q3 / s0), 2 times while doing nothing "
        "else. Check its log and the length of these texts, then retry: judgelab run retry-failed "
        f"{run_id}."
    )
    server.habits.latency = 0.0
    assert service.retry_failed(store, run_id) == 1
    assert judge(store, run_id) == "done"
    assert service.run_status(store, run_id).scored == 12


def test_a_batch_whose_replies_kill_the_worker_stops_its_run(
    store: Store, server: Server, workers: Workers
) -> None:
    workers.environment = {"JUDGELAB_BATCH_POLL_SECONDS": "0.2"}
    server.batches.habits.brings_after = 0.5
    run_id = start_run(store, server, 4, mode="batch")
    assert _kill(store, workers, run_id, _more_of(server.batches.brought)) == worker_deaths.TOGETHER
    status = service.run_status(store, run_id)
    assert status.state == "stopped"
    assert f"three times in a row while storing the replies of batch {status.batches[0].id}" in status.reason
    service.resume(store, run_id)
    finished = wait_until(store, run_id, rests)
    assert (finished.state, finished.scored, server.batches.created) == ("done", 4, 1)


def _portion(run_id: int, time: int) -> ChunkAttempt:
    return ChunkAttempt(f"{run_id}/1/0/0", run_id, 1, 0, 5, time)


def _times(store: Store, run_id: int, first: int, last: int) -> list[bool]:
    """Take the chunk up so many times, each of which ends with the worker's death."""
    return [worker_deaths.begin_chunk(store, _portion(run_id, time)) for time in range(first, last + 1)]


def test_only_deaths_with_nothing_stored_between_count(any_store: Store, server: Server) -> None:
    store, run_id = any_store, start_run(any_store, server, 5)
    assert _times(store, run_id, 1, 3) == [False, False, False]
    with store.writing() as session:  # the worker of the third time ends in order
        worker_deaths.record_orderly_exit(session, [_portion(run_id, 3)])
    assert _times(store, run_id, 4, 5) == [False, True]
    assert service.run_status(store, run_id).reason == (
        "workers died 3 times at positions 0 to 4 without storing anything in between; these judgments are "
        "now made one by one."
    )


def test_who_slept_or_stored_something_did_not_die_in_vain(any_store: Store, server: Server) -> None:
    store, run_id = any_store, start_run(any_store, server, 5)
    _times(store, run_id, 1, 3)
    worker_deaths.record_lost_lease(store, _portion(run_id, 2))
    assert _times(store, run_id, 4, 4) == [False]
    with store.writing() as session:
        session.query(Judgment).filter_by(run_id=run_id, position=4).one().state = "scored"
    assert _times(store, run_id, 5, 7) == [False, False, True]


def test_a_worker_that_dies_over_whatever_it_judges_stops_the_run(any_store: Store, server: Server) -> None:
    store, run_id = any_store, start_run(any_store, server, 5)
    _times(store, run_id, 1, 4)
    time = 4
    for position in (0, 1, 2):
        for _ in range(worker_deaths.ALONE):
            worker_deaths.begin_unit_alone(store, _portion(run_id, time), position)
            time += 1
            _times(store, run_id, time, time)
    status = service.run_status(store, run_id)
    assert (status.wanted, status.failed, status.waiting) == ("stop", 3, 2)
    assert status.reason.startswith(
        "the worker died on 3 judgments in a row, most recently at position 2 (q2 / s2), each time while "
        "doing nothing else"
    )


def test_who_waits_to_be_alone_gives_up_when_the_run_is_paused() -> None:
    async def paused() -> bool:
        return False

    async def work() -> None:
        isolation = Isolation()
        async with isolation.together():
            with pytest.raises(Halted):
                async with isolation.alone(paused):
                    raise AssertionError("it is not alone")

    asyncio.run(work())
