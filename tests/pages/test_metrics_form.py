"""Scoring with metrics from the Data page: options per metric, in the background if a worker is alive."""

from __future__ import annotations

import os

import pytest

from judgelab.runs.worker import metric_jobs
from judgelab.store.db import workers
from judgelab.store.projects.projects import create_project
from judgelab.store.scoring.scoring_jobs import JobKey
from tests.pages.test_data import PAGE, QA, held, upload

CHOSEN = ["bleu", "length", "rouge1", "smog"]


@pytest.fixture
def slug(app_store):
    with app_store.writing() as session:
        return create_project(session, name="Pans").slug


@pytest.fixture
def page(open_page, slug):
    at = upload(open_page(PAGE, project=slug), "pans.csv", QA)
    at.button(key="data_import").click().run()
    at.multiselect(key="data_metrics").set_value(CHOSEN).run()
    return at


def test_without_references_no_metric_that_needs_them_is_proposed_or_counted_as_having_scored(
    open_page, slug, app_store
) -> None:
    bare = b"item_id,question,response_id,system,response\nq1,Which pan?,a,s,The iron one.\n"
    at = upload(open_page(PAGE, project=slug), "pans.csv", bare)
    at.button(key="data_import").click().run()
    assert at.multiselect(key="data_metrics").value == ["length", "novelty"]
    at.multiselect(key="data_metrics").set_value(["bleu", "length"]).run()
    at.button(key="data_score").click().run()
    assert not at.exception and held(app_store).metrics == 1


def test_options_that_differ_are_asked_for_each_metric(page, app_store) -> None:
    assert page.selectbox(key="data_option_references_bleu").options[0] == "together"
    page.selectbox(key="data_option_references_rouge1").set_value("mean").run()
    page.selectbox(key="data_option_unit").set_value("sentences").run()
    page.button(key="data_score").click().run()
    assert not page.exception
    assert held(app_store).metrics == 4
    captions = " ".join(caption.value for caption in page.caption)
    assert "SMOG grade" in captions and "3 responses scored" in captions


def test_a_worker_is_left_to_do_it_and_can_be_paused(page, app_store, slug) -> None:
    with app_store.writing() as session:
        workers.record_heartbeat(session, "here", pid=os.getpid(), slots=1)
    page.button(key="data_score").click().run()
    job = metric_jobs.latest_job(app_store, slug)
    assert job is not None and list(job.metrics) == CHOSEN and held(app_store).metrics == 0
    page.button(key="data_job_pause").click().run()
    job = metric_jobs.latest_job(app_store, slug)
    assert job is not None and job.state == "paused"
    page.button(key="data_job_resume").click().run()
    assert metric_jobs.run_job(app_store, JobKey(job.id, 2)) == "done"
    page.run()
    assert not page.exception
    assert "BLEU" in " ".join(caption.value for caption in page.caption)
    assert held(app_store).metrics == 4
