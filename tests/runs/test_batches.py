"""Runs as batch files, over real HTTP: merged by name, kept when cut off, made once whatever dies."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

import pytest
from sqlalchemy import func, select

from judgelab.backends.openai_api import OpenAIBackend
from judgelab.errors import InvalidInput
from judgelab.runs import service
from judgelab.runs.batch import request_lines
from judgelab.runs.batch.follow import follow_run
from judgelab.runs.batch.journal import BatchEntry
from judgelab.runs.batch.merge import merge_results
from judgelab.runs.calls import worker_deaths
from judgelab.runs.calls.worker_context import WorkerContext
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.runs.service import RunStatus
from judgelab.runs.worker import run_lifecycle
from judgelab.store.db.engine import Store
from judgelab.store.models import Completion, FailedCall, Judgment, Verdict
from tests.runs.conftest import Workers, rests, spec, start_run, wait_until
from tests.runs.contests import contest
from tests.runs.judging import QUICK, judge
from tests.runs.openai_server import Server
from tests.runs.projects import flasks

POLL = {"JUDGELAB_BATCH_POLL_SECONDS": "0.2"}


@pytest.fixture
def quick(workers: Workers) -> Workers:
    workers.environment.update(POLL)
    return workers


def start(store: Store, server: Server, units: int, **changes: object) -> int:
    return start_run(store, server, units, mode="batch", **changes)


def sent(store: Store, run_id: int) -> RunStatus:
    """Send and follow a run's batches in this process, and return what it came to."""

    async def work() -> None:
        worker_context = WorkerContext(store, policy=QUICK)
        await follow_run(worker_context, run_id, 1, poll_seconds=0.05)
        await worker_context.drain()

    assert run_lifecycle.begin(store, run_id, 1)
    asyncio.run(work())
    run_lifecycle.end_round(store, run_id, 1, before=0, errors=())
    return service.run_status(store, run_id)


def rows(store: Store, table: type) -> int:
    with store.reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def test_a_run_goes_out_as_a_batch_and_is_merged_by_name(any_store: Store, server: Server) -> None:
    store = any_store
    run_id = start(store, server, 30, samples=3)
    endpoints.set_price(store, "local", "tiny", prompt=0, completion=10_000, batch=0.5)
    status = sent(store, run_id)
    assert (status.state, status.scored, status.completions) == ("done", 30, 90)
    # The first unit is asked live, to find out what the endpoint refuses; all others are in one batch.
    assert (server.calls, server.batches.created, server.batches.answered) == (1, 1, 29)
    (batch,) = status.batches
    assert (batch.state, batch.requests, batch.answered, batch.merged) == ("completed", 29, 29, True)
    assert status.cost is not None
    assert math.isclose(status.cost, 0.01 * 3 + 0.005 * 3 * 29)
    with store.reading() as session:
        rows = session.execute(
            select(Judgment.id, Completion.body, Completion.sent, Completion.request_id, Completion.latency)
            .join(Completion, Completion.judgment_id == Judgment.id)
            .where(Completion.sample == 0)
            .order_by(Judgment.position)
        ).all()
    assert '"choices"' in rows[-1].body
    assert rows[-1].sent["model"] == "tiny"
    assert rows[-1].sent["n"] == 3
    assert rows[-1].request_id.startswith("req_")
    assert rows[-1].latency is None


def test_a_batch_gives_the_scores_that_live_calls_give(store: Store, server: Server) -> None:
    server.habits.answers = ("0", "1", "2", "3", "no idea")
    endpoints.add_endpoint(store, "local", base_url=server.url, concurrency=16, timeout=60)
    slug = flasks(store, 40)
    judged = spec(parameters={"seed": 3})
    live = service.create_run(store, slug, judged, cache=False)
    batch = service.create_run(store, slug, judged, cache=False, mode="batch")
    assert judge(store, live) == "done"
    live_status, batch_status = service.run_status(store, live), sent(store, batch)
    assert (batch_status.scored, batch_status.unscored) == (live_status.scored, live_status.unscored)
    assert live_status.unscored > 0
    with store.reading() as session:
        query = (
            select(Judgment.position, Verdict.score, Verdict.rationale)
            .join(Verdict, Verdict.judgment_id == Judgment.id)
            .order_by(Judgment.position)
        )
        first, second = (session.execute(query.where(Judgment.run_id == run)).all() for run in (live, batch))
    assert first == second


def test_an_expired_batch_keeps_its_finished_half_and_the_rest_goes_on_live(
    store: Store, server: Server, quick: Workers
) -> None:
    server.batches.habits.expires_after = 12
    run_id = start(store, server, 31)
    quick.start()
    paused = wait_until(store, run_id, rests)
    assert (paused.state, paused.scored, paused.waiting) == ("paused", 13, 18)
    assert paused.reason.startswith("the batch expired; the replies received are kept.")
    service.resume(store, run_id, mode="live")
    finished = wait_until(store, run_id, rests)
    assert (finished.state, finished.scored, server.batches.created) == ("done", 31, 1)
    assert server.answered == 31


def test_failed_requests_and_what_was_lost_are_asked_again_or_say_so(store: Store, server: Server) -> None:
    run_id = start(store, server, 30)
    server.batches.habits.loses = 2
    server.habits.fault_rate = 0.3
    server.habits.faults = ("500",)
    status = sent(store, run_id)
    assert status.state == "done"
    assert server.batches.created > 1  # what failed went out again in a next batch
    assert status.failures["no_reply"] >= 2
    assert status.scored + status.failed == 30
    assert status.faults["server_error"] == server.failed["500"]


def test_what_failed_in_one_batch_goes_out_again_without_what_lies_in_another(
    store: Store, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While later batches are under way, the next one takes only what waits before them: no reply twice."""
    monkeypatch.setattr(request_lines, "MOST_REQUESTS", 8)
    run_id = start(store, server, 25)
    server.batches.habits.later = 0.4
    server.habits.fault_rate = 0.3
    server.habits.faults = ("500",)
    status = sent(store, run_id)
    assert status.state == "done"
    assert server.batches.created > 3
    assert server.answered == status.scored == status.completions - status.failed


def test_a_reply_with_other_line_separators_is_one_line(store: Store, server: Server) -> None:
    server.habits.answers = ("2\u2028because\u2029of\x85this",)
    server.batches.habits.ascii = False
    status = sent(store, start(store, server, 4))
    assert (status.scored, status.failed, status.completions) == (4, 0, 4)


def test_a_merge_that_was_cut_off_counts_no_failed_call_twice(any_store: Store, server: Server) -> None:
    store, run_id = any_store, start(any_store, server, 4)
    server.habits.fault_rate, server.habits.faults = 1.0, ("500",)
    assert run_lifecycle.begin(store, run_id, 1)

    async def work() -> None:
        worker_context = WorkerContext(store, policy=QUICK)
        async with worker_context.job(run_id, 1) as job:
            assert isinstance(job.backend, OpenAIBackend)
            batches = job.backend.batches()
            requests = request_lines.write_requests(job, batches, 0, 4)
            file = await batches.upload("f.jsonl", bytes(requests.lines))
            batch = await batches.create(file, "label")
            while not batch.ended:
                await asyncio.sleep(0.05)
                batch = await batches.look(batch.id)
            entry = BatchEntry("label", 0, 4, file=file).with_progress(batch)
            for _ in range(2):
                await merge_results(job, batches, entry)
        await worker_context.drain()

    asyncio.run(work())
    with store.reading() as session:
        assert session.scalars(select(FailedCall.number)).all() == [1] * 4
    assert service.run_status(store, run_id).waiting == 4


def test_pausing_cancels_the_batch_and_keeps_what_it_answered(
    store: Store, server: Server, quick: Workers
) -> None:
    server.batches.habits.step = 1.5
    run_id = start(store, server, 31)
    quick.start()
    wait_until(store, run_id, lambda status: any(b.answered > 3 for b in status.batches))
    service.pause(store, run_id)
    paused = wait_until(store, run_id, rests)
    (batch,) = paused.batches
    assert (paused.state, batch.state, batch.merged) == ("paused", "cancelled", True)
    assert paused.scored == server.answered
    assert 1 < paused.scored < 31
    server.batches.habits.step = 0.05
    service.resume(store, run_id)
    finished = wait_until(store, run_id, rests)
    assert (finished.state, finished.scored, server.batches.created, server.answered) == ("done", 31, 2, 31)


@pytest.mark.parametrize("moment", ["in_progress", "merged"])
def test_a_killed_worker_makes_no_second_batch(any_store: Store, server: Server, moment: str) -> None:
    server.batches.habits.step = 0.6
    workers = Workers(any_store.url, environment=dict(POLL))
    run_id = start(any_store, server, 41)
    try:
        worker = workers.start()
        if moment == "merged":
            wait_until(any_store, run_id, lambda status: status.scored > 1)
        else:
            wait_until(any_store, run_id, lambda status: any(b.id for b in status.batches))
        workers.kill(worker)
        workers.start()
        finished = wait_until(any_store, run_id, rests)
    finally:
        workers.stop()
    assert (finished.state, finished.scored, server.batches.created) == ("done", 41, 1)
    assert rows(any_store, Verdict) == rows(any_store, Completion) == 41


def test_a_batch_that_was_made_before_the_worker_died_is_found_again(
    store: Store, server: Server, quick: Workers
) -> None:
    """The moment between making a batch and knowing its id, as the row looks after it."""
    server.batches.habits.step = 0.5
    run_id = start(store, server, 21)
    worker = quick.start()
    wait_until(store, run_id, lambda status: any(b.id for b in status.batches))
    quick.kill(worker)
    with store.writing() as session:
        run = service.runs.locked_run(session, run_id)
        (entry,) = run.remote["batches"]
        run.remote = {"batches": [{**entry, "id": "", "state": "intended"}]}
    quick.start()
    finished = wait_until(store, run_id, rests)
    assert (finished.state, finished.scored, server.batches.created) == ("done", 21, 1)


def test_a_run_that_rests_with_a_batch_at_the_endpoint_is_not_cancelled_over_it(
    store: Store, server: Server
) -> None:
    run_id = start(store, server, 2)
    with store.writing() as session:
        run = service.runs.locked_run(session, run_id)
        entry = BatchEntry("label", 0, 2, requests=2, expected=1.0, file="f", id="b", state="in_progress")
        run.state, run.remote = "stopped", {"batches": [vars(entry)]}
    with pytest.raises(InvalidInput, match="has not returned its replies yet; resume the run and cancel it"):
        service.cancel(store, run_id)
    with store.writing() as session:
        run = service.runs.locked_run(session, run_id)
        run.remote = {"batches": [vars(replace(entry, merged=True))]}
    service.cancel(store, run_id)
    assert service.run_status(store, run_id).state == "cancelled"


def test_a_file_takes_so_many_requests_and_the_next_one_the_rest(
    store: Store, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_lines, "MOST_REQUESTS", 10)
    status = sent(store, start(store, server, 26))
    assert (status.scored, [batch.requests for batch in status.batches]) == (26, [10, 10, 5])


def test_replies_that_were_bought_before_are_in_no_batch(store: Store, server: Server) -> None:
    endpoints.add_endpoint(store, "local", base_url=server.url, concurrency=16, timeout=60)
    slug = flasks(store, 20)
    assert judge(store, service.create_run(store, slug, spec())) == "done"
    status = sent(store, service.create_run(store, slug, spec(), mode="batch"))
    assert (status.scored, status.batches, server.calls, server.batches.created) == (20, [], 20, 0)


def test_a_budget_bounds_what_a_batch_asks_for(store: Store, server: Server) -> None:
    endpoints.add_endpoint(store, "local", base_url=server.url, concurrency=16, timeout=60)
    endpoints.set_price(store, "local", "tiny", prompt=0, completion=10_000)
    run_id = service.create_run(store, flasks(store, 30), spec(), mode="batch", budget=0.11)
    paused = sent(store, run_id)
    assert (paused.state, paused.scored) == ("paused", 11)
    assert "raise the budget" in paused.reason


def test_a_refused_file_stops_with_the_endpoints_words_and_scripted_judges_take_none(
    store: Store, server: Server
) -> None:
    server.batches.habits.fails = "line 1 is too long"
    run_id = start(store, server, 5)
    paused = sent(store, run_id)
    assert (paused.state, paused.scored) == ("paused", 1)
    assert "line 1 is too long" in paused.reason
    with pytest.raises(InvalidInput, match="support batches"):
        service.create_run(store, "flasks", JudgeSpec("direct", "rule", backend="scripted"), mode="batch")


def test_every_call_of_an_item_is_a_request_of_the_batch(store: Store, server: Server) -> None:
    server.habits.answers = ("[[A]]", "[[B]]", "[[C]]")
    endpoints.add_endpoint(store, "local", base_url=server.url)
    slug = contest(store, items=4, systems=3)
    run_id = service.create_run(store, slug, spec(protocol="pairwise", samples=2), mode="batch")
    status = sent(store, run_id)
    assert (status.state, status.scored, status.completions) == ("done", 4, 4 * 6 * 2)
    # The first item is asked live; both replies to a prompt come from one request.
    assert (server.calls, server.batches.answered) == (6, 3 * 6)
    assert rows(store, Verdict) == 4 * 3


def test_a_first_unit_over_which_workers_died_is_left_to_a_live_run(any_store: Store, server: Server) -> None:
    """What three workers left that were killed while they asked it; see `test_deaths` for such deaths."""
    store, run_id = any_store, start(any_store, server, 3)
    with store.writing() as session:
        service.runs.locked_run(session, run_id).mishaps = {worker_deaths.STEP: worker_deaths.TOGETHER}
    status = sent(store, run_id)
    assert (status.state, server.calls, server.batches.created) == ("stopped", 0, 0)
    assert status.reason.endswith(
        f"finds the judgment that kills it and sets it aside: judgelab run resume {run_id} --live."
    )
    service.resume(store, run_id, mode="live")
    assert judge(store, run_id) == "done"
    assert service.run_status(store, run_id).scored == 3
