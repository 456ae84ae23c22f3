"""One writer a process: every answer is committed as it comes, many in one transaction when many come."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from judgelab.store.engine import Store
from judgelab.store.judgments import ReplyToKeep, VerdictToKeep, keep_replies, keep_verdicts

MOST_TOGETHER = 50  # answers in one transaction: about 25 ms
YIELD, LONGEST_YIELD = 3.0, 0.1  # times the last transaction, and seconds, left to others who wait


@dataclass(frozen=True)
class _Job:
    what: ReplyToKeep | VerdictToKeep
    done: asyncio.Future[None] = field(compare=False)


class Writer:
    """Commits what comes while the last commit was under way.

    So answers that come together cost one transaction, and a single one waits for nobody. Larger ones would
    keep the database to themselves for so long that raters notice.

    Args:
        store: the database.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._jobs: list[_Job] = []
        self._task: asyncio.Task[None] | None = None

    async def keep(self, what: ReplyToKeep | VerdictToKeep) -> None:
        """Return when it is committed."""
        job = _Job(what, asyncio.get_running_loop().create_future())
        self._jobs.append(job)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())
        await job.done

    async def _work(self) -> None:
        while self._jobs:
            batch, self._jobs = self._jobs[:MOST_TOGETHER], self._jobs[MOST_TOGETHER:]
            began = time.monotonic()
            try:
                await asyncio.to_thread(self._commit, [job.what for job in batch])
            except Exception as error:
                await self._one_by_one(batch, error)
            else:
                _settle(batch)
            if self._store.another_waits():  # raters, mostly: turn about would still be half of the time
                await asyncio.sleep(min(YIELD * (time.monotonic() - began), LONGEST_YIELD))

    async def _one_by_one(self, batch: Sequence[_Job], error: Exception) -> None:
        # One row that the database refuses must not take its neighbours with it.
        if len(batch) == 1:
            _fail(batch[0], error)
            return
        for job in batch:
            try:
                await asyncio.to_thread(self._commit, [job.what])
            except Exception as its_error:
                _fail(job, its_error)
            else:
                _settle([job])

    def _commit(self, batch: Sequence[ReplyToKeep | VerdictToKeep]) -> None:
        with self._store.writing() as session:
            keep_replies(session, [what for what in batch if isinstance(what, ReplyToKeep)])
            keep_verdicts(session, [what for what in batch if isinstance(what, VerdictToKeep)])


def _settle(jobs: Sequence[_Job]) -> None:
    for job in jobs:
        if not job.done.done():
            job.done.set_result(None)


def _fail(job: _Job, error: Exception) -> None:
    if not job.done.done():
        job.done.set_exception(error)
