import random

import pytest

from judgelab.analysis.data import saved_filters
from judgelab.annotation.filters.apply_filter import FilterPolicy
from judgelab.domain import Criterion
from judgelab.store.db.engine import Store
from judgelab.store.models import ItemRow, Rating, ResponseRow
from judgelab.store.people import people
from judgelab.store.projects.projects import create_project, find_project
from judgelab.store.rating.criteria import criterion_ids
from tests.databases import load_demo
from tests.pages.conftest import OpenPage, page_answer, screen_text

PAGE = "researcher/quality.py"
SCALE = {"kind": "ordinal", "low": 0, "high": 3}
HABITS = {"Ada": 0.1, "Bo": 0.2, "Chen": 0.2, "Hugo": None}  # share of other scores; None is reversed


def rated(app_store, *, criteria=("answers",), items=24):
    chance = random.Random(5)
    with app_store.writing() as session:
        project = create_project(
            session, name="Pans", criteria=[Criterion(key, key.title(), SCALE) for key in criteria]
        )
        ids = criterion_ids(session, project.id)
        raters = {name: people.find_or_create(session, name) for name in HABITS}
        for n in range(items):
            item = ItemRow(project_id=project.id, external_id=f"q{n}", question="Does it fit?")
            session.add(item)
            session.flush()
            response = ResponseRow(project_id=project.id, item_id=item.id, external_id="a", system="alpha")
            session.add(response)
            session.flush()
            truth = n % 4
            for name, person in raters.items():
                for key in criteria:
                    noise = HABITS[name]
                    score = 3 - truth if noise is None else truth
                    if noise and chance.random() < noise:
                        score = (truth + 1) % 4
                    session.add(
                        Rating(
                            project_id=project.id,
                            response_id=response.id,
                            criterion_id=ids[key],
                            person_id=person,
                            score=score,
                            seconds=6 if name == "Hugo" else 40,
                        )
                    )
    return project.slug


@pytest.fixture
def slug(app_store):
    return rated(app_store)


def test_without_two_raters_the_page_says_what_it_needs(open_page, app_store):
    with app_store.writing() as session:
        create_project(session, name="Pans")
    at = open_page(PAGE, project="pans")
    assert not at.exception
    assert "needs ratings by at least two people" in screen_text(at)


def test_the_answer_comes_first_with_intervals(open_page, slug):
    at = open_page(PAGE, project=slug)
    assert not at.exception
    answer = page_answer(at)
    assert "**1 of 4 raters" in answer
    assert answer.count("[") == 2 and "without the filter, at" in answer


def test_what_would_go_adds_up(open_page, slug):
    at = open_page(PAGE, project=slug)
    frame = next(d.value for d in at.dataframe if "Responses" in d.value.columns)
    removed_count = sum(int(cell) for cell in frame["Ratings"][:-1] if cell != "–")
    kept_count, total = (int(number) for number in frame["Ratings"].iloc[-1].split(" of "))
    assert kept_count + removed_count == total == 96
    assert "Would be removed: Hugo." in screen_text(at)


def test_every_control_changes_the_result_at_once(open_page, slug):
    at = open_page(PAGE, project=slug)
    at.slider(key="quality_rule_threshold").set_value(0.0).run()
    assert "would remove" in page_answer(at)
    at.segmented_control(key="quality_rule_passes").set_value("one_pass").run()
    at.segmented_control(key="quality_rule_method").set_value("loo").run()
    at.selectbox(key="quality_rule_conflict").set_value("off").run()
    assert not at.exception


def test_a_rule_that_takes_too_many_is_a_warning_and_still_shown(open_page, slug):
    at = open_page(PAGE, project=slug)
    at.slider(key="quality_rule_threshold").set_value(1.0).run()
    at.segmented_control(key="quality_rule_passes").set_value("one_pass").run()
    assert not at.exception
    assert "would be removed" in at.warning[0].value


def test_saving_makes_a_version_and_puts_it_in_use(open_page, app_store, slug):
    at = open_page(PAGE, project=slug)
    at.slider(key="quality_rule_threshold").set_value(0.5).run()
    at.text_input(key="quality_name").set_value("strict").run()
    at.button(key="quality_save").click().run()
    assert not at.exception
    rule = saved_filters.filter_in_use(app_store, slug)
    assert (rule.name, rule.version, rule.policy.threshold) == ("strict", 1, 0.5)
    assert at.button(key="quality_save").disabled
    assert "strict, version 1" in at.selectbox(key="quality_in_use_strict, version 1").options


def test_all_ratings_can_be_chosen_again(open_page, app_store, slug):
    saved_filters.save_filter(app_store, slug, "main", saved_filters.FilterPolicy())
    at = open_page(PAGE, project=slug)
    at.selectbox(key="quality_in_use_main, version 1").set_value("").run()
    assert not at.exception
    assert saved_filters.filter_in_use(app_store, slug) is None


def test_a_locked_rule_stays_in_use_until_a_reason_is_given(open_page, app_store, slug):
    at = open_page(PAGE, project=slug)
    at.button(key="quality_lock").click().run()
    assert saved_filters.filter_in_use(app_store, slug).locked_at is not None
    assert "after 96 ratings" in screen_text(at)
    at.slider(key="quality_rule_threshold").set_value(0.7).run()
    at.button(key="quality_save").click().run()
    assert "locked" in at.error[0].value
    assert saved_filters.filter_in_use(app_store, slug).policy.threshold == 0.4
    at.text_input(key="quality_reason").set_value("one rater fell ill").run()
    at.button(key="quality_save").click().run()
    assert not at.exception and not at.error
    assert saved_filters.filter_in_use(app_store, slug).policy.threshold == 0.7
    assert "was replaced" in screen_text(at) and "one rater fell ill" in screen_text(at)


def test_all_ratings_instead_of_a_locked_rule_needs_a_reason_too(open_page, app_store, slug):
    saved_filters.save_filter(app_store, slug, "main", saved_filters.FilterPolicy(), lock=True)
    at = open_page(PAGE, project=slug)
    choice = "quality_in_use_main, version 1"
    assert at.selectbox(key=choice).disabled
    at.text_input(key="quality_use_reason").set_value("for comparison").run()
    at.selectbox(key=choice).set_value("").run()
    assert not at.exception
    assert saved_filters.filter_in_use(app_store, slug) is None
    assert "for comparison" in screen_text(at)


def test_a_rule_can_be_locked_before_the_first_rating(open_page, app_store):
    with app_store.writing() as session:
        create_project(session, name="Pans", criteria=[Criterion("answers", "Answers", SCALE)])
    at = open_page(PAGE, project="pans")
    at.slider(key="quality_rule_threshold").set_value(0.3).run()
    at.button(key="quality_lock").click().run()
    assert not at.exception
    rule = saved_filters.filter_in_use(app_store, "pans")
    assert rule.policy.threshold == 0.3 and rule.locked_ratings == 0
    assert "before the first rating" in screen_text(at)


def test_the_effect_is_computed_when_asked_for_and_warns(open_page, slug):
    at = open_page(PAGE, project=slug)
    assert not any("Change" in d.value.columns for d in at.dataframe)
    at.toggle(key="quality_effect").set_value(True).run()
    assert not at.exception
    assert any("usually raises agreement" in caption.value for caption in at.caption)
    assert any("all raters who are kept (mean of the ratings)" in caption.value for caption in at.caption)
    frame = next(d.value for d in at.dataframe if "Change" in d.value.columns)
    shown = frame[frame["Change"] != ""]
    first, second, change = (
        shown[name].str.split(" ").str[0].str.replace("−", "-").astype(float)
        for name in ("All ratings", "This rule", "Change")
    )
    assert len(shown) and (second - first - change).abs().max() < 1e-9, "differences of the numbers shown"
    assert frame.iloc[0].tolist()[:4:3] == ["Raters", "3"]
    said_of = dict(zip(frame[""], frame["This rule"], strict=True))
    assert "[" in said_of["Mean r between raters, n pairs"]
    assert "[" in said_of["   random raters"] and "[" in said_of["   on other items"]
    at.toggle(key="quality_effect_variants").set_value(True).run()
    assert not at.exception
    variants = next(d.value for d in at.dataframe if "Changed" in d.value.columns)
    assert {"the filter as set", "all failing raters at once", "median of the ratings"} <= set(
        variants["Changed"]
    )


@pytest.mark.parametrize(
    ("aggregate", "words"), [("median", "median of the ratings"), ("mace", "MACE labels")]
)
def test_how_ratings_become_one_score_is_saved_with_the_rule(open_page, app_store, slug, aggregate, words):
    at = open_page(PAGE, project=slug)
    at.selectbox(key="quality_rule_aggregate").set_value(aggregate).run()
    at.button(key="quality_save").click().run()
    assert not at.exception
    assert saved_filters.filter_in_use(app_store, slug).policy.aggregate == aggregate
    rules = next(d.value for d in at.dataframe if "In short" in d.value.columns)
    assert words in rules["In short"].iloc[0]


def test_raters_can_be_judged_by_degraded_copies(open_page, slug):
    at = open_page(PAGE, project=slug)
    at.segmented_control(key="quality_rule_control").set_value("hit").run()
    assert not at.exception
    assert "By degraded copies and repeats" in page_answer(at) and "0 of 4 raters" in page_answer(at)


def test_what_copies_and_repeats_say_of_each_rater_stands_in_a_table(open_page, app_store, slug):
    with app_store.writing() as session:
        for n, response in enumerate(session.query(ResponseRow)):
            response.text = f"The lid of pan {n} fits when it is cold."
    at = open_page(PAGE, project=slug)
    assert not any(button.key == "quality_copies_add" for button in at.button)  # only where the rule asks
    at.segmented_control(key="quality_rule_control").set_value("hit").run()
    assert "No one has rated a degraded copy" in screen_text(at)
    at.number_input(key="quality_copies_count").set_value(6)
    next(button for button in at.button if button.label == "Add copies").click().run()
    assert not at.exception and "6 degraded copies were added." in screen_text(at)
    rate_copies(app_store, slug)
    at = open_page(PAGE, project=slug)
    at.segmented_control(key="quality_rule_control").set_value("hit").run()
    table = next(d.value for d in at.dataframe if "p, copies" in d.value.columns).set_index("Rater")
    assert table["Result"].to_dict() == {"Ada": "passes", "Bo": "fails"}
    assert table.loc["Ada", "Drop"] == "+2.00" and table.loc["Ada", "p, copies"] == "0.016"
    assert table.loc["Bo", "p, copies"] == "1.000" and table.loc["Bo", "Repeats"] == "0"
    assert "1 of 4 raters" in page_answer(at)
    at.number_input(key="quality_rule_hit_alpha").set_value(0.01).run()
    table = next(d.value for d in at.dataframe if "p, copies" in d.value.columns).set_index("Rater")
    assert table.loc["Ada", "Result"] == "fails"  # 0.5 to the power of 6 is not below 0.01
    at.number_input(key="quality_rule_hit_pairs").set_value(7).run()
    table = next(d.value for d in at.dataframe if "p, copies" in d.value.columns).set_index("Rater")
    assert set(table["Result"]) == {"too few copies"}
    at.segmented_control(key="quality_rule_hit_test").set_value("wilcoxon").run()
    at.button(key="quality_save").click().run()
    policy = saved_filters.filter_in_use(app_store, slug).policy
    assert (policy.control, policy.hit_alpha, policy.hit_pairs, policy.hit_test) == (
        "hit",
        0.01,
        7,
        "wilcoxon",
    )


def rate_copies(app_store, slug):
    """Ada gives each copy two points less than its original, Bo the same."""
    with app_store.writing() as session:
        project = find_project(session, slug)
        criterion = criterion_ids(session, project.id)["answers"]
        names = {row.external_id: row for row in session.query(ItemRow)}
        for copy in session.query(ResponseRow).filter(ResponseRow.external_id.contains("~degraded")):
            original = names[copy.meta["degraded_of"]["item"]]
            first = session.query(ResponseRow).filter_by(item_id=original.id).one()
            for name, reduction in (("Ada", 2.0), ("Bo", 0.0)):
                person = people.find_or_create(session, name)
                rated = session.query(Rating).filter_by(response_id=first.id, person_id=person).one()
                rated.score = 3.0
                values = {"project_id": project.id, "criterion_id": criterion, "person_id": person}
                session.add(Rating(**values, response_id=copy.id, score=3.0 - reduction))


def test_several_criteria_are_shown_one_at_a_time(open_page, app_store):
    slug = rated(app_store, criteria=("answers", "style"))
    at = open_page(PAGE, project=slug)
    at.segmented_control(key="quality_shown").set_value("style").run()
    at.selectbox(key="quality_rule_reach").set_value("all").run()
    assert not at.exception
    at.selectbox(key="quality_rule_reach").set_value("answers").run()
    assert not at.exception
    assert "would remove no one" in page_answer(at)


def test_nothing_on_the_page_deletes(open_page, slug):
    at = open_page(PAGE, project=slug)
    assert not any("delete" in button.label.lower() for button in at.button)
    assert "Nothing is deleted" in screen_text(at)
    assert "Report agreement before and after" in screen_text(at)


def test_a_version_that_somebody_else_saved_meanwhile_is_said_before_the_next_is_made(
    open_page, app_store, slug
):
    at = open_page(PAGE, project=slug)
    at.slider(key="quality_rule_threshold").set_value(0.2).run()
    assert at.button(key="quality_save").label.strip("]").endswith("version 1")
    saved_filters.save_filter(app_store, slug, "main", FilterPolicy(threshold=0.3))
    at.button(key="quality_save").click().run()
    assert "Version 1 was saved in the meantime" in at.warning[0].value and r"0\.30" in at.warning[0].value
    assert [rule.version for rule in saved_filters.list_filters(app_store, slug)] == [1]
    at.button(key="quality_save").click().run()
    assert {rule.version: rule.policy.threshold for rule in saved_filters.list_filters(app_store, slug)} == {
        1: 0.3,
        2: 0.2,
    }


def test_the_table_of_saved_filters_says_who_saved_each(open_page, app_store, slug):
    with app_store.writing() as session:
        person = people.find_or_create(session, "Olga")
    saved_filters.save_filter(app_store, slug, "loose", FilterPolicy(threshold=0.1))
    saved_filters.save_filter(app_store, slug, "strict", FilterPolicy(threshold=0.6), person_id=person)
    table = next(d.value for d in open_page(PAGE, project=slug).dataframe if "In short" in d.value.columns)
    assert table["By"].tolist() == ["Olga", "not recorded"], "the newest first"


def test_a_select_box_shows_a_criterion_as_it_is_written(open_page, app_store):
    """Select boxes show plain text, so marks that are escaped for Markdown would be seen."""
    keys = ("factual_(0/1)", "overall_1-10", "style", "tone", "length")
    at = open_page(PAGE, project=rated(app_store, criteria=keys, items=4))
    labels = ["Factual_(0/1)", "Overall_1-10", "Style", "Tone", "Length"]
    assert at.selectbox(key="quality_shown").options == labels
    assert at.selectbox(key="quality_rule_reach").options[2:] == [f"only {label}" for label in labels]


def test_a_link_names_the_criterion_that_is_shown(open_page: OpenPage, app_store: Store) -> None:
    load_demo(app_store, "news")
    for criterion, label in (("fluency", "Fluency"), ("no such", "Coherence")):
        at = open_page("researcher/quality.py", project="demo-news", criterion=criterion)
        assert not at.exception
        assert f"“{label}”" in screen_text(at)
