import pandas as pd
import pytest
from sqlalchemy import delete, select

from judgelab.analysis.data import saved_filters
from judgelab.analysis.data.scores import project_scores
from judgelab.analysis.disagreement.conflicts import decide_conflict
from judgelab.analysis.disagreement.disagreements import difference_sizes, disagreement_table
from judgelab.analysis.disagreement.failure_modes import response_tags
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.domain import Criterion
from judgelab.errors import NotFound
from judgelab.runs.execute import manual_scores, review
from judgelab.scales import scale_from_json
from judgelab.store.models import ItemRow, ReferenceRow, ResponseRow, Verdict
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project, find_project, update_project
from judgelab.store.rating.decisions import decisions
from judgelab.store.rating.tags import propose_tags
from judgelab.ui.explain import disagreement_list, disagreement_words
from tests.pages import kitchen
from tests.pages.conftest import captions, screen_text

PAGE = "researcher/disagreements.py"


@pytest.fixture
def slug(app_store):
    return kitchen.with_judges(app_store, strict=1, lenient=0)


@pytest.fixture
def ordered(app_store, slug):
    return disagreement_table(app_store, slug, rater="strict", criterion="answers")


def response(at):
    return int(at.query_params["response"])


def test_without_judges_the_page_leads_on(open_page, app_store):
    at = open_page(PAGE, project=kitchen.rated(app_store))
    assert not at.exception
    assert "No judge has scored" in screen_text(at)


def test_the_largest_difference_is_open_first(open_page, slug, ordered):
    at = open_page(PAGE, project=slug, judge="strict")
    assert not at.exception
    assert response(at) == ordered["response"].iloc[0]
    assert "1 of 23" in screen_text(at)


def test_next_and_previous_keep_the_place(open_page, slug, ordered):
    at = open_page(PAGE, project=slug, judge="strict")
    at.button(key="explain_next").click().run()
    at.button(key="explain_next").click().run()
    assert response(at) == ordered["response"].iloc[2]
    at.button(key="explain_previous").click().run()
    assert response(at) == ordered["response"].iloc[1]
    assert "2 of 23" in screen_text(at)


def test_a_link_opens_one_response_with_its_judge(open_page, slug, ordered):
    shared = int(ordered["response"].iloc[7])
    at = open_page(PAGE, project=slug, judge="strict", criterion="answers", response=str(shared))
    assert response(at) == shared
    assert at.selectbox(key="explain_judge").value == "strict"
    assert "8 of 23" in screen_text(at)


def test_of_a_long_list_the_part_with_the_response_is_drawn(open_page, slug, ordered, monkeypatch):
    monkeypatch.setattr(disagreement_list, "ROWS_AT_ONCE", 10)
    at = open_page(PAGE, project=slug, judge="strict", response=str(ordered["response"].iloc[12]))
    (table,) = [element.value for element in at.dataframe if list(element.value.columns)[0] == "Question"]
    assert list(table["Diff."]) == list(ordered["difference"].iloc[10:20])
    assert "13 of 23" in screen_text(at) and "Rows 11 to 20 of 23" in screen_text(at)


def test_the_list_names_the_system_that_answered_a_question(open_page, slug):
    at = open_page(PAGE, project=slug)
    (table,) = [element.value for element in at.dataframe if list(element.value.columns)[0] == "Question"]
    assert table["Question"].duplicated().any()
    assert not table.duplicated(["Question", "System"]).any()
    assert list(table)[:3] == ["Question", "System", "Diff."], "what a narrow list shows first"


def test_a_linked_response_outside_the_filters_is_still_shown(open_page, slug, ordered):
    smallest = int(ordered["response"].iloc[-1])
    at = open_page(PAGE, project=slug, judge="strict", response=str(smallest), apart="3")
    assert response(at) == smallest
    assert "not in this list" in screen_text(at)


def test_people_come_with_their_comments_and_markup_is_shown_as_text(open_page, slug):
    at = open_page(PAGE, project=slug)
    assert kitchen.MARKUP in screen_text(at)
    assert [table.value for table in at.table]
    assert not any("![x](" in markdown.value for markdown in at.markdown)


def test_a_rating_that_the_rule_does_not_count_is_marked(open_page, slug, app_store):
    saved_filters.save_filter(app_store, slug, "strict rule", FilterPolicy(threshold=0.99))
    at = open_page(PAGE, project=slug, judge="strict", response="5")
    assert "Rater removed by the quality filter" in " ".join(str(table.value) for table in at.table)


def test_each_judge_shows_score_samples_prompt_and_raw_replies(open_page, slug):
    at = open_page(PAGE, project=slug, judge="strict")
    assert len(at.metric) == 2
    assert "3 replies: " in screen_text(at)
    assert any("<question>" in code.value or "oven safe?" in code.value for code in at.code)
    labels = [expander.label for expander in at.expander]
    assert "strict: prompt as sent, 3 raw replies" in labels


def test_an_unscored_judgment_says_so_beside_the_others(open_page, slug, app_store):
    at = open_page(PAGE, project=slug, judge="lenient", response="1")
    assert "unscored: none of the 3 replies contains a score" in screen_text(at)


def test_direction_and_size_narrow_the_list(open_page, slug, ordered):
    at = open_page(PAGE, project=slug, judge="strict", show="higher", apart="0.5")
    expected = ordered[ordered["difference"] >= 0.5]
    assert response(at) == expected["response"].iloc[0]
    assert f"1 of {len(expected)}" in screen_text(at)


def test_system_and_group_narrow_the_list(open_page, slug, ordered):
    at = open_page(PAGE, project=slug, judge="strict", system="plain", group="lids")
    expected = ordered[(ordered["system"] == "plain") & (ordered["group"] == "lids")]
    assert f"of {len(expected)}" in screen_text(at)


def test_another_project_opens_on_its_own_list(open_page, slug, app_store, tmp_path):
    at = open_page(PAGE, project=slug, judge="strict")
    with app_store.writing() as session:
        create_project(session, name="Empty")
    at.query_params.clear()
    at.query_params["project"] = "empty"
    at.run()
    assert "explain_response" not in at.session_state
    at.query_params["project"] = slug
    assert not at.run().exception


def test_a_response_of_another_project_is_a_sentence(open_page, slug, app_store):
    with app_store.writing() as session:
        other_project = create_project(session, name="Theirs").id
        item = ItemRow(project_id=other_project, external_id="q", question="Whose lid is it?")
        session.add(item)
        session.flush()
        foreign = ResponseRow(
            project_id=other_project, item_id=item.id, external_id="r", system="s", text="Theirs."
        )
        session.add(foreign)
        session.flush()
        linked = str(foreign.id)
    at = open_page(PAGE, project=slug, response=linked)
    assert not at.exception
    assert any(linked in error.value for error in at.error)
    assert "Theirs" not in screen_text(at) and "Whose lid" not in screen_text(at)


@pytest.mark.parametrize("linked", ["²", "9" * 5000, "-1", "1.5"], ids=["sign", "long", "below", "part"])
def test_what_is_no_number_of_a_response_opens_the_first(open_page, slug, ordered, linked):
    at = open_page(PAGE, project=slug, judge="strict", response=linked)
    assert response(at) == ordered["response"].iloc[0] and not at.error


def test_what_is_no_distance_leaves_nothing_out(open_page, slug):
    at = open_page(PAGE, project=slug, judge="strict", apart="²")
    assert "1 of 23" in screen_text(at) and not at.error


def test_metrics_stand_below(open_page, slug):
    at = open_page(PAGE, project=slug)
    assert any("rougeL" in list(frame.value.get("Metric", [])) for frame in at.dataframe)


def test_a_score_entered_by_hand_and_the_votes_behind_one_are_told(open_page, app_store, tmp_path):
    slug = kitchen.rated(app_store)
    run = kitchen.judged(app_store, slug, tmp_path)
    (unit,) = review.unscored_units(app_store, run, state="unscored")
    manual_scores.enter_score(app_store, run, unit.response, 3, reason="it says so")
    at = open_page(PAGE, project=slug, response=str(unit.response))
    words = " ".join(element.value for element in at.caption)
    assert "Entered by hand by a command-line user" in words
    with app_store.writing() as session:
        other_verdict = session.scalars(select(Verdict).where(Verdict.origin == "judge")).first()
        other_verdict.detail = {"votes": {"1": 0.25, "2": 0.75}}
    at = open_page(PAGE, project=slug, response=str(other_verdict.response_id))
    assert "Votes: 1: 25 %, 2: 75 %." in captions(at)
    with app_store.writing() as session:
        session.get(Verdict, other_verdict.id).detail = {"weights": {"1": 0.6, "2": 0.3}, "mass": 0.9}
    at = open_page(PAGE, project=slug, response=str(other_verdict.response_id))
    assert "these cover 90 % of the probability" in captions(at)


def test_a_failure_mode_is_put_by_one_button_and_a_proposal_waits_for_a_person(open_page, slug, app_store):
    with app_store.writing() as session:
        project = find_project(session, slug)
        propose_tags(session, project.id, "gpt", [(5, "strict", "granularity", "A year for a day.")])
    at = open_page(PAGE, project=slug, judge="strict", response="5")
    assert "Proposed by gpt, not counted yet" in screen_text(at) and "A year for a day" in screen_text(at)
    at.button(key="explain_tag_semantic").click().run()
    assert {tag.kind: tag.state for tag in response_tags(app_store, slug, response=5, judge="strict")} == {
        "granularity": "proposed",
        "semantic": "accepted",
    }
    assert any("1 response tagged" in element.label for element in at.expander)
    at.button(key="explain_dismiss_granularity").click().run()
    at.button(key="explain_tag_semantic").click().run()
    assert [tag.state for tag in response_tags(app_store, slug, response=5, judge="strict")] == ["dismissed"]
    assert not at.exception


def test_modes_about_references_are_offered_only_beside_references(open_page, slug, app_store):
    at = open_page(PAGE, project=slug, judge="strict", response="5")
    assert sum(element.key.startswith("explain_tag_") for element in at.button if element.key) == 6
    with app_store.writing() as session:
        propose_tags(session, find_project(session, slug).id, "gpt", [(5, "strict", "granularity", "")])
        session.execute(delete(ReferenceRow))
    at = open_page(PAGE, project=slug, judge="strict", response="5")
    tag_keys = {
        element.key for element in at.button if element.key and element.key.startswith("explain_tag_")
    }
    assert tag_keys == {"explain_tag_ambiguity", "explain_tag_granularity"}, "and what stands there already"
    assert not at.exception


def test_a_response_is_decided_where_it_is_read_and_the_place_is_kept(open_page, slug, app_store, ordered):
    third = int(ordered["response"].iloc[2])
    before = project_scores(app_store, slug).scores
    at = open_page(PAGE, project=slug, judge="strict", response=str(third))
    at.text_input(key=f"explain_decide_reason_answers_{third}").set_value("the lid is glass").run()
    at.button(key="explain_decide_point_1").click().run()
    assert not at.exception
    assert response(at) == third and "3 of 23" in screen_text(at)
    assert any("Decision saved. The ratings are unchanged" in element.value for element in at.success)
    assert "Adjudicated: **1**. Owner" in screen_text(at) and "the lid is glass" in screen_text(at)
    assert "The adjudicator knew judges' scores" in screen_text(at)
    decision_by_key = decided(app_store, slug)
    assert {key: (decision.score, decision.reason) for key, decision in decision_by_key.items()} == {
        (third, "answers"): (1, "the lid is glass")
    }
    assert not decision_by_key[third, "answers"].names_hidden and decision_by_key[third, "answers"].saw_judges
    assert project_scores(app_store, slug).scores.equals(before)
    at.button(key="explain_next").click().run()
    assert "Adjudicated" not in screen_text(at) and not at.success
    at.button(key="explain_previous").click().run()
    assert "Change the decision" in [element.label for element in at.expander]
    at.button(key="explain_decide_back").click().run()
    assert decided(app_store, slug) == {} and response(at) == third
    assert any("Decision undone" in element.value for element in at.success)


def test_who_may_only_read_sees_the_decision_and_cannot_make_one(open_page, slug, app_store, ordered):
    first = int(ordered["response"].iloc[0])
    at = open_page(PAGE, project=slug, judge="strict", response=str(first))
    at.button(key="explain_decide_undecidable").click().run()
    with app_store.writing() as session:
        owner = people.list_people(session, role="owner")[0]
        people.set_role(session, owner.id, "reader")
    at.run()
    assert not at.exception
    assert "Adjudicated: cannot be decided" in screen_text(at)
    assert not [element for element in at.button if str(element.key).startswith("explain_decide")]


def test_a_decision_is_of_a_response_and_a_criterion_of_the_project(app_store, slug):
    with app_store.writing() as session:
        create_project(session, name="Other", criteria=[Criterion("good", "Good", kitchen.SCALE)])
        person = people.find_or_create(session, "Olga", role="owner")
    with pytest.raises(NotFound, match="response"):
        decide_conflict(app_store, "other", response=5, criterion="good", score=1, person_id=person)
    with pytest.raises(NotFound, match="criterion"):
        decide_conflict(app_store, slug, response=5, criterion="good", score=None, person_id=person)
    assert decided(app_store, slug) == {}


def decided(store, slug):
    with store.reading() as session:
        return decisions(session, find_project(session, slug).id)


@pytest.mark.parametrize(
    ("scale", "sentence"),
    [
        (
            {"kind": "numeric", "low": 0, "high": 1},
            "strict and the raters are 0.5 points or more apart on 3 of 5 responses that both scored; "
            "the largest difference, 0.75 points, occurs on 2 of them",
        ),
        (
            {"kind": "numeric", "low": 0, "high": 4},
            "strict and the raters are 2 points or more apart on none of the 5 responses that both scored",
        ),
        (
            {"kind": "binary"},
            "strict and the raters give opposite answers on none of the 5 responses that both scored; on 4, "
            "they differ in part, because the raters differ among themselves or the judge's replies do",
        ),
    ],
)
def test_how_far_apart_is_said_in_the_words_of_the_scale(scale, sentence):
    differences = pd.Series([0.75, -0.75, 0.5, 0.0, -0.1])
    disagreements = disagreement_list.DisagreementList(
        "strict",
        Criterion("it", "It", scale),
        pd.DataFrame(),
        difference_sizes(differences, scale_from_json(scale)),
    )
    assert disagreement_words.disagreements_sentence(disagreements) == sentence


def test_texts_in_markdown_are_shown_as_meant_and_their_html_as_typed(open_page, slug, ordered, app_store):
    first = int(ordered["response"].iloc[0])
    with app_store.writing() as session:
        session.get(
            ResponseRow, first
        ).text = "**Yes**, <b onclick=x>see</b>:\n\n| a | b |\n|---|---|\n| 1 | 2 |"
        project = find_project(session, slug)
        update_project(session, project.id, settings={"text_formats": {"response": "markdown"}})
    at = open_page(PAGE, project=slug, judge="strict", response=str(first))
    (shown,) = [
        html.body for html in (element.proto for element in at.get("html")) if "rendered" in html.body[:30]
    ]
    assert "<strong>Yes</strong>, &lt;b onclick=x&gt;see&lt;/b&gt;" in shown
    assert "<th>a</th><th>b</th>" in shown
