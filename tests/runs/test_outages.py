"""A database that takes nothing for a while: no paid answer is lost, none is asked for twice."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import Connection, event, func, select

from judgelab.runs import service
from judgelab.store.db.engine import Store
from judgelab.store.db.schema import open_store
from judgelab.store.judging.runs import find_run
from judgelab.store.models import Completion, Verdict
from tests.postgres import Cluster
from tests.runs.conftest import Workers, rests, start_run, wait_until
from tests.runs.judging import judge
from tests.runs.openai_server import Server


class Disk:
    """The room that a SQLite file has; each connection asks for it at the beginning of a transaction."""

    def __init__(self, store: Store) -> None:
        self.pages = 1_000_000
        event.listen(store.engine, "begin", self._limit)

    def _limit(self, connection: Connection) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count={self.pages}")


def _whole(store: Store) -> int:
    """Return how many verdicts there are, each with its reply."""
    with store.reading() as session:
        verdicts = session.scalar(select(func.count()).select_from(Verdict))
        judged = select(Verdict.judgment_id)
        replies = select(func.count()).where(Completion.judgment_id.in_(judged), Completion.cause == "")
        assert session.scalar(replies) == verdicts
        return verdicts or 0


def test_a_full_disk_stops_the_run_in_so_many_words_and_keeps_what_was_paid(
    store: Store, server: Server
) -> None:
    server.habits.latency = 0.05
    server.habits.answers = ["2 " + "because " * 600]
    run_id = start_run(store, server, 60, concurrency=8)
    disk = Disk(store)
    reasons: list[str] = []

    async def fill_and_free() -> None:
        while server.answered < 12:
            await asyncio.sleep(0.005)
        disk.pages = 1  # never less than the file has: nothing may grow
        while not reasons:
            await asyncio.sleep(0.05)
            with store.reading() as session:
                run = find_run(session, run_id)
            if run.wanted == "stop":
                reasons.append(run.reason)
        calls = server.calls
        await asyncio.sleep(0.3)
        assert server.calls == calls
        disk.pages = 1_000_000

    assert judge(store, run_id, meanwhile=fill_and_free) == "halted"
    assert reasons == ["the disk is full; nothing was stored. Free some space and try again."]
    assert 12 <= _whole(store) == server.answered == server.calls < 60
    with store.writing() as session:
        service.runs.end_run(service.runs.locked_run(session, run_id), "stopped", reasons[0])
    service.resume(store, run_id)
    assert judge(store, run_id) == "done"
    assert _whole(store) == server.answered == server.calls == 60


@pytest.mark.postgres
def test_a_run_goes_on_by_itself_when_postgresql_was_restarted(own_cluster: Cluster, server: Server) -> None:
    url = f"{own_cluster.address}/postgres"
    store = open_store(url)
    workers = Workers(url)
    server.habits.latency = 0.2
    try:
        run_id = start_run(store, server, 64, concurrency=8)
        workers.start()
        wait_until(store, run_id, lambda status: status.scored >= 8)
        own_cluster.stop()
        own_cluster.start()
        server.habits.latency = 0.02
        finished = wait_until(store, run_id, rests)
        assert (finished.state, finished.scored, finished.failed) == ("done", 64, 0)
        assert _whole(store) == 64
        assert server.answered == 64
    finally:
        workers.stop()
        store.close()
