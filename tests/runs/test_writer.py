"""What a worker holds unstored is little: it would be paid for again if the worker were killed."""

from __future__ import annotations

import asyncio

from sqlalchemy import func, select

from judgelab.store.db.engine import Store
from judgelab.store.models import Completion
from tests.runs.conftest import start_run
from tests.runs.judging import judge
from tests.runs.openai_server import Server


def test_a_call_keeps_its_place_until_its_answer_is_stored(store: Store, server: Server) -> None:
    server.habits.latency = 0.01
    run_id = start_run(store, server, 40, concurrency=4)
    stored = select(func.count()).select_from(Completion)
    unstored: list[int] = []

    async def hold() -> None:
        while server.answered < 8:
            await asyncio.sleep(0.005)
        with store.writing() as session:  # another one writes, and the answers wait for their turn
            await asyncio.sleep(0.3)
            unstored.append(server.calls - (session.scalar(stored) or 0))

    assert judge(store, run_id, meanwhile=hold) == "done"
    assert unstored == [4]
    with store.reading() as session:
        assert session.scalar(stored) == server.calls == 40
