"""Money on the pages: the estimate and a project's budget, a run paused at its budget, the end of a batch."""

from collections.abc import Iterator

import pytest

from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.worker import run_lifecycle
from judgelab.store.judging.runs import remember_remote
from judgelab.store.projects.projects import find_project, update_project
from tests.pages.conftest import screen_text
from tests.runs.conftest import spec
from tests.runs.judging import judge
from tests.runs.openai_server import Server
from tests.runs.projects import flasks

PAGE = "researcher/runs.py"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture
def paused(app_store, server):
    """Slug and id of a run whose calls cost one cent each, paused at its budget of five cents."""
    endpoints.add_endpoint(app_store, "local", base_url=server.url, concurrency=2)
    endpoints.set_price(app_store, "local", "tiny", prompt=0, completion=10_000)
    slug = flasks(app_store, 12)
    run_id = service.create_run(app_store, slug, spec(), budget=0.05)
    assert run_lifecycle.begin(app_store, run_id, 1)
    judge(app_store, run_id)
    run_lifecycle.end_round(app_store, run_id, 1, before=1, errors=())
    return slug, run_id


def unescaped(at):
    return screen_text(at).replace("\\", "")


def test_a_run_at_its_budget_says_so_and_takes_a_larger_one(open_page, app_store, paused):
    slug, run_id = paused
    at = open_page(PAGE, project=slug, run=str(run_id))
    assert not at.exception
    assert "the budget of this run is too small for another call: 0.05 of 0.05 USD are spent" in unescaped(at)
    assert {metric.label: metric.value for metric in at.metric}["cost, of $0.05"] == "$0.05"
    at.number_input(key=f"runs_budget_{run_id}").set_value(1.0)
    at.button(key="runs_budget_set").click().run()
    assert not at.exception
    assert service.run_status(app_store, run_id).budget == 1.0
    at.button(key="runs_resume").click().run()
    assert service.run_status(app_store, run_id).state == "waiting"


def test_a_batch_that_ended_is_listed_and_the_rest_goes_on_live(open_page, app_store, paused):
    slug, run_id = paused
    entry = {"label": "x", "low": 0, "high": 12, "requests": 11, "id": "batch_1", "state": "expired"}
    with app_store.writing() as session:
        service.runs.locked_run(session, run_id).mode = "batch"
        remember_remote(session, run_id, {"batches": [{**entry, "answered": 4, "merged": True}]})
    at = open_page(PAGE, project=slug, run=str(run_id))
    assert not at.exception
    table = next(frame.value for frame in at.dataframe if "Requests" in frame.value.columns)
    assert table.iloc[0].tolist() == ["expired", "11", "4", "0", "batch_1"]
    at.button(key="runs_resume_live").click().run()
    status = service.run_status(app_store, run_id)
    assert (status.state, status.mode) == ("waiting", "live")


def test_the_judge_page_says_what_the_projects_budget_leaves(open_page, app_store, paused):
    slug, _run_id = paused
    with app_store.writing() as session:
        update_project(session, find_project(session, slug).id, settings={"budget_usd": 0.06})
    at = open_page("researcher/judges.py", project=slug)
    assert not at.exception
    assert "Remaining project budget: $0.01; the run may reach it and will then pause." in unescaped(at)
    at.selectbox(key="judges_mode").select("batch").run()
    assert not at.exception
    assert "The price list has no batch price, so this is the full price." in unescaped(at)
