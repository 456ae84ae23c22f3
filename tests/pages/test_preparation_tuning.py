"""Fine-tuning on the page Preparation: the training data, a hosted job, the tuned models."""

from collections.abc import Iterator

import pytest

from judgelab.runs.endpoints import service
from judgelab.store.projects.projects import find_project
from judgelab.store.scoring.tuned_models import tuned_model
from tests.pages import kitchen
from tests.pages.conftest import screen_text
from tests.runs.openai_server import Server
from tests.runs.test_json_judges import project_of

PAGE = "researcher/preparation.py"


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


def test_a_job_is_started_looked_at_and_its_model_named(open_page, app_store, server):
    slug = project_of(app_store, "bioasq", items=12)
    service.add_endpoint(app_store, "local", base_url=server.url, timeout=60)
    at = open_page(PAGE, project=slug, part="tuning")
    assert not at.exception
    assert "items left to judge" in screen_text(at)
    at.multiselect(key="tuning_train").set_value(["batch 0"]).run()
    assert "10 training examples" in screen_text(at) and "6 items left to judge" in screen_text(at)
    at.text_input(key="tuning_model").set_value("gpt-x").run()
    at.button(key="tuning_start").click().run()
    assert "1 job is running" in screen_text(at)
    for _ in range(3):
        at.button(key="tuning_look_tuned").click().run()
    assert not at.exception
    with app_store.reading() as session:
        model = tuned_model(session, find_project(session, slug).id, "tuned")
    assert model["state"] == "succeeded" and model["model"].startswith("ft:gpt-x")
    assert model["model"] in str(at.dataframe[0].value)


def test_too_few_ratings_are_said(open_page, app_store):
    slug = kitchen.rated(app_store)
    at = open_page(PAGE, project=slug, part="tuning")
    at.selectbox(key="tuning_protocol").set_value("direct").run()
    at.slider(key="tuning_percent").set_value(10).run()
    assert "2 training examples are too few; at least 10 are needed" in screen_text(at)
    assert not at.exception
