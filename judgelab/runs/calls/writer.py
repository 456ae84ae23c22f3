"""The single writer of a process: answers are committed on arrival, several in one transaction if needed."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from judgelab.errors import StoreUnavailable
from judgelab.monitoring import process
from judgelab.runs.calls.db_retry import FIRST_PAUSE, LONGEST_PAUSE
from judgelab.runs.calls.rate_limits import Haltable
from judgelab.store.db.engine import Store
from judgelab.store.judging.duplicate_samples import SampleKey, count_calls
from judgelab.store.judging.failures import NewFailure, save_failures
from judgelab.store.judging.verdicts import NewReply, NewVerdict, save_replies, save_verdicts

NewRow = NewReply | NewVerdict | NewFailure
KINDS = {NewReply: "reply", NewVerdict: "verdict", NewFailure: "failed call"}
POLL_SECONDS = 0.1
MOST_TOGETHER = 50  # answers in one transaction: about 10 ms
YIELD, LONGEST_YIELD = 3.0, 0.1  # times the last transaction, and seconds, left to others who wait

log = logging.getLogger("judgelab.runs")


@dataclass(frozen=True)
class _PendingRow:
    row: NewRow
    committed: asyncio.Future[bool] = field(compare=False)


@dataclass(frozen=True)
class DatabaseOutage:
    """The database takes nothing: since when (monotonic seconds), and what it says."""

    began: float
    error: StoreUnavailable


class RowWriter:
    """Commits what comes while the last commit was under way.

    So answers that come together cost one transaction, and a single one waits for nobody. Larger ones would
    keep the database to themselves for so long that raters notice. While the database takes nothing, answers
    wait here and are tried again: they are paid for. No call goes out then.

    Args:
        store: the database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._jobs: list[_PendingRow] = []
        self._task: asyncio.Task[None] | None = None
        self._outage: DatabaseOutage | None = None

    @property
    def outage(self) -> DatabaseOutage | None:
        """What keeps answers from being stored now, if anything does."""
        return self._outage

    async def keep(self, row: NewRow) -> bool:
        """Return once the row is committed; False if another call's answer was stored before, which stays."""
        job = _PendingRow(row, asyncio.get_running_loop().create_future())
        self._jobs.append(job)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())
        return await job.committed

    async def until_well(self, control: Haltable) -> None:
        """Return when answers can be stored; raises `Halted` as soon as no further call may start."""
        while self._outage is not None:
            await control.sleep(POLL_SECONDS)

    async def _work(self) -> None:
        pause = FIRST_PAUSE
        while self._jobs:
            batch, self._jobs = self._jobs[:MOST_TOGETHER], self._jobs[MOST_TOGETHER:]
            began = time.monotonic()
            try:
                await self._put(batch)
            except StoreUnavailable as error:
                self._jobs = [*(job for job in batch if not job.committed.done()), *self._jobs]
                self._note(error)
                await asyncio.sleep(pause)
                pause = min(LONGEST_PAUSE, 2 * pause)
            else:
                self._outage, pause = None, FIRST_PAUSE
            if self._store.another_waits():  # raters, mostly: turn about would still be half of the time
                await asyncio.sleep(min(YIELD * (time.monotonic() - began), LONGEST_YIELD))

    async def _put(self, batch: Sequence[_PendingRow]) -> None:
        try:
            second = await asyncio.to_thread(self._commit, [job.row for job in batch])
        except StoreUnavailable:
            raise
        except Exception as error:
            await self._one_by_one(batch, error)
        else:
            _resolve(batch, second)

    async def _one_by_one(self, batch: Sequence[_PendingRow], error: Exception) -> None:
        # One row that the database refuses must not take its neighbours with it.
        if len(batch) == 1:
            _reject(batch[0], error)
            return
        for job in batch:
            await self._put([job])

    def _note(self, error: StoreUnavailable) -> None:
        if self._outage is None:
            log.warning("replies are waiting to be stored: %s", error)
            self._outage = DatabaseOutage(time.monotonic(), error)

    def _commit(self, batch: Sequence[NewRow]) -> frozenset[SampleKey]:
        with self._store.writing() as session:
            save_failures(session, [row for row in batch if isinstance(row, NewFailure)])
            second = save_replies(session, [row for row in batch if isinstance(row, NewReply)])
            count_calls(session, {row.judgment_id for row in batch if not isinstance(row, NewVerdict)})
            save_verdicts(session, [row for row in batch if isinstance(row, NewVerdict)])
        for row in batch:
            process.stored.labels(KINDS[type(row)]).inc()
        return second


def _resolve(jobs: Sequence[_PendingRow], second: frozenset[SampleKey]) -> None:
    for job in jobs:
        if not job.committed.done():
            row = job.row
            late = isinstance(row, NewReply) and SampleKey(row.judgment_id, row.sample) in second
            job.committed.set_result(not late)


def _reject(job: _PendingRow, error: Exception) -> None:
    if not job.committed.done():
        job.committed.set_exception(error)
