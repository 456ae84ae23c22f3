"""The study page: the paper's table and the project's, missing runs with one estimate, ablations."""

from __future__ import annotations

import csv
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from judgelab.imports.service import collect_files, import_files
from judgelab.preparation.step import prepare
from judgelab.runs import service
from judgelab.store.projects.projects import create_project, find_project
from judgelab.studies import studies
from tests.pages import kitchen
from tests.pages.conftest import screen_text
from tests.replication.conftest import study_project
from tests.replication.test_counts import lose

PAGE = "researcher/studies.py"


@pytest.fixture
def slug(app_store, tmp_path):
    path = tmp_path / "scores.csv"
    rows = [
        (f"auto-{n}", f"question {n}", "auto", "S", f"answer {n}", "answers", rater, score)
        for n in range(12)
        for rater, score in (("annotated", n % 4), ("llama_dp", (n + n // 6) % 4))
    ]
    heads = "item_id question group system response criterion rater score".split()
    study = studies.get("elect")
    with app_store.writing() as session:
        create_project(session, name="Soup", study="elect", task="qa", criteria=study.criteria)
    for kind, rater in (("ratings", "annotated"), ("judgments", "llama_dp")):
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([heads, *[row for row in rows if row[6] == rater]])
        import_files(app_store, "soup", collect_files([path]), kind=kind)
    return "soup"


def table(at):
    frame = next(f.value for f in at.dataframe if f.value.columns.nlevels == 2)
    return frame.set_index(frame.columns[0])


def test_a_papers_table_is_filled_its_runs_planned_and_started_at_once(open_page, app_store, slug):
    at = open_page(PAGE, project=slug)
    assert not at.exception
    assert "of 2 printed numbers lie inside this project's intervals" in screen_text(at)
    rows = table(at)
    assert list(rows.loc["Automotive", "Llama"])[0] == "0.531"
    assert rows.loc["Automotive", "Llama"].iloc[1].endswith("n 12")
    assert rows.loc["Pet supplies", "Llama"].iloc[1] == "no data"
    # The demo backend needs no model, so every judge of the paper can be planned with it.
    at.toggle(key="study_plan").set_value(True).run()
    planned_runs = next(f.value for f in at.dataframe if "judge" in f.value.columns)
    assert set(planned_runs["judge"]) == {"DP", "G-Eval", "One-shot DP", "ELECT"}
    assert at.button(key="study_plan_all_start").label == ":violet[Start 4 runs]"
    at.button(key="study_plan_all_start").click().run()
    assert not at.exception
    runs = service.list_runs(app_store, slug)
    assert len([run for run in runs if run.state == "waiting"]) == 4
    at = open_page(PAGE, project=slug)
    at.toggle(key="study_plan").set_value(True).run()
    assert "Already there" in screen_text(at)


def test_what_the_project_holds_stays_while_another_paper_is_looked_at(open_page, app_store, slug):
    def kept():
        with app_store.reading() as session:
            return find_project(session, slug).settings.get("study_dataset")

    at = open_page(PAGE, project=slug)
    at.selectbox(key="study_paper").select("linkage").run()
    at.selectbox(key="study_dataset_linkage_1_").select("ANTIQUE").run()
    assert not at.exception and kept() == "ANTIQUE"
    at.selectbox(key="study_paper").select("drpe").run()
    assert not at.exception and kept() == "ANTIQUE"


def test_an_ablation_of_the_paper_becomes_a_table_of_its_own(open_page, slug):
    at = open_page(PAGE, project=slug)
    at.button(key="grid_add").click().run()
    assert not at.exception
    rows = next(f.value for f in at.dataframe if "Spearman's ρ" in f.value.columns)
    assert list(rows["Number of examples"]) == ["1", "2", "3", "4"] and set(rows["Spearman's ρ"]) == {
        "not run yet"
    }
    at.button(key="grid_drop_shots rule").click().run()
    assert not [f for f in at.dataframe if "Spearman's ρ" in f.value.columns]


def test_settings_of_ones_own_choice_are_varied(open_page, slug):
    at = open_page(PAGE, project=slug)
    at.selectbox(key="own_grid_protocol").set_value("direct").run()
    at.multiselect(key="own_grid_what_direct").set_value(["explain", "samples"]).run()
    at.multiselect(key="own_grid_direct_samples").set_value([1, 3]).run()
    at.button(key="own_grid_add").click().run()
    assert not at.exception
    rows = next(f.value for f in at.dataframe if "Spearman's ρ" in f.value.columns)
    assert list(zip(rows["Ask for a rationale"], rows["Replies"], strict=True)) == [
        ("no", "1"),
        ("no", "3"),
        ("yes", "1"),
        ("yes", "3"),
    ]


def test_numbers_of_a_judge_that_asked_no_model_are_called_so() -> None:
    def page() -> None:
        from judgelab.metaeval.core.result import Estimate
        from judgelab.replication.cells import Block, Cell, Head, Line
        from judgelab.ui.study import answer

        cell = Cell(0.7, Estimate(0.1, n=9), rater="direct rule", kind="judge")
        block = Block("rule", (Head("", "all"),), (Line("GPT-4o", (cell,)),))
        answer.write_judge_origins(block, {"direct rule": "scripted"})
        answer.write_judge_origins(block, {})

    at = AppTest.from_function(page).run()
    assert "contain scripted replies (rule)" in at.markdown[0].value
    assert "no model was called" in at.markdown[0].value
    assert at.caption[0].value.startswith("The judges' rows contain scores by rule")


def test_a_project_without_a_paper_is_asked_for_one(open_page, app_store):
    slug = kitchen.rated(app_store)
    at = open_page("researcher/studies.py", project=slug)
    assert not at.exception
    assert at.selectbox(key="study_paper").value is None
    assert not at.dataframe


def test_what_the_numbers_leave_out_stands_under_table_and_figure(open_page, app_store, slug):
    lose(app_store, "llama_dp", ["unscored", "failed"], group="auto")
    at = open_page(PAGE, project=slug)
    assert not at.exception
    words = screen_text(at).replace("\\", "")
    missing = "no score for 2 rated responses (1 unscored, 1 failed in all)"
    assert f"Automotive has {missing}." in words
    assert "llama_dp: 1 unscored, 1 failed." in words, "under the distribution of scores"
    assert "Criterion: Answers the question. A mean of several ratings" in words


def test_patterns_say_what_they_leave_out(open_page, app_store, slug):
    lose(app_store, "llama_dp", ["unscored", "failed"], group="auto")
    words = screen_text(open_page("researcher/patterns.py", project=slug)).replace("\\", "")
    missing = "no score for 2 rated responses (1 unscored, 1 failed in all)"
    assert f"of 10 responses ({missing})" in words
    assert (
        "0 of the 0 responses that at least two of the 1 judges scored; 12 rated responses excluded" in words
    )


def test_runs_of_few_shot_judges_are_planned_with_examples_of_the_project(open_page, make, app_store):
    make("open", study="linkage", groups={"a": 6, "b": 6}, judges={}, systems=tuple("uvwxyz"))
    prepare(app_store, "open", "references", {"pattern": "3210"})
    at = open_page(PAGE, project="open")
    at.toggle(key="study_plan").set_value(True).run()
    at.selectbox(key="study_examples_linkage").set_value("rated").run()
    assert not at.exception
    planned_runs = next(f.value for f in at.dataframe if "judge" in f.value.columns)
    few_shot = [name for name in planned_runs["judge"] if "few-shot" in name]
    assert few_shot and all(name.endswith("rated examples") for name in few_shot)


@pytest.fixture
def make(app_store, tmp_path):
    return partial(study_project, app_store, tmp_path)
