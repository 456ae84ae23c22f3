"""Learning a judge from the page Judges, in the background if a worker is alive."""

from __future__ import annotations

import os

import pytest

from judgelab.learned_training import jobs
from judgelab.learned_training.training import learn
from judgelab.runs.service import list_runs
from judgelab.runs.worker import metric_jobs
from judgelab.store.db import audit, workers
from judgelab.store.models import ItemRow
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring import scoring_jobs
from judgelab.store.scoring.learned import stored_learned
from judgelab.store.scoring.scoring_jobs import JobKey
from tests.learned_training.conftest import lamps
from tests.pages.conftest import screen_text
from tests.pages.test_judges import PAGE


@pytest.fixture
def page(open_page, app_store, monkeypatch):
    monkeypatch.setenv("JUDGELAB_ENCODER", "tfidf")
    return open_page(PAGE, project=lamps(app_store))


def learned(store) -> list[str]:
    with store.reading() as session:
        return [judge.judge for judge in stored_learned(session, find_project(session, "lamps").id)]


def test_without_a_worker_the_page_learns_itself(page, app_store) -> None:
    page.button(key="learned_start").click().run(timeout=60)
    assert not page.exception
    assert learned(app_store) == ["learned"] and jobs.latest(app_store, "lamps") is None
    assert "48 verdicts stored" in screen_text(page)


def test_the_page_of_its_run_speaks_of_no_replies(open_page, app_store) -> None:
    slug = lamps(app_store)
    learn(app_store, slug, policy="none", encoder="tfidf", shuffles=1)
    (run,) = list_runs(app_store, slug)
    at = open_page("researcher/runs.py", project=slug, run=str(run.run))
    assert not at.exception
    (latest,) = [frame.value for frame in at.dataframe if "Response" in frame.value]
    assert list(latest.columns) == ["Time", "Score", "Response"]


def test_a_worker_is_left_to_do_it_and_can_be_paused(page, app_store) -> None:
    with app_store.writing() as session:
        workers.record_heartbeat(session, "here", pid=os.getpid(), slots=1)
    page.button(key="learned_start").click().run()
    job = jobs.latest(app_store, "lamps")
    assert job is not None and job.state == "waiting" and learned(app_store) == []
    assert page.button(key="learned_start").disabled  # one at a time
    page.button(key="learned_job_pause").click().run()
    job = jobs.latest(app_store, "lamps")
    assert job is not None and job.state == "paused"
    page.button(key="learned_job_resume").click().run()
    assert jobs.work(app_store, JobKey(job.id, 2)) == "done"
    page.run()
    assert not page.exception
    assert learned(app_store) == ["learned"] and "48 verdicts stored" in screen_text(page)
    with app_store.reading() as session:
        events = audit.recent_events(session, find_project(session, "lamps").id)
    assert [event.action for event in events] == ["learned_judge"]


def test_what_stopped_it_stands_there_as_a_sentence(open_page, app_store) -> None:
    slug = lamps(app_store, rated=3)
    job_id = jobs.start(app_store, slug, policy="none", encoder="tfidf")
    with app_store.writing() as session:
        workers.record_heartbeat(session, "here", pid=os.getpid(), slots=1)
    with pytest.raises(Exception, match="ratings of 9 responses") as error:
        jobs.work(app_store, JobKey(job_id, 1))
    with app_store.writing() as session:
        scoring_jobs.stop_attempt(session, JobKey(job_id, 1), str(error.value))
    at = open_page(PAGE, project=slug)
    assert not at.exception
    assert "ratings of 9 responses to 3 items" in screen_text(at)
    at.button(key="learned_job_cancel").click().run()
    job = jobs.latest(app_store, slug)
    assert job is not None and job.state == "cancelled" and metric_jobs.jobs_to_start(app_store) == []
    assert not at.button(key="learned_start").disabled


def test_a_feature_that_shares_a_metric_s_name_is_named_as_a_feature(open_page, app_store) -> None:
    """The metric has an encoder of its own, so the values differ."""
    slug = lamps(app_store)
    with app_store.writing() as session:
        for item in session.query(ItemRow):
            item.context = f"The lamp stands by the window of house {item.external_id}. The river is near."
    learn(app_store, slug, policy="none", encoder="tfidf", shuffles=1)
    at = open_page(PAGE, project=slug)
    tables = [frame.value for frame in at.dataframe if "Value" in frame.value]
    assert "feature “grounding” of this judge (TF-IDF)" in tables[0]["Rater"].tolist()
    assert not any("[" in value for value in tables[0]["Value"]), (
        "a phone shows the value without its interval"
    )
