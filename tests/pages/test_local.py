"""Local models on the pages: a folder or a name, what the worker has loaded, what to do without a worker."""

import pytest

from judgelab.runs import service
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db import workers
from tests.pages import kitchen
from tests.pages.conftest import screen_text

SOURCE = "Model on this machine (transformers)"


@pytest.fixture
def slug(app_store):
    return kitchen.rated(app_store)


def _run(store, slug):
    spec = JudgeSpec(protocol="direct", model="some/model", backend="transformers", samples=1)
    return service.create_run(store, slug, spec)


def test_the_model_of_a_local_judge_is_a_folder_or_a_name_on_the_hub(open_page, slug, app_store, tmp_path):
    at = open_page("researcher/judges.py", project=slug)
    at.selectbox(key="judges_source").select(SOURCE).run()
    assert not at.exception
    assert "one model at a time" in screen_text(at)
    field = at.text_input(key=f"judges_model_{SOURCE}")
    field.set_value(str(tmp_path / "model")).run()
    assert "neither a folder on this machine" in screen_text(at) and at.button(key="judges_start").disabled
    (tmp_path / "model").mkdir()  # nothing was written to the database meanwhile
    at.run()
    assert (
        "neither a folder on this machine" not in screen_text(at)
        and not at.button(key="judges_start").disabled
    )


def test_a_local_judge_is_started_with_a_folder(open_page, slug, app_store, tmp_path):
    at = open_page("researcher/judges.py", project=slug)
    at.selectbox(key="judges_source").select(SOURCE).run()
    at.text_input(key=f"judges_model_{SOURCE}").set_value(str(tmp_path)).run()
    at.button(key="judges_start").click().run()
    (run,) = service.list_runs(app_store, slug)
    assert (run.kind, run.model) == ("local", str(tmp_path))


def test_a_local_run_without_its_worker_says_what_to_do_and_then_what_is_loaded(open_page, slug, app_store):
    run_id = _run(app_store, slug)
    with app_store.writing() as session:
        workers.record_heartbeat(session, "host-0", pid=1, slots=4)
    at = open_page("researcher/runs.py", project=slug, run=str(run_id))
    assert "judgelab worker --local" in screen_text(at)
    with app_store.writing() as session:
        workers.record_heartbeat(
            session, "host-local", pid=2, slots=4, kind="local", doing="loading some/model (1.2 of 2.0 GB)"
        )
    at.run()
    assert "judgelab worker --local" not in screen_text(at)
    assert "loading some/model (1.2 of 2.0 GB)" in screen_text(at).replace("\\", "")
