"""What the replication of a study needs from other pages: known files, the paper's metrics, its runs."""

from __future__ import annotations

import json
import os

import pytest

from judgelab.errors import NotFound
from judgelab.imports.service import import_files
from judgelab.replication.planning import plan_study, start
from judgelab.replication.study_judges import ModelSource
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.store.db import workers
from judgelab.store.prepared.source_texts import source_texts
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.scoring.metric_scores import NewMetricScore, all_responses, save_scores
from judgelab.studies import studies
from tests.pages import kitchen
from tests.pages.conftest import screen_text
from tests.pages.test_data import upload
from tests.replication.conftest import study_project
from tests.runs.openai_server import Server

DATA, RUNS, PREPARATION = "researcher/data.py", "researcher/runs.py", "researcher/preparation.py"
RPQA = b"title,question,answer,annotated\nPan,Does it fit an oven?,Yes.,2.5\nPan,Is it heavy?,No.,1\n"


def project(app_store, study):
    study_spec = studies.get(study)
    with app_store.writing() as session:
        return create_project(
            session, name="Soup", study=study, task=study_spec.task, criteria=study_spec.criteria
        ).slug


def test_published_files_of_the_projects_study_are_known_by_their_names(open_page, app_store):
    at = upload(open_page(DATA, project=project(app_store, "elect")), "QA_auto.csv", RPQA)
    assert not at.exception
    format_box = next(box for box in at.selectbox if box.label == "Format")
    assert format_box.value == "elect-rpqa" and "Recognised by the file names" in screen_text(at)
    assert "2 items, 2 responses, 2 ratings" in at.button(key="data_import").label
    format_box.set_value("own").run()
    assert next(box for box in at.selectbox if box.label == "Format").value == "own"
    assert "Recognised by the file names" not in screen_text(at)


def test_the_same_files_are_ones_own_in_a_project_of_another_study(open_page, app_store):
    at = upload(open_page(DATA, project=project(app_store, "qa_eval")), "QA_auto.csv", RPQA)
    assert next(box for box in at.selectbox if box.label == "Format").value == "own"


def test_the_metrics_of_the_paper_are_chosen_first(open_page, app_store):
    slug = project(app_store, "qa_eval")
    at = upload(open_page(DATA, project=slug), "own.csv", b"question,response,system\nWhy?,So.,alpha\n")
    at.button(key="data_import").click().run()
    assert at.multiselect(key="data_metrics").value == ["exact_match", "token_f1"]


def test_runs_beside_the_one_in_view_are_counted_together(open_page, app_store):
    slug = kitchen.rated(app_store)
    with app_store.writing() as session:
        workers.record_heartbeat(session, "here", pid=os.getpid(), slots=1)
    plan = plan_study(app_store, slug, ModelSource("scripted", None, "rule"), study="elect")
    ids = start(app_store, slug, plan.missing)
    assert len(ids) == 4
    at = open_page(RUNS, project=slug, run=str(ids[0]))
    assert not at.exception
    units = sum(run.units for run in service.list_runs(app_store, slug))
    assert f"4 runs · 4 under way: 0 of {units} judgments made" in screen_text(at)
    table = next(frame.value for frame in at.dataframe if "Judge" in frame.value.columns)
    assert set(table["Judge"]) == {f"{name}, rule" for name in ("DP", "G-Eval", "One-shot DP", "ELECT")}


def test_a_second_model_of_the_same_name_gives_its_judges_names_of_their_own(app_store):
    slug = kitchen.rated(app_store)
    for name in ("one", "two"):
        endpoints.add_endpoint(app_store, name, base_url=f"http://127.0.0.1:9/{name}")
    first = plan_study(app_store, slug, ModelSource("openai_api", "one", "tiny"), study="elect")
    start(app_store, slug, [run for run in first.missing if run.title == "DP"])
    second = plan_study(app_store, slug, ModelSource("openai_api", "two", "tiny/tiny"), study="elect")
    names = {run.title: run.spec.name for run in second.missing}
    assert names["DP"] == "DP, tiny 2" and names["ELECT"] == "ELECT, tiny"
    assert start(app_store, slug, second.missing)


def test_a_model_that_the_endpoint_lists_is_chosen_and_remembered(open_page, app_store):
    slug = kitchen.rated(app_store)
    with Server() as server:
        endpoints.add_endpoint(app_store, "local", base_url=server.url)
        at = open_page("researcher/studies.py", project=slug)
        at.selectbox(key="study_paper").select("elect").run()
        at.selectbox(key="judges_source").select("local").run()
        assert at.selectbox(key="judges_model_local").value is None
        at.button(key="judges_ask").click().run()
        assert at.selectbox(key="judges_model_local").value == "tiny"
    plan = plan_study(app_store, slug, ModelSource("openai_api", "local", "tiny"), study="elect")
    start(app_store, slug, plan.missing)
    at = open_page("researcher/studies.py", project=slug)
    at.selectbox(key="study_paper").select("elect").run()
    at.selectbox(key="judges_source").select("local").run()
    assert at.selectbox(key="judges_model_local").value == "tiny"


def test_only_responses_with_a_human_score_are_planned_where_that_is_chosen(open_page, app_store):
    slug = kitchen.rated(app_store)
    lines = b"item_id,question,system,response\nextra,Why?,s,So.\n"
    import_files(app_store, slug, [("more.csv", lines)], kind="items")
    rule = ModelSource("scripted", None, "rule")
    all_responses = plan_study(app_store, slug, rule, study="elect").missing[0]
    rated_only = plan_study(app_store, slug, rule, study="elect", rated="answers").missing[0]
    assert (
        rated_only.estimate.units == all_responses.estimate.units - 1 == len(rated_only.selection.responses)
    )
    assert start(app_store, slug, [rated_only])
    later_plan = plan_study(app_store, slug, rule, study="elect")
    assert next(run for run in later_plan.missing if run.title == rated_only.title).estimate.units == 1
    with pytest.raises(NotFound, match="criterion"):
        plan_study(app_store, slug, rule, study="elect", rated="taste")
    at = open_page("researcher/studies.py", project=slug)
    at.selectbox(key="study_paper").select("elect").run()
    options = at.selectbox(key="study_rated").options
    assert options == [
        f"all {all_responses.estimate.units}",
        f"only rated ones, Answers the question: {rated_only.estimate.units}",
    ]


@pytest.fixture
def news(app_store):
    slug = project(app_store, "drpe")
    rows = [("c1", "cnn"), ("c2", "cnn"), ("b1", "bbc")]
    lines = [
        json.dumps(
            {
                "item_id": item,
                "context": f"News of {item}.",
                "group": group,
                "system": "s",
                "response": "News.",
            }
        )
        for item, group in rows
    ]
    import_files(app_store, slug, [("rows.jsonl", "\n".join(lines).encode())], kind="items")
    return slug


@pytest.mark.parametrize(("slug", "has_figure"), [("cnn", True), ("summeval", False)])
def test_a_figure_is_drawn_where_the_project_has_any_of_it(open_page, app_store, tmp_path, slug, has_figure):
    panel = {"protocol": "role_panel", "model": "m", "origin": "run"}
    options = {"panel": True, "static": True, "k": 4, "clustering": "dynamic", "batch": True}
    judges = {"four": {"noise": 0.1, "options": options, **panel}}
    study_project(app_store, tmp_path, slug, study="drpe", groups={"dm": 30}, judges=judges)
    at = open_page("researcher/studies.py", project=slug)
    assert not at.exception
    assert ("figure 6 of the paper" in screen_text(at)) is has_figure


def test_references_are_written_for_one_group_at_its_own_length(open_page, app_store, news):
    with Server() as server:
        endpoints.add_endpoint(app_store, "local", base_url=server.url)
        at = open_page(PREPARATION, project=news, part="roles")
        at.selectbox(key="judges_source").select("local").run()
        at.button(key="judges_ask").click().run()
        assert at.selectbox(key="roles_group").options == ["all of them", "bbc, 1", "cnn, 2"]
        at.selectbox(key="roles_group").set_value("cnn").run()
        at.button(key="roles_references").click().run()
        assert not at.exception
    with app_store.reading() as session:
        texts = source_texts(session, find_project(session, news).id)
    assert [text.name for text in texts if text.references] == ["c1", "c2"]


def test_a_missing_number_says_whether_scores_coefficient_or_settings_are_missing(open_page, app_store):
    slug = project(app_store, "summeval")
    rated = [
        ("items", "item_id,question,system,response\n"),
        ("ratings", "item_id,system,rater,criterion,score\n"),
    ]
    systems = "abc"
    rows = {
        "items": [f"i{n},Q {n}?,{s},Answer {n} {s}." for n in range(6) for s in systems],
        "ratings": [
            f"i{n},{s},{who},coherence,{1 + (k * (n + 1) + n) % 5}"
            for n in range(6)
            for k, s in enumerate(systems)
            for who in ("r1", "r2")
        ],
    }
    for kind, head in rated:
        content = (head + "\n".join(rows[kind])).encode()
        import_files(app_store, slug, [(f"{kind}.csv", content)], kind=kind)
    with app_store.writing() as session:
        key = find_project(session, slug).id
        responses = list(all_responses(session, key))
        for name, options in (("rouge1", {"references": "max"}), ("constant", {})):
            scores = [NewMetricScore(response, 0.0, None) for response in responses]
            save_scores(session, key, name, options=options, scores=scores)
    at = open_page("researcher/studies.py", project=slug)
    frame = next(f.value for f in at.dataframe if f.value.columns.nlevels == 2)
    of_row = {row[0]: row[2] for row in frame.itertuples(index=False, name=None)}
    assert of_row["ROUGE-1"] == "other settings"
    assert of_row["ROUGE-2"] == "no data"
    assert of_row["constant"] == "no value"
    assert "but not computed as in the paper" in screen_text(at)
    assert "this project lacks the scores that the number needs" in screen_text(at)
    assert "the number cannot be computed from" in screen_text(at)
