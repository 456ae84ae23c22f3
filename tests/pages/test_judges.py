import pytest

from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.scores import project_scores
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.domain import Criterion
from judgelab.learned_training.training import learn
from judgelab.runs import service
from judgelab.runs.endpoints import service as endpoints
from judgelab.runs.metrics.scoring import score_project
from judgelab.store.models import Project
from judgelab.store.projects.projects import create_project
from judgelab.store.rating.criteria import update_criterion
from judgelab.studies import studies
from tests.pages import kitchen
from tests.pages.conftest import screen_text
from tests.runs.contests import contest
from tests.runs.projects import flasks, rate

PAGE = "researcher/judges.py"


@pytest.fixture
def slug(app_store):
    return kitchen.rated(app_store)


def test_a_project_without_responses_leads_to_data(open_page, app_store):
    with app_store.writing() as session:
        create_project(session, name="Empty")
    at = open_page(PAGE, project="empty")
    assert not at.exception
    assert "has no responses yet" in screen_text(at)


def test_the_real_prompt_stands_beside_the_choices(open_page, slug):
    at = open_page(PAGE, project=slug)
    assert not at.exception
    assert "Is lid number 0 oven safe?" in at.code[0].value
    assert kitchen.MARKUP in at.code[0].value, "uploaded text is shown letter by letter"


def test_an_endpoint_whose_key_is_there_is_offered_first(open_page, slug, app_store, monkeypatch):
    monkeypatch.setenv("KEY_B", "sk-b")
    for name in ("a", "b"):
        endpoints.add_endpoint(
            app_store, name, base_url="http://127.0.0.1:9/v1", api_key_env=f"KEY_{name.upper()}"
        )
    assert open_page(PAGE, project=slug).selectbox(key="judges_source").value == "b"
    monkeypatch.delenv("KEY_B")
    assert open_page(PAGE, project=slug).selectbox(key="judges_source").value == "a"


def test_stepping_shows_the_prompt_of_the_next_response(open_page, slug):
    at = open_page(PAGE, project=slug)
    at.button(key="judges_to_next").click().run()
    at.button(key="judges_to_next").click().run()
    assert "Is lid number 1 oven safe?" in at.code[0].value


def test_every_protocol_shows_its_options_and_a_prompt(open_page, slug):
    at = open_page(PAGE, project=slug)
    for name in at.selectbox(key="judges_protocol").options:
        at.selectbox(key="judges_protocol").select(name).run()
        assert not at.exception, name
        assert at.code or at.error, name


def test_the_estimate_counts_judgments_and_samples_before_anything_starts(open_page, slug, app_store):
    at = open_page(PAGE, project=slug)
    at.number_input(key="judges_samples_direct").set_value(3).run()
    figures = {metric.label: metric.value for metric in at.metric}
    assert figures["calls (3 replies each) for 24 judgments"] == "24"
    assert service.list_runs(app_store, slug) == []


def test_a_first_try_asks_once_and_a_project_of_the_study_as_often_as_the_paper(open_page, app_store, slug):
    at = open_page(PAGE, project=slug)
    assert at.number_input(key="judges_samples_direct").value == 1
    assert "The paper of this protocol combines 10" in screen_text(at)
    assert "calls (1 reply each) for 24 judgments" in {metric.label for metric in at.metric}
    assert "several calls" not in screen_text(at)
    at.selectbox(key="judges_protocol").select("otb").run()
    assert at.text_input(key="judges_otb_field").value == "", "no other paper's field"
    assert "in JudgeLab's own wording. If your project" not in screen_text(at)
    with app_store.writing() as session:
        project = session.query(Project).filter_by(slug=slug).one()
        project.study = "elect"
        update_criterion(session, project.id, studies.get("elect").criteria[0])
    at = open_page(PAGE, project=slug)
    assert at.number_input(key="judges_samples_direct").value == 10
    assert "10 replies per response cost up to 10 times as much as one" in screen_text(at)
    assert "in JudgeLab's own wording. If your project" in screen_text(at)


def test_a_criterion_that_nothing_defines_is_named(open_page, app_store):
    slug = flasks(app_store, 3, criteria=("truth",))
    at = open_page(PAGE, project=slug)
    assert "'Truth' has no definition: a judge sees only its name and the scale" in screen_text(at).replace(
        "\\", ""
    )
    with app_store.writing() as session:
        project = session.query(Project).filter_by(slug=slug).one()
        criterion = Criterion("truth", "Truth", {"kind": "ordinal", "low": 0, "high": 3}, "Is it true?")
        update_criterion(session, project.id, criterion)
    assert "no definition" not in screen_text(open_page(PAGE, project=slug))


def test_without_a_worker_the_page_says_how_to_start_one(open_page, slug):
    assert "judgelab up" in screen_text(open_page(PAGE, project=slug))


def test_a_protocol_that_cannot_serve_a_criterion_is_one_sentence_and_no_start(open_page, app_store):
    slug = flasks(app_store, 3, criteria=("truth", "style"), scale={"kind": "ordinal", "low": 1, "high": 5})
    at = open_page(PAGE, project=slug)
    at.selectbox(key="judges_protocol").select("elect").run()
    assert not at.exception
    (refused,) = at.error
    assert "ELECT cannot judge 'Truth' and 'Style'" in refused.value.replace("\\", "")
    assert refused.value.replace("\\", "").endswith("choose Direct (direct) or G-Eval (geval).")
    assert at.button(key="judges_start").disabled
    at.selectbox(key="judges_protocol").select("geval").run()
    assert not at.error and not at.button(key="judges_start").disabled


def test_a_response_shown_as_an_example_is_no_reason_not_to_start(open_page, app_store):
    slug = flasks(app_store, 3, scale={"kind": "ordinal", "low": 1, "high": 5})
    rate(app_store, slug, {1: 5.0})
    at = open_page(PAGE, project=slug)
    at.selectbox(key="judges_protocol").select("one_shot").run()
    assert (
        not at.error
        and "the judge sees this response, or one with the same text, as an example" in screen_text(at)
    )
    assert not at.button(key="judges_start").disabled
    at.button(key="judges_to_next").click().run()
    assert "Does flask 1 leak?" in at.code[0].value


def test_starting_stores_a_run_that_waits(open_page, slug, app_store):
    at = open_page(PAGE, project=slug)
    at.selectbox(key="judges_scope").select("system").run()
    at.button(key="judges_start").click().run()
    (run,) = service.list_runs(app_store, slug)
    assert (run.state, run.units, run.origin) == ("waiting", 12, "scripted")


def test_a_second_click_is_the_first_one_again(open_page, slug, app_store):
    at = open_page(PAGE, project=slug)
    at.button(key="judges_start").click().run()
    at = at.switch_page(f"pages/{PAGE}").run()
    at.button(key="judges_start").click().run()
    assert len(service.list_runs(app_store, slug)) == 1


def test_an_endpoint_without_a_chosen_model_says_what_is_missing(open_page, slug, app_store):
    endpoints.add_endpoint(app_store, "local", base_url="http://127.0.0.1:9/v1")
    at = open_page(PAGE, project=slug)
    at.selectbox(key="judges_source").select("local").run()
    start = at.button(key="judges_start")
    assert start.disabled and "model missing" in start.label
    assert at.code, "the prompt does not wait for a model"


def test_an_endpoint_that_is_down_says_so_when_asked_for_its_models(open_page, slug, app_store):
    endpoints.add_endpoint(app_store, "local", base_url="http://127.0.0.1:9/v1")
    at = open_page(PAGE, project=slug)
    at.selectbox(key="judges_source").select("local").run()
    at.button(key="judges_ask").click().run()
    assert not at.exception
    assert "127" in screen_text(at)


def test_a_pasted_reply_is_read_as_the_protocol_would(open_page, slug):
    at = open_page(PAGE, project=slug)
    at.text_area(key="judges_reply").input("2").run()
    assert "**scored 2**" in screen_text(at)
    at.text_area(key="judges_reply").input("It depends.").run()
    assert "unscored" in screen_text(at)


def test_existing_judges_are_listed_with_what_stands_behind_them(open_page, slug, app_store, tmp_path):
    kitchen.judged(app_store, slug, tmp_path)
    at = open_page(PAGE, project=slug)
    row = at.dataframe[0].value.iloc[0]
    assert row["Origin"] == "scripted, no model asked"
    assert (row["Scored"], row["Unscored"], row["Failed"]) == (23, 1, 0)


def test_a_judge_can_be_sent_after_what_it_has_not_scored(open_page, slug, app_store, tmp_path):
    kitchen.judged(app_store, slug, tmp_path)
    at = open_page(PAGE, project=slug)
    at.text_input(key="judges_name").input("strict").run()
    scope = at.selectbox(key="judges_scope")
    assert "not yet scored by this judge, 1" in scope.options


def test_an_option_that_means_nothing_alone_appears_with_the_one_it_belongs_to(open_page, app_store):
    at = open_page(PAGE, project=kitchen.rated(app_store))
    assert "judges_direct_least_mass" not in [field.key for field in at.number_input]
    at.selectbox(key="judges_direct_expected").select("only").run()
    assert not at.exception
    assert at.number_input(key="judges_direct_least_mass").value == 80


def test_a_judge_of_pairs_shows_its_calls_and_what_it_would_read(open_page, app_store):
    slug = contest(app_store)
    at = open_page(PAGE, project=slug)
    at.selectbox(key="judges_protocol").select("pairwise").run()
    assert not at.exception
    assert "This item takes 6 calls; together" in screen_text(at)
    assert "(item 1 of " in screen_text(at) and "(response 1 of" not in screen_text(at)
    assert "Each judgment scores all responses to one item, which takes several calls." in screen_text(at)
    at.selectbox(key="judges_call_6").select_index(1).run()
    assert at.selectbox(key="judges_call_6").options[1] == "2: response 2, then 1"
    assert at.code[0].value.index("s1 says of q0") < at.code[0].value.index("s0 says of q0")
    at.text_area(key="judges_reply").input("[[B]]").run()
    assert "choice: second" in screen_text(at).replace("\\", "")
    at.text_area(key="judges_reply").input("neither").run()
    assert "nothing in double square brackets" in screen_text(at)


def test_judges_and_metrics_become_a_jury(open_page, slug, app_store, tmp_path):
    kitchen.judged(app_store, slug, tmp_path)
    score_project(app_store, slug, ["length"])
    at = open_page(PAGE, project=slug)
    at.multiselect(key="judges_jury_members").set_value(at.multiselect(key="judges_jury_members").options)
    at.text_input(key="judges_jury_name").set_value("bench")
    at.run()
    at.button(key="judges_jury_make").click().run()
    assert not at.exception
    assert "bench created with" in screen_text(at)
    assert "bench" in set(project_scores(app_store, slug).scores["rater"])


def test_a_judge_is_learned_with_a_button_and_its_report_says_how_good_it_is(
    open_page, slug, app_store, monkeypatch
):
    monkeypatch.setenv("JUDGELAB_ENCODER", "tfidf")
    learn(app_store, slug, policy="none", encoder="tfidf", shuffles=3)
    at = open_page(PAGE, project=slug)
    assert not at.exception
    assert any(button.key == "learned_start" for button in at.button)
    assert "on unseen items" in screen_text(at) and "TF\\-IDF" in screen_text(at)
    assert any("trained on the ratings" in frame.value.to_string() for frame in at.dataframe)
    assert "Agreement at training time with the mean of all raters, " in screen_text(at)

    saved_filters.save_filter(app_store, slug, "lax", FilterPolicy(threshold=-1, min_annotations=1))
    learn(app_store, slug, policy="lax", encoder="tfidf", shuffles=0)
    assert "the mean of the raters kept by the filter, " in screen_text(at.run())


def test_examples_of_the_project_are_chosen_where_a_protocol_brings_its_own(open_page, slug):
    at = open_page(PAGE, project=slug)
    at.selectbox(key="judges_protocol").set_value("linkage").run()
    idle = {str(element.key) for kind in (at.text_input, at.checkbox) for element in kind}
    assert not {"judges_linkage_examples_from", "judges_linkage_apart"} & idle
    at.selectbox(key="judges_linkage_examples").set_value("rated").run()
    assert not at.exception
    assert at.checkbox(key="judges_linkage_apart").value is True
    assert at.text_input(key="judges_linkage_examples_from").value == ""
