"""The fault report: sums over failed calls, and the endpoint as it is now."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import select

from judgelab.cli.run_text import failure_lines, failures_json
from judgelab.runs.calls.retry_policy import RetryPolicy
from judgelab.runs.endpoints import service
from judgelab.runs.execute.failure_report import report_failures
from judgelab.store.db import workers
from judgelab.store.db.engine import Store
from judgelab.store.judging import endpoints as stored
from judgelab.store.judging import shares
from judgelab.store.judging.shares import EndpointUse
from judgelab.store.models import FailedCall, Judgment, Run
from judgelab.store.models.base import now
from tests.runs.conftest import start_run
from tests.runs.judging import judge
from tests.runs.openai_server import Server


def test_a_report_sums_up_what_failed_and_what_it_cost(any_store: Store, server: Server) -> None:
    server.habits.fault_rate, server.habits.faults = 0.3, ["500", "paid"]
    run_id = start_run(any_store, server, 40)
    service.set_price(any_store, "local", "tiny", prompt=1_000_000, completion=2_000_000)
    assert judge(any_store, run_id, policy=RetryPolicy(attempts=9, base=0.01)) == "done"
    report = report_failures(any_store, run_id)
    assert {cause.cause: cause.calls for cause in report.causes} == {
        "server_error": server.failed["500"],
        "broken_body": server.failed["paid"],
    }
    assert report.failed == server.failed.total()
    paid = server.failed["paid"]
    assert (report.prompt_tokens, report.completion_tokens, report.cost) == (9 * paid, paid, 11.0 * paid)
    assert sum(report.attempts.values()) == 40
    assert sum(number * count for number, count in report.attempts.items()) == server.calls
    with any_store.reading() as session:
        waits = list(session.scalars(select(FailedCall.waited)))
        lasted = list(session.scalars(select(FailedCall.latency)))
    assert report.waited == pytest.approx(sum(waits))
    assert report.slowest[0].seconds >= max(filter(None, lasted))
    assert len(report.slowest) == 5
    assert report.traffic is None
    text = "\n".join(failure_lines(report))
    assert f"{report.failed} failed calls" in text
    assert "the model fell over" in text
    assert failures_json(report)["slowest"][0]["item"].startswith("q")


def test_a_report_tells_how_the_endpoint_is_now(any_store: Store, server: Server) -> None:
    run_id = start_run(any_store, server, 2, concurrency=64)
    with any_store.writing() as session:
        session.get_one(Run, run_id).state = "running"
        endpoint = stored.find_endpoint(session, "local").id
        workers.record_heartbeat(session, "one", pid=1, slots=4)
        stored.cool_down(session, endpoint, now() + timedelta(seconds=30), "slow down")
    with any_store.writing() as session:
        shares.publish_use(session, "one", {endpoint: EndpointUse(64, 64, 12)})
    traffic = report_failures(any_store, run_id).traffic
    assert traffic is not None
    assert (traffic.at_once, traffic.limit, traffic.processes) == (12, 64, 1)
    assert traffic.rests_until is not None
    assert traffic.rests_because == "slow down"
    assert "Concurrent calls: 12 of 64." in failure_lines(report_failures(any_store, run_id))


def test_a_run_without_a_fault_says_so(store: Store, server: Server) -> None:
    run_id = start_run(store, server, 2)
    assert "no call failed" in failure_lines(report_failures(store, run_id))[0]
    with store.reading() as session:
        assert session.scalars(select(Judgment.id)).first() is not None
