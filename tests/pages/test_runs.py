import json

import pytest
from sqlalchemy import select

from judgelab.domain import Criterion
from judgelab.imports.service import import_files
from judgelab.runs import service
from judgelab.runs.execute import manual_scores
from judgelab.runs.plan.spec import JudgeSpec
from judgelab.store.db import workers
from judgelab.store.judging.failures import NewFailure, save_failures
from judgelab.store.judging.runs import end_run, locked_run
from judgelab.store.models import Judgment
from judgelab.store.projects.projects import create_project
from judgelab.ui.kit import text
from judgelab.ui.session.navigation_bar import SWITCHER_KEY
from tests.command import judgelab
from tests.databases import load_demo
from tests.pages import kitchen
from tests.pages.conftest import screen_text
from tests.runs.contests import contest
from tests.runs.judging import judge

PAGE = "researcher/runs.py"
OVERALL = (("overall_1_10", "Overall 1-10"), ("clear", "Clarity"))


@pytest.fixture
def slug(app_store):
    return kitchen.rated(app_store)


def figures(at):
    return {metric.label: metric.value for metric in at.metric}


def test_without_runs_the_page_leads_to_judges(open_page, slug):
    at = open_page(PAGE, project=slug)
    assert not at.exception
    assert "No judge has run" in screen_text(at)


def test_a_finished_run_counts_scored_unscored_and_failed_even_at_zero(open_page, slug, app_store, tmp_path):
    run = kitchen.judged(app_store, slug, tmp_path)
    at = open_page(PAGE, project=slug, run=str(run))
    assert not at.exception
    counts = figures(at)
    assert counts["scored"] == "23"
    assert counts[":orange[unscored]"] == "1"
    assert counts["failed"] == "0"
    assert counts["cost (no model is called)"] == "none"


def test_an_unscored_reply_is_shown_as_it_came_with_the_reason(open_page, slug, app_store, tmp_path):
    run = kitchen.judged(app_store, slug, tmp_path)
    at = open_page(PAGE, project=slug, run=str(run))
    assert [code.value for code in at.code] == [kitchen.UNREADABLE] * 3
    assert "none of the 3 replies contains a score" in screen_text(at)


def test_the_latest_units_without_a_score_say_why_where_the_text_can_wrap(
    open_page, slug, app_store, tmp_path
):
    run = kitchen.judged(app_store, slug, tmp_path, unreadable=24)
    at = open_page(PAGE, project=slug, run=str(run))
    (line,) = [
        element.value for element in at.caption if "none of the 3 replies contains a score" in element.value
    ]
    assert line.count(", ") == 7


def test_scripted_replies_are_called_that(open_page, slug, app_store, tmp_path):
    run = kitchen.judged(app_store, slug, tmp_path)
    assert "no model called" in screen_text(open_page(PAGE, project=slug, run=str(run)))


def test_a_run_names_the_version_of_its_prompt(open_page, slug, app_store, tmp_path):
    run = kitchen.judged(app_store, slug, tmp_path)
    version = service.run_status(app_store, run).template_version
    assert f"prompt version {version}" in screen_text(open_page(PAGE, project=slug, run=str(run)))


def test_a_waiting_run_without_a_worker_says_what_to_do(open_page, slug, app_store, tmp_path):
    run = kitchen.waiting(app_store, slug, tmp_path)
    at = open_page(PAGE, project=slug, run=str(run))
    assert "judgelab up" in screen_text(at)
    assert "0 of 24 judgments made" in screen_text(at)


def test_pause_resume_and_cancel_reach_the_database(open_page, slug, app_store, tmp_path):
    run = kitchen.waiting(app_store, slug, tmp_path)
    at = open_page(PAGE, project=slug, run=str(run))
    at.button(key="runs_pause").click().run()
    assert service.run_status(app_store, run).state == "paused"
    at.button(key="runs_resume").click().run()
    assert service.run_status(app_store, run).state == "waiting"
    at.button(key="runs_cancel").click().run()
    assert service.run_status(app_store, run).state == "waiting", "cancel asks first"
    at.button(key="runs_cancel_sure").click().run()
    assert service.run_status(app_store, run).state == "cancelled"


def test_half_a_run_survives_a_refresh(open_page, slug, app_store, tmp_path):
    with app_store.writing() as session:
        workers.record_heartbeat(session, "one", pid=1, slots=1)
    run = kitchen.waiting(app_store, slug, tmp_path)
    kitchen.work(app_store, run, units=10)
    for _ in range(2):
        at = open_page(PAGE, project=slug, run=str(run))
        assert "**10 of 24 judgments made**" in screen_text(at)
        assert figures(at)["waiting"] == "14"


def test_an_old_button_on_a_run_that_ended_is_refused_with_a_sentence(open_page, slug, app_store, tmp_path):
    run = kitchen.waiting(app_store, slug, tmp_path)
    at = open_page(PAGE, project=slug, run=str(run))
    service.cancel(app_store, run)
    at.button(key="runs_pause").click().run()
    assert not at.exception
    assert any("is cancelled" in warning.value for warning in at.warning)


@pytest.mark.parametrize("linked", ["999", "nine", "²", "9" * 5000], ids=["far", "word", "sign", "long"])
def test_a_link_to_a_run_of_nowhere_shows_the_newest(open_page, slug, app_store, tmp_path, linked):
    run = kitchen.judged(app_store, slug, tmp_path)
    at = open_page(PAGE, project=slug, run=linked)
    assert at.title[0].value == f"Run {run}"


def test_another_project_opened_on_the_page_is_not_said_to_lack_the_run(open_page, app_store):
    load_demo(app_store, "kitchen", "news")
    at = open_page(PAGE, project="demo-kitchen", run="999")
    assert "The link refers to “Run 999”" in screen_text(at)
    (run, *_) = (status.run for status in service.list_runs(app_store, "demo-kitchen"))
    at = open_page(PAGE, project="demo-kitchen", run=str(run))
    at.selectbox(key=f"{SWITCHER_KEY}_demo-kitchen").select("demo-news").run()
    assert at.query_params["project"] == "demo-news" and "The link refers to" not in screen_text(at)


def test_a_score_read_by_a_person_is_entered_and_shown_as_such(open_page, slug, app_store, tmp_path):
    run = kitchen.judged(app_store, slug, tmp_path, unreadable=2)
    at = open_page(PAGE, project=slug, run=str(run))
    assert at.button(key="runs_unscored_enter").disabled
    assert "Lid 1 of" not in " ".join(code.value for code in at.code)
    next(element for element in at.toggle if element.key.startswith("runs_unscored_prompt")).set_value(
        True
    ).run()
    assert any("oven safe?" in code.value for code in at.code)
    at.button(key="runs_unscored_next").click().run()
    (score,) = [group for group in at.button_group if group.key.startswith("runs_unscored_score")]
    score.set_value(2.0).run()
    at.button(key="runs_unscored_enter").click().run()
    assert not at.exception
    assert "Entered 2 for" in screen_text(at) and "1 score of this run was entered by hand" in screen_text(at)
    assert figures(at)[":orange[unscored]"] == "1"
    status = service.run_status(app_store, run)
    assert (status.scored, status.unscored, manual_scores.count_manual_scores(app_store, run)) == (23, 1, 1)


def test_a_reply_without_a_score_is_asked_again_or_read_again(open_page, slug, app_store, tmp_path):
    run = kitchen.judged(app_store, slug, tmp_path, unreadable=2)
    at = open_page(PAGE, project=slug, run=str(run))
    at.button(key="runs_unscored_reparse").click().run()
    assert "Judgments with a score\\: 22 before, 22 now" in screen_text(at)
    at.button(key="runs_unscored_ask").click().run()
    assert "1 judgment will be made again" in screen_text(at)
    status = service.run_status(app_store, run)
    assert (status.state, status.waiting, status.unscored) == ("waiting", 1, 1)
    at.button(key="runs_unscored_ask_all").click().run()
    assert service.run_status(app_store, run).waiting == 2


def test_faults_are_shown_with_their_waits_costs_and_the_responses(open_page, slug, app_store, tmp_path):
    run = kitchen.waiting(app_store, slug, tmp_path)
    kitchen.work(app_store, run, units=4)
    values = {"message": "<b>slow</b> down", "status": 429, "latency": 4.5, "waited": 61.0, "cost": 0.5}
    with app_store.writing() as session:
        judgment = session.scalars(select(Judgment.id).where(Judgment.state == "waiting")).first()
        save_failures(session, [NewFailure(judgment, 0, 1, "rate_limit", values)])
    at = open_page(PAGE, project=slug, run=str(run))
    assert not at.exception
    words = screen_text(at)
    assert "1 min 1 s were spent waiting" in words
    assert "0.50" in words
    assert "4.5 s" not in words
    at.toggle(key="runs_faults_detailed").set_value(True).run()
    assert not at.exception
    words = screen_text(at)
    assert f"**429 too many requests**: 1 call, 1 min 1 s waited. {text.plain('<b>slow</b> down')}" in words
    assert "4.5 s, 429 too many requests" in words


def test_a_judge_of_pairs_is_asked_whether_the_place_counts(open_page, app_store):
    slug = contest(app_store)
    always_first = JudgeSpec("pairwise", "rule", backend="scripted", parameters={"answers": ["[[A]]"]})
    run = service.create_run(app_store, slug, always_first)
    judge(app_store, run)
    with app_store.writing() as session:
        end_run(locked_run(session, run), "done")
    at = open_page(PAGE, project=slug, run=str(run))
    assert not at.exception
    assert "It prefers the text shown first" in screen_text(at)
    assert figures(at)[":orange[chose the text shown first]"] == "100 %"
    assert figures(at)["chose the same text in both orders"] == "0 %"
    assert "of 12 choices that name a text" in screen_text(at).replace("\\", "")
    command = judgelab(app_store.url, "run", "position", str(run), "--json")
    report = json.loads(command.stdout)
    assert (report["choices"], report["first_rate"]["value"], report["consistency"]["value"]) == (12, 1, 0)
    assert report["first_test"]["p"] < 0.001 and report["always_first"] == 6


def test_lists_of_unscored_judgments_name_criteria_by_their_labels(open_page, app_store):
    criteria = [Criterion(key, label, {"kind": "ordinal", "low": 1, "high": 10}) for key, label in OVERALL]
    with app_store.writing() as session:
        create_project(session, name="Soup", criteria=criteria)
    rows = [
        f"q{n},Why?,s,So {n},strict,judge,{key},{'' if n else 3}" for n in range(3) for key, _label in OVERALL
    ]
    head = "item_id,question,system,response,rater,rater_kind,criterion,score"
    import_files(app_store, "soup", [("f.csv", "\n".join([head, *rows]).encode())])
    words = screen_text(open_page(PAGE, project="soup")).replace("\\", "")
    assert "q2 · s · Overall 1-10" in words and "overall_1_10" not in words


def test_an_imported_run_says_where_its_scores_come_from_and_shows_more_of_its_judgments(
    open_page, app_store
):
    load_demo(app_store, "kitchen")
    (run,) = (
        status.run
        for status in service.list_runs(app_store, "demo-kitchen")
        if status.judge == "Demo judge A"
    )
    at = open_page(PAGE, project="demo-kitchen", run=str(run))
    shown = screen_text(at)
    assert "Where the scores come from" in shown and "How judges are prompted" not in shown
    assert "no score in the reply" in shown and "the file has no valid score" not in shown
    assert "8 of 88" in shown
    for place in ("58 of 88", ""):
        at.button(key=f"runs_latest_more_{run}").click().run()
        assert not at.exception and place in screen_text(at)
    assert len(next(frame.value for frame in at.dataframe if "Replies" in frame.value)) == 88
    assert not any(button.key == f"runs_latest_more_{run}" for button in at.button)
