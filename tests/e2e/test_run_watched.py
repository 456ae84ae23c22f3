"""One run watched on its page: faults, a pause, a killed worker, a budget that is met, and the end of it."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.models import Judgment, Verdict
from tests.e2e.conftest import App, settled
from tests.runs.openai_server import Habits, Server
from tests.runs.projects import flasks

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

UNITS, AT_ONCE = 90, 4
A_CALL = 0.01  # dollars
FAULTS = ("429", "500", "broken", "truncated", "reset")
WAIT = 60_000


@pytest.fixture(scope="module")
def app(own_app: App) -> App:
    return own_app


@pytest.fixture
def server() -> Iterator[Server]:
    habits = Habits(latency=0.7, fault_rate=0.15, faults=FAULTS)
    with Server(habits) as running:
        yield running


@pytest.fixture
def run(app: App, server: Server) -> int:
    slug = flasks(app.store, UNITS)
    endpoints.add_endpoint(app.store, "shaky", base_url=server.url, concurrency=AT_ONCE)
    endpoints.set_price(app.store, "shaky", "tiny", prompt=0.0, completion=A_CALL * 1e6)
    spec = JudgeSpec(protocol="direct", model="tiny", endpoint="shaky", samples=1)
    return service.create_run(app.store, slug, spec, budget=UNITS * A_CALL * 2 / 3)


def test_faults_a_pause_a_kill_and_a_budget_are_seen_and_nothing_is_lost(
    app: App, server: Server, run: int, page: Page
) -> None:
    page.goto(f"{app.address}/runs?project=flasks&run={run}")
    far = page.get_by_role("heading", level=5)
    expect(far).to_contain_text(f"0 of {UNITS} judgments made")
    worker = app.start_worker()

    expect(far).to_have_text(
        re.compile(r"^[1-9]\d*\sof\s90\sjudgments\smade\safter\s.*about\s"), timeout=WAIT
    )
    expect(page.get_by_text("A failure never becomes a score")).to_be_visible(timeout=WAIT)
    page.get_by_role("button", name="Pause").click()
    expect(far).to_contain_text("paused", timeout=WAIT)
    settled(page)
    calls = server.calls
    time.sleep(1)
    assert server.calls == calls, "a paused run asks nothing"
    judged = service.run_status(app.store, run).scored

    page.get_by_role("button", name="Resume").click()
    expect(far).to_have_text(re.compile(r"^\d+\sof\s90\sjudgments\smade\safter"), timeout=WAIT)
    _until(lambda: service.run_status(app.store, run).scored >= judged + 3)
    worker.kill()
    worker.wait(60)
    app.start_worker()

    expect(page.get_by_text(re.compile(r"budget.*is too small for another call"))).to_be_visible(timeout=WAIT)
    expect(far).to_contain_text("paused", timeout=WAIT)
    paused_status = service.run_status(app.store, run)
    assert 0 < paused_status.scored < UNITS
    assert paused_status.cost is not None and paused_status.budget is not None
    assert paused_status.cost <= paused_status.budget + AT_ONCE * A_CALL

    page.get_by_role("button", name=re.compile("^Budget")).click()
    amount = page.get_by_role("spinbutton", name="Pause at cost, $")
    amount.fill("5")
    amount.press("Enter")
    expect(page.get_by_role("button", name="Budget $5.00")).to_be_visible(timeout=WAIT)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Resume").click()
    expect(far).to_have_text(re.compile(rf"^{UNITS}\sof\s{UNITS}\sjudgments\smade\sin"), timeout=WAIT)

    _check(app, server, run)


def _check(app: App, server: Server, run: int) -> None:
    """Each unit has one verdict; only what was on its way when the worker was killed was asked twice."""
    status = service.run_status(app.store, run)
    assert (status.state, status.scored, status.unscored, status.failed) == ("done", UNITS, 0, 0)
    assert sum(status.faults.values()) >= 3 and len(status.faults) >= 2, status.faults
    with app.store.reading() as session:
        verdicts = Counter(
            judgment
            for (judgment,) in session.query(Verdict.judgment_id)
            .join(Judgment)
            .filter(Judgment.run_id == run)
        )
    assert len(verdicts) == UNITS and set(verdicts.values()) == {1}
    assert server.answered <= UNITS + 2 * AT_ONCE


def _until(condition) -> None:  # type: ignore[no-untyped-def]
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.05)
