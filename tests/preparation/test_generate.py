"""Asking for texts: stored as they come, not asked twice, stopped by what no retry mends."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from judgelab.domain import Message
from judgelab.errors import InvalidInput
from judgelab.preparation.generation.generate import WriterModel, estimate_generation, generate_all
from judgelab.preparation.generation.prompts import TextRequest
from judgelab.preparation.generation.send import WriterLine
from judgelab.runs.calls.retry_policy import RetryPolicy
from judgelab.runs.endpoints import probe, service
from judgelab.store.db.engine import Store
from judgelab.store.judging import endpoints as stored
from judgelab.store.models import PreparedReply, now
from judgelab.store.projects.projects import find_project
from tests.runs.openai_server import Habits, Server
from tests.runs.projects import flasks

QUICK = RetryPolicy(base=0.01, longest=0.02)


def requests(number: int) -> list[TextRequest]:
    return [TextRequest(f"q{n}", [Message("user", f"Write about flask {n}.")]) for n in range(number)]


def project_of(store: Store) -> int:
    slug = flasks(store, 1)
    with store.reading() as session:
        return find_project(session, slug).id


def test_what_fails_is_tried_again_and_what_came_is_never_asked_twice(store: Store) -> None:
    project_id = project_of(store)
    with Server(Habits(fault_rate=0.3, faults=("500",))) as server:
        service.add_endpoint(store, "local", base_url=server.url, concurrency=4, timeout=60)
        service.set_price(store, "local", "tiny", prompt=1.0, completion=2.0)
        writer = WriterModel("tiny", endpoint="local", parameters={"temperature": 0.5})
        expected = estimate_generation(store, project_id, "roles", writer, requests(12))
        first_batch = generate_all(store, project_id, "roles", writer, requests(12), policy=QUICK)
        second_batch = generate_all(store, project_id, "roles", writer, requests(13), policy=QUICK)
        calls = server.calls
    assert (expected.calls, expected.reused) == (12, 0) and expected.cost is not None
    assert len(first_batch.texts) == 12 and not first_batch.failed and not first_batch.stopped
    assert first_batch.calls > 12 and first_batch.calls + second_batch.calls == calls
    assert first_batch.cost == pytest.approx(
        (first_batch.prompt_tokens * 1.0 + first_batch.completion_tokens * 2.0) / 1_000_000
    )
    assert second_batch.reused == 12 and set(second_batch.texts) == {f"q{n}" for n in range(13)}
    reply = first_batch.texts["q3"]
    assert reply.messages == [{"role": "user", "content": "Write about flask 3."}]
    assert reply.parameters == {"temperature": 0.5} and reply.text in "0123"
    with store.reading() as session:
        replies = session.query(PreparedReply).filter_by(project_id=project_id, purpose="roles").all()
    assert (len(replies), sum(reply.attempts for reply in replies)) == (13, calls)
    assert not any(reply.cause for reply in replies)


def test_a_refused_key_stops_all_and_a_later_answer_replaces_the_failure(store: Store) -> None:
    project_id = project_of(store)
    with Server(Habits(status=(401, "invalid_api_key"))) as server:
        service.add_endpoint(store, "local", base_url=server.url, concurrency=1, timeout=60)
        writer = WriterModel("tiny", endpoint="local")
        batch = generate_all(store, project_id, "roles", writer, requests(5), policy=QUICK)
        assert server.calls == 1 and batch.stopped and not batch.texts and len(batch.failed) == 1
        assert batch.unasked == 4 and batch.broke_off()[0].startswith("4 texts were not requested")
        server.habits.status = None
        second_batch = generate_all(store, project_id, "roles", writer, requests(5), policy=QUICK)
    assert len(second_batch.texts) == 5 and second_batch.reused == 0 and not second_batch.broke_off()


def test_a_rest_that_begins_meanwhile_is_heeded_and_ended_by_a_test_that_succeeds(store: Store) -> None:
    project_id = project_of(store)
    with Server(Habits(latency=0.05)) as server, ThreadPoolExecutor() as beside:
        service.add_endpoint(store, "local", base_url=server.url, concurrency=1, timeout=60)
        writer = WriterModel("tiny", endpoint="local")
        pending = beside.submit(generate_all, store, project_id, "roles", writer, requests(60), policy=QUICK)
        while server.calls < 3:
            time.sleep(0.01)
        with store.writing() as session:  # as a worker does that is told to wait
            endpoint = stored.find_endpoint(session, "local")
            stored.cool_down(session, endpoint.id, now() + timedelta(seconds=300), "slow down")
        time.sleep(0.7)
        calls = server.calls
        time.sleep(0.5)
        assert server.calls == calls < 60 and not pending.done()
        assert probe.probe_endpoint(store, "local").works
        batch = pending.result(timeout=30)
    assert len(batch.texts) == batch.calls == 60 and not batch.failed


def test_a_rest_of_its_own_is_over_once_a_test_succeeded_however_soon(store: Store) -> None:
    with Server(Habits(faults=("429",), fault_rate=1.0, retry_after="300")) as server:
        service.add_endpoint(store, "local", base_url=server.url, timeout=60)
        with store.reading() as session:
            endpoint = stored.find_endpoint(session, "local")
        line = WriterLine(store, endpoint, QUICK)

        async def work() -> None:
            await line.cool_down(300, "slow down")
            server.habits.fault_rate = 0.0
            assert (await asyncio.to_thread(probe.probe_endpoint, store, "local")).works
            async with asyncio.timeout(30), line.watched(), line.rate_limiter.entered(line.control):
                assert line.rate_limiter.inside == 1

        asyncio.run(work())


def test_a_model_is_named_and_names_differ(store: Store) -> None:
    with pytest.raises(InvalidInput, match="no model was named"):
        generate_all(store, 1, "roles", WriterModel(" "), requests(1))
    with pytest.raises(InvalidInput, match="endpoint=NAME"):
        generate_all(store, 1, "roles", WriterModel("tiny"), requests(1))
    with pytest.raises(InvalidInput, match="the same name"):
        generate_all(store, 1, "roles", WriterModel("rule", "scripted"), requests(1) * 2)
