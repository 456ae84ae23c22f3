"""Clocks that jump, and a day of leases that nobody keeps."""

from __future__ import annotations

import random
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from benchmarks.fault_trials.outcome import SCORES, Outcome, Raters
from judgelab.annotation import service
from judgelab.store.engine import Session
from judgelab.store.evidence import over_k
from judgelab.store.models import base
from judgelab.store.schema import open_store
from tests.annotation.conftest import make_person, make_project
from tests.databases import new_sqlite

K = 3
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


def clock_jumps(times: int) -> Outcome:
    """Jump the clock by minutes to a day, to and fro, while people rate."""
    chance, faults = random.Random(5), 0
    with tempfile.TemporaryDirectory() as folder, _clock() as clock:
        raters = Raters.new(open_store(new_sqlite(Path(folder) / "x.db")), answers=400)
        over = threading.Event()
        threads = [threading.Thread(target=raters.rate, args=(person, over)) for person in raters.people]
        for thread in threads:
            thread.start()
        for _ in range(times):
            time.sleep(chance.uniform(0.05, 0.2))
            clock.ahead = timedelta(minutes=chance.choice((-1440, -61, -5, 0, 5, 31, 61, 1440)))
            faults += 1
        over.set()
        for thread in threads:
            thread.join()
        with raters.store.reading() as session:
            wrong = over_k(session, raters.project, k=len(raters.people))
        outcome = Outcome(faults, len(raters.acknowledged), raters.missing() + wrong, raters.refused)
        raters.store.close()
    return outcome


def day_of_leases(times: int) -> Outcome:
    """24 hours in steps of ten minutes: people take work, vanish, come back late; nobody over k, all done."""
    chance, vanished, acknowledged = random.Random(6), 0, Counter[str]()
    with tempfile.TemporaryDirectory() as folder, _clock() as clock:
        store = open_store(new_sqlite(Path(folder) / "x.db"))
        project = make_project(store, answers=150, raters_per_response=K, lease_minutes=30)
        people = [make_person(store, f"rater {n}") for n in range(8)]
        for _step in range(int(timedelta(days=1) / STEP)):
            clock.ahead += STEP
            for person in chance.sample(people, 4):
                items = service.next_items(store, person, project)
                if chance.random() < 0.4:
                    vanished += bool(items)
                    continue  # has the page open and is gone; the lease runs out
                for item in items[: chance.randint(1, 3)]:
                    if chance.random() < 0.2:
                        clock.ahead += timedelta(minutes=35)  # answers when the lease is over
                    uid = uuid.uuid4().hex
                    op = {"uid": uid, "kind": "rate", "item": item.id, "scores": SCORES}
                    acknowledged[uid] += service.apply(store, person, project, op).state == "stored"
        clock.ahead += timedelta(hours=1)
        for person in people:
            while items := service.next_items(store, person, project):
                for item in items:
                    op = {"uid": uuid.uuid4().hex, "kind": "rate", "item": item.id, "scores": SCORES}
                    service.apply(store, person, project, op)
        raters = Raters(store, project, people, [uid for uid, stored in acknowledged.items() if stored])
        with store.reading() as session:
            wrong = over_k(session, project, k=K)
            done = _complete(session, project)
        store.close()
        return Outcome(vanished, len(raters.acknowledged), _missing(raters) + wrong + (150 - done))


def _complete(session: Session, project: int) -> int:
    """Return how many responses have all their raters."""
    rows = session.connection().exec_driver_sql(
        "SELECT u.id FROM unit u JOIN assignment a ON a.unit_id = u.id AND a.state = 'done' "
        f"WHERE u.project_id = {project} GROUP BY u.id HAVING count(*) >= {K}"
    )
    return len(rows.all())


def _missing(raters: Raters) -> int:
    reopened = open_store(raters.store.url)
    try:
        return Raters(reopened, raters.project, raters.people, raters.acknowledged).missing()
    finally:
        reopened.close()


KINDS = {"clock-jumps": clock_jumps, "day-of-leases": day_of_leases}
