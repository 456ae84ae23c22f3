"""Clocks that jump, and a day of leases that nobody keeps.

What is moved is the clock that JudgeLab reads for leases and stamps (`judgelab.store.models.base.now`), in
this process. The machine's own clock, and the one of a database server, stay.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, tzinfo

from sqlalchemy import func, select

from benchmarks.fault_trials.databases import Databases
from benchmarks.fault_trials.outcome import Outcome, Raters
from judgelab.annotation import service
from judgelab.store.db.engine import Session
from judgelab.store.db.schema import open_store
from judgelab.store.models import Assignment, base

ANSWERS = 150
STEP = timedelta(minutes=10)


class _Clock(datetime):
    """The time of this machine, moved."""

    ahead = timedelta()

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        return datetime.now(tz) + cls.ahead


@contextmanager
def _clock() -> Iterator[type[_Clock]]:
    base.datetime = _Clock  # type: ignore[misc]
    _Clock.ahead = timedelta()
    try:
        yield _Clock
    finally:
        base.datetime = datetime  # type: ignore[misc]


def clock_jumps(times: int, databases: Databases) -> Outcome:
    """Jump the clock by minutes to a day, to and fro, while people rate."""
    chance = random.Random(5)
    with databases.one() as url, _clock() as clock:
        raters = Raters.new(open_store(url), answers=400)
        with raters.at_work():
            for _ in range(times):
                time.sleep(chance.uniform(0.05, 0.2))
                clock.ahead = timedelta(minutes=chance.choice((-1440, -61, -5, 0, 5, 31, 61, 1440)))
        outcome = Outcome(times, raters.acknowledged, raters.wrong(), raters.refused)
        raters.store.close()
    return outcome


def day_of_leases(times: int, databases: Databases) -> Outcome:
    """24 hours in steps of ten minutes: people take work, vanish, come back late; nobody over k, all done."""
    chance, vanished = random.Random(6), 0
    with databases.one() as url, _clock() as clock:
        raters = Raters.new(open_store(url), count=8, answers=ANSWERS, lease_minutes=30)
        store, project = raters.store, raters.project
        for _step in range(int(timedelta(days=1) / STEP)):
            clock.ahead += STEP
            for diary in chance.sample(raters.diaries, len(raters.diaries) // 2):
                items = service.next_items(store, diary.person_id, project)
                if chance.random() < 0.4:
                    vanished += bool(items)
                    continue  # has the page open and is gone; the lease runs out
                for item in items[: chance.randint(1, 3)]:
                    if chance.random() < 0.2:
                        clock.ahead += timedelta(minutes=35)  # answers when the lease is over
                    raters.rate(diary, item.id, chance)
        clock.ahead += timedelta(hours=1)
        for diary in raters.diaries:
            while items := service.next_items(store, diary.person_id, project):
                for item in items:
                    raters.rate(diary, item.id, chance)
        with store.reading() as session:
            undone = ANSWERS - _complete(session, raters)
        store.close()
        again = open_store(url)
        wrong = raters.wrong(again)
        again.close()
    return Outcome(vanished, raters.acknowledged, wrong + undone)


def _complete(session: Session, raters: Raters) -> int:
    """Return how many responses have all their raters."""
    done = (
        select(Assignment.unit_id)
        .where(Assignment.project_id == raters.project, Assignment.state == "done")
        .group_by(Assignment.unit_id)
        .having(func.count() >= raters.wished)
        .subquery()
    )
    return session.scalar(select(func.count()).select_from(done)) or 0


KINDS = {"clock-jumps": clock_jumps, "day-of-leases": day_of_leases}
