"""What a faulty endpoint does to a run: every unit scored or with its reason, each failure counted."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import select

from judgelab.domain import Criterion
from judgelab.runs import service
from judgelab.runs.calls.retry_policy import RetryPolicy
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.execute.reparse import reparse
from judgelab.store.db.engine import Store
from judgelab.store.judging.endpoints import find_endpoint
from judgelab.store.models import Completion, Judgment
from tests.runs.conftest import spec, start_run
from tests.runs.judging import QUICK, judge
from tests.runs.openai_server import Server
from tests.runs.projects import flasks


def test_faults_are_retried_and_each_is_counted(store: Store, server: Server) -> None:
    server.habits.fault_rate, server.habits.retry_after = 0.2, "0.05"
    run_id = start_run(store, server, 60)
    assert judge(store, run_id) == "done"
    status = service.run_status(store, run_id)
    assert (status.scored, status.unscored, status.failed) == (60, 0, 0)
    assert status.calls == server.calls == 60 + server.failed.total()
    names = {"429": "rate_limit", "500": "server_error", "broken": "broken_body"}
    assert status.faults == {names[kind]: count for kind, count in server.failed.items()}


def test_a_refusal_rests_the_endpoint_as_long_as_it_asks(store: Store, server: Server) -> None:
    server.habits.fault_rate, server.habits.faults = 1.0, ["429"]
    server.habits.retry_after = "0.6"
    run_id = start_run(store, server, 1)

    async def relent() -> None:
        while not server.times:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)  # the refusal is on its way; the next call comes no sooner than 0.6 s after
        server.habits.fault_rate = 0.0

    judge(store, run_id, meanwhile=relent)
    first, second = server.times
    assert second - first >= 0.6
    with store.reading() as session:
        assert find_endpoint(session, "local").name == "local"


def test_a_unit_whose_attempts_are_used_up_failed_and_can_be_asked_again(
    store: Store, server: Server
) -> None:
    server.habits.status = (500, "")
    run_id = start_run(store, server, 3)
    judge(store, run_id, policy=RetryPolicy(attempts=2, base=0.01))
    status = service.run_status(store, run_id)
    assert (status.failed, status.calls, status.faults) == (3, 6, {"server_error": 6})
    assert status.failures == {"server_error": 3}
    server.habits.status = None
    with store.writing() as session:
        session.get_one(Judgment, 1).state = "scored"
        session.get_one(Judgment, 1).cause = ""
    assert service.retry_failed(store, run_id) == 2
    judge(store, run_id)
    status = service.run_status(store, run_id)
    assert (status.failed, status.waiting, server.answered) == (0, 0, 2)
    assert (status.calls, status.faults) == (8, {"server_error": 6})


@pytest.mark.parametrize(
    ("habit", "message"),
    [((401, "invalid_api_key"), "401"), ((429, "insufficient_quota"), "credit"), ((404, ""), "model's name")],
)
def test_what_no_retry_mends_stops_the_run(
    store: Store, server: Server, habit: tuple[int, str], message: str
) -> None:
    server.habits.status = habit
    run_id = start_run(store, server, 50, concurrency=4)
    assert judge(store, run_id) == "halted"
    with store.reading() as session:
        run = service.runs.find_run(session, run_id)
    assert run.wanted == "stop"
    assert message in run.reason
    assert server.calls <= 4


def test_a_missing_key_stops_the_run_and_names_its_variable(store: Store, server: Server) -> None:
    endpoints.add_endpoint(store, "closed", base_url=server.url, api_key_env="NO_SUCH_KEY")
    run_id = service.create_run(store, flasks(store, 3), spec(endpoint="closed"))
    assert judge(store, run_id) == "halted"
    with store.reading() as session:
        assert "NO_SUCH_KEY" in service.runs.find_run(session, run_id).reason
    assert server.calls == 0


def test_a_key_is_sent_and_never_kept(
    store: Store, server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", "wrong-key-of-mine")
    server.habits.key = "right-key"
    endpoints.add_endpoint(store, "closed", base_url=server.url, api_key_env="A_KEY")
    run_id = service.create_run(store, flasks(store, 3), spec(endpoint="closed"))
    judge(store, run_id)
    store.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"***" in stored
    assert b"wrong-key-of-mine" not in stored


def test_an_endpoint_that_stays_down_stops_the_run_and_no_unit_fails(store: Store) -> None:
    endpoints.add_endpoint(store, "down", base_url="http://127.0.0.1:9/v1")
    run_id = service.create_run(store, flasks(store, 80), spec(endpoint="down"))
    assert judge(store, run_id, policy=RetryPolicy(base=0.05, never_reached=0.3)) == "halted"
    status = service.run_status(store, run_id)
    assert (status.failed, status.waiting) == (0, 80)
    with store.reading() as session:
        assert "cannot be reached" in service.runs.find_run(session, run_id).reason


def test_a_reply_without_a_score_is_unscored_and_kept(store: Store, server: Server) -> None:
    server.habits.answers = ["It depends."]
    run_id = start_run(store, server, 4)
    judge(store, run_id)
    status = service.run_status(store, run_id)
    assert (status.scored, status.unscored, status.failed) == (0, 4, 0)
    with store.reading() as session:
        assert set(session.scalars(select(Completion.text))) == {"It depends."}
        assert all(session.scalars(select(Judgment.reason)))


def test_stored_replies_are_read_again_without_a_call(store: Store, server: Server) -> None:
    server.habits.answers = ["2"]
    run_id = start_run(store, server, 4)
    judge(store, run_id)
    calls = server.calls
    with store.writing() as session:
        for row in session.scalars(select(Completion)):
            row.text = "4"
    assert reparse(store, run_id) == (4, 4, 0)
    with store.writing() as session:
        for row in session.scalars(select(Completion)):
            row.text = "3"
    assert reparse(store, run_id) == (4, 0, 4)
    assert server.calls == calls


def test_a_pause_awaits_what_is_in_flight_and_loses_nothing(store: Store, server: Server) -> None:
    server.habits.latency = 0.4
    run_id = start_run(store, server, 40, concurrency=8)

    async def pause() -> None:
        await asyncio.sleep(0.6)
        with store.writing() as session:
            service.runs.locked_run(session, run_id).wanted = "pause"

    assert judge(store, run_id, meanwhile=pause) == "halted"
    status = service.run_status(store, run_id)
    assert status.scored == server.answered == server.calls
    assert 0 < status.scored < 40
    service.cancel(store, run_id)
    assert service.run_status(store, run_id).state == "cancelled"


def test_the_budget_stops_a_run(store: Store, server: Server) -> None:
    server.habits.latency = 0.2
    endpoints.add_endpoint(store, "local", base_url=server.url, concurrency=2)
    slug = flasks(store, 60)
    endpoints.set_price(store, "local", "tiny", prompt=10_000, completion=10_000)
    run_id = service.create_run(store, slug, spec(), budget=2.0)
    assert judge(store, run_id, policy=QUICK) == "halted"
    status = service.run_status(store, run_id)
    assert status.cost is not None
    assert 1.0 < status.cost <= 2.0 + 2 * status.cost / status.calls
    assert status.waiting > 0


def test_a_prompt_that_cannot_be_built_fails_its_unit_alone(store: Store, server: Server) -> None:
    assert Criterion  # the yes/no grammar refuses a scale of four points before anything is stored
    endpoints.add_endpoint(store, "local", base_url=server.url)
    slug = flasks(store, 2)
    with pytest.raises(Exception, match="yes_no"):
        service.create_run(store, slug, spec(options={"grammar": "yes_no"}))
    assert service.list_runs(store, slug) == []
