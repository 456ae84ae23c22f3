"""Every failed call is told apart, kept with what it brought, counted, and waited out as asked."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import select

from judgelab.backends.retry_after import retry_after
from judgelab.runs import service
from judgelab.runs.calls.retry_policy import RetryPolicy
from judgelab.runs.calls.worker_context import WorkerContext
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.execute.execution import judge_positions
from judgelab.store.db.engine import Store
from judgelab.store.judging.failures import LONGEST_BODY, NewFailure, excerpt, save_failures
from judgelab.store.models import Completion, FailedCall, Judgment, Verdict, now
from tests.runs.conftest import spec, start_run
from tests.runs.judging import QUICK, judge
from tests.runs.openai_server import Server
from tests.runs.projects import flasks


def kept(store: Store) -> list[FailedCall]:
    with store.reading() as session:
        return list(session.scalars(select(FailedCall).order_by(FailedCall.id)))


@pytest.mark.parametrize(
    ("fault", "cause", "status", "body"),
    [
        ("500", "server_error", 500, "the model fell over"),
        ("503", "overload", 503, "loading"),
        ("broken", "broken_body", 200, '{"mess'),
        ("truncated", "connection", None, ""),
        ("reset", "connection", None, ""),
    ],
)
def test_a_passing_fault_is_kept_and_the_call_repeated(
    any_store: Store, server: Server, fault: str, cause: str, status: int | None, body: str
) -> None:
    server.habits.faults, server.habits.fault_rate = [fault], 1.0

    async def relent() -> None:
        while server.failed.total() < 2:
            await asyncio.sleep(0.005)
        server.habits.fault_rate = 0.0

    run_id = start_run(any_store, server, 1)
    assert judge(any_store, run_id, policy=RetryPolicy(base=0.05), meanwhile=relent) == "done"
    rows = kept(any_store)
    assert len(rows) == server.failed.total() >= 2
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    assert {(row.cause, row.status) for row in rows} == {(cause, status)}
    assert body in rows[0].body
    assert rows[0].sent["model"] == "tiny"
    assert ".." not in rows[0].message
    assert rows[0].latency is not None
    assert 0.03 < rows[0].waited < rows[1].waited
    result = service.run_status(any_store, run_id)
    assert (result.scored, result.calls, result.faults) == (1, server.calls, {cause: len(rows)})


def test_a_body_that_drips_meets_the_deadline_of_one_call(store: Store, server: Server) -> None:
    server.habits.faults, server.habits.fault_rate = ["drip"], 1.0
    endpoints.add_endpoint(store, "local", base_url=server.url, timeout=1)
    run_id = service.create_run(store, flasks(store, 1), spec())
    judge(store, run_id, policy=RetryPolicy(attempts=1))
    (row,) = kept(store)
    assert row.cause == "timeout"
    assert row.latency == pytest.approx(2.0, abs=0.8)
    assert service.run_status(store, run_id).failures == {"timeout": 1}


def test_an_endpoint_that_says_never_again_is_not_asked_again(store: Store, server: Server) -> None:
    server.habits.faults, server.habits.fault_rate = ["final"], 1.0
    run_id = start_run(store, server, 1)
    judge(store, run_id)
    (row,) = kept(store)
    assert (server.calls, row.cause, row.request_id) == (1, "server_error", "r-7")


def test_a_key_that_is_taken_back_in_the_middle_stops_the_run_and_stands_nowhere(
    store: Store, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", "key-of-mine")
    server.habits.key, server.habits.latency = "key-of-mine", 0.05
    endpoints.add_endpoint(store, "local", base_url=server.url, api_key_env="A_KEY", concurrency=4)
    run_id = service.create_run(store, flasks(store, 60), spec())

    async def take_back() -> None:
        while server.answered < 10:
            await asyncio.sleep(0.005)
        server.habits.key = "another"

    assert judge(store, run_id, meanwhile=take_back) == "halted"
    rows = kept(store)
    assert 1 <= len(rows) <= 4
    assert {(row.cause, row.status) for row in rows} == {("bad_key", 401)}
    assert all("key-of-mine" not in f"{row.message}{row.body}" and "***" in row.body for row in rows)
    status = service.run_status(store, run_id)
    assert (status.wanted, status.scored, status.calls) == ("stop", server.answered, server.calls)


def test_what_a_failed_call_cost_is_in_the_sums(store: Store, server: Server) -> None:
    endpoints.add_endpoint(store, "local", base_url=server.url)
    slug = flasks(store, 1)
    endpoints.set_price(store, "local", "tiny", prompt=1_000_000, completion=1_000_000)
    server.habits.faults, server.habits.fault_rate = ["broken"], 1.0
    run_id = service.create_run(store, slug, spec())
    judge(store, run_id, policy=RetryPolicy(attempts=2, base=0.01))
    assert service.run_status(store, run_id).cost is None
    with store.writing() as session:
        row = session.scalars(select(FailedCall)).first()
        assert row is not None
        row.prompt_tokens, row.completion_tokens, row.cost = 5, 2, 7.0
    status = service.run_status(store, run_id)
    assert (status.prompt_tokens, status.completion_tokens, status.cost) == (5, 2, 7.0)


@pytest.mark.parametrize("retry_after_header", ["0.4", "date"])
def test_a_refusal_is_waited_out_however_it_says_so(
    store: Store, server: Server, retry_after_header: str
) -> None:
    server.habits.faults, server.habits.fault_rate = ["429"], 1.0
    server.habits.retry_after = retry_after_header

    async def relent() -> None:
        while not server.times:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.05)
        server.habits.fault_rate = 0.0

    run_id = start_run(store, server, 1)
    judge(store, run_id, meanwhile=relent)
    (row,) = kept(store)
    assert row.waited >= (0.4 if retry_after_header == "0.4" else 0.0)
    assert server.times[1] - server.times[0] >= row.waited


def test_the_three_ways_to_ask_for_a_wait() -> None:
    at = datetime(2026, 11, 22, 8, 0, 0, tzinfo=UTC)
    date = {"retry-after": "Sun, 22 Nov 2026 08:00:30 GMT"}
    assert retry_after({"retry-after-ms": "1500", "retry-after": "9"}) == 1.5
    assert retry_after({"retry-after": "-3"}) == 0.0
    assert retry_after(date, now=at) == 30.0
    assert retry_after({**date, "date": "Sun, 22 Nov 2026 08:00:10 GMT"}) == 20.0
    for nonsense in ("soon", "nan", "inf", "Sun, 99 Nov 2026 08:00:30 GMT", ""):
        assert retry_after({"retry-after": nonsense}) is None


def test_a_transaction_that_is_tried_again_counts_no_call_twice(any_store: Store, server: Server) -> None:
    """The answer to a commit can be lost: what was stored is then stored again."""
    start_run(any_store, server, 1)
    with any_store.reading() as session:
        judgment = session.scalars(select(Judgment.id)).one()
    calls = [NewFailure(judgment, 0, number, "overload", {"at": now()}) for number in (1, 2)]
    for batch in (calls[:1], calls, [replace(calls[0], values={"at": now()})]):
        with any_store.writing() as session:
            save_failures(session, batch)
    assert [row.number for row in kept(any_store)] == [1, 2, 1]


def test_a_body_is_kept_up_to_twenty_thousand_bytes() -> None:
    assert excerpt("short") == "short"
    cut = excerpt("ü" * LONGEST_BODY)
    assert len(cut.encode()) == LONGEST_BODY
    assert set(cut) == {"ü"}


def test_an_endpoint_that_is_away_for_a_while_is_waited_for(store: Store, server: Server) -> None:
    server.habits.latency = 0.05
    run_id = start_run(store, server, 40, concurrency=4)

    async def go_away() -> None:
        while server.answered < 8:
            await asyncio.sleep(0.005)
        await server.close_door()
        await asyncio.sleep(0.6)
        await server.open_door()

    policy = RetryPolicy(base=0.1, longest=0.2)
    assert judge(store, run_id, policy=policy, meanwhile=go_away) == "done"
    status = service.run_status(store, run_id)
    assert (status.scored, status.failed) == (40, 0)
    assert status.faults["unreachable"] >= 2
    assert server.answered <= 44  # those whose answer was on its way when the rate limiter closed


def test_fewer_calls_go_out_at_once_when_the_endpoint_bears_no_more(store: Store, server: Server) -> None:
    server.habits.capacity, server.habits.latency = 6, 0.02
    run_id = start_run(store, server, 200, concurrency=32)
    assert judge(store, run_id, policy=RetryPolicy(base=0.02, longest=0.05)) == "done"
    status = service.run_status(store, run_id)
    assert (status.scored, status.failed) == (200, 0)
    # Thirty-two at once would be refused 26 times for each six answers.
    assert server.failed["429"] < 100


def test_of_two_answers_one_is_judged_and_both_are_counted_and_paid(any_store: Store, server: Server) -> None:
    """As when a worker that slept and the one that took over from it ask the same."""
    store, server.habits.latency = any_store, 0.3
    run_id = start_run(store, server, 12, samples=2)
    endpoints.set_price(store, "local", "tiny", prompt=0, completion=10_000)  # a cent a reply

    async def both() -> list[str]:
        worker_contexts = [WorkerContext(store, policy=QUICK) for _ in range(2)]
        try:
            ends = await asyncio.gather(
                *(judge_positions(context, run_id, 1, low=0, high=12) for context in worker_contexts)
            )
        finally:  # a failure would leave their connections to the tests that follow
            for worker_context in worker_contexts:
                await worker_context.drain()
        return list(ends)

    assert "halted" in asyncio.run(both())
    assert judge(store, run_id) == "done"
    status = service.run_status(store, run_id)
    twice = server.calls - 12
    assert twice > 0
    assert (status.scored, status.calls, status.faults) == (12, server.calls, {"answered_twice": twice})
    assert status.cost == pytest.approx(0.02 * server.calls)
    with store.reading() as session:
        texts = session.execute(select(Completion.judgment_id, Completion.text))
        answers: dict[int, list[int]] = defaultdict(list)
        for judgment_id, text in texts:
            answers[judgment_id].append(int(text))
        verdicts = session.execute(select(Verdict.judgment_id, Verdict.score))
        scores = {judgment_id: score for judgment_id, score in verdicts}
    assert scores == {judgment_id: sum(item_scores) / 2 for judgment_id, item_scores in answers.items()}
