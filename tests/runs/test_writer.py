"""What a worker holds unstored is little: it would be paid for again if the worker were killed."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import func, select

from judgelab.runs import endpoints, service
from judgelab.runs.control import RunControl
from judgelab.runs.limits import Halted
from judgelab.runs.spec import JudgeSpec
from judgelab.runs.writer import MOST_OWED, Writer
from judgelab.store.engine import Store
from judgelab.store.models import Completion, Judgment
from judgelab.store.verdicts import ReplyToKeep
from tests.runs.projects import flasks

VALUES = {"prompt_hash": "", "text": "2", "cause": ""}


def test_no_call_goes_out_while_many_answers_are_still_to_be_stored(store: Store) -> None:
    endpoints.add_endpoint(store, "local", base_url="http://127.0.0.1:9/v1")  # nobody is called
    judge = JudgeSpec("direct", "tiny", endpoint="local", samples=1)
    service.create_run(store, flasks(store, MOST_OWED + 10), judge)
    with store.reading() as session:
        judgments = list(session.scalars(select(Judgment.id).order_by(Judgment.id)))

    async def work() -> None:
        writer, going, ending = Writer(store), RunControl(1), RunControl(1)
        await writer.until_well(going)
        with store.writing():  # another one writes, and the answers wait for their turn
            keeping = [asyncio.create_task(writer.keep(ReplyToKeep(one, 0, VALUES))) for one in judgments]
            await asyncio.sleep(0)
            waiting = asyncio.create_task(writer.until_well(going))
            halted = asyncio.create_task(writer.until_well(ending))
            await asyncio.sleep(0.05)
            assert not waiting.done()
            ending.end()
            with pytest.raises(Halted):
                await halted
        await asyncio.gather(*keeping)
        await waiting

    asyncio.run(work())
    with store.reading() as session:
        assert session.scalar(select(func.count()).select_from(Completion)) == MOST_OWED + 10
