"""The row of links to pages of the same subject, and the choice of another project."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from judgelab.domain import Criterion
from judgelab.store.db.engine import Store
from judgelab.store.projects.projects import create_project
from judgelab.ui.session.navigation_bar import SWITCHER_KEY
from tests.databases import load_demo
from tests.pages.conftest import OpenPage

SCALE = {"kind": "ordinal", "low": 1, "high": 5}
AGREE = ["Agreement", "Trust", "Compare", "Means", "More ratings", "Patterns"]


@pytest.fixture
def soup(app_store: Store) -> str:
    """Return the slug of a project without data."""
    with app_store.writing() as session:
        create_project(session, name="Soup", slug="soup", criteria=[Criterion("good", "Good", SCALE)])
    return "soup"


def _links(at: AppTest) -> dict[str, str]:
    """Return the query of each link to a page, by its label."""
    return {link.proto.label: link.proto.query_string for link in at.get("page_link")}


@pytest.mark.parametrize(
    ("page", "parameter", "current"),
    [("agreement", "rater", "Agreement"), ("trust", "judge", "Trust"), ("patterns", "", "Patterns")],
)
def test_the_pages_on_agreement_link_to_one_another_and_mark_the_current_one(
    soup: str, open_page: OpenPage, page: str, parameter: str, current: str
) -> None:
    at = open_page(f"researcher/{page}.py", project=soup, **({parameter: "judge one"} if parameter else {}))
    links = _links(at)
    assert [name for name in AGREE if name not in links] == [current]
    assert f"**{current}**" in [element.value for element in at.markdown]
    named = {"Agreement": "rater", "Trust": "judge", "Means": "judge", "Patterns": "judge"}
    parameters = named if parameter else {}
    for name in set(AGREE) - {current}:
        judge = f"&{parameters[name]}=judge+one" if name in parameters else ""
        assert links[name] == f"project=soup{judge}"


def test_the_links_name_the_judge_just_chosen(app_store: Store, open_page: OpenPage) -> None:
    load_demo(app_store, "news")
    at = open_page("researcher/trust.py", project="demo-news", judge="Demo judge A")
    assert "rater=Demo+judge+A" in _links(at)["Agreement"]
    at.selectbox(key="trust_judge").select("Demo judge B").run()
    assert "rater=Demo+judge+B" in _links(at)["Agreement"] and "judge=Demo+judge+B" in _links(at)["Means"]


def test_rate_does_not_lead_to_the_judges_scores(soup: str, open_page: OpenPage) -> None:
    assert "You" not in _links(open_page("annotator/rate.py", project=soup))
    assert {"Rate", "You"} <= set(_links(open_page("annotator/my_ratings.py", project=soup)))


def test_a_page_of_one_subject_has_no_row(soup: str, open_page: OpenPage) -> None:
    assert not set(AGREE) & set(_links(open_page("researcher/data.py", project=soup)))


def test_the_switcher_changes_the_project_and_drops_what_the_link_said_of_the_last_one(
    app_store: Store, soup: str, open_page: OpenPage
) -> None:
    with app_store.writing() as session:
        create_project(session, name="Second", slug="second", criteria=[Criterion("good", "Good", SCALE)])
    at = open_page("researcher/agreement.py", project=soup, rater="judge one")
    switcher = at.selectbox(key=f"{SWITCHER_KEY}_soup")
    assert switcher.options == ["Second", "Soup"]
    switcher.select("second").run()
    assert at.query_params["project"] == "second" and "rater" not in at.query_params
    assert not at.exception


def test_a_single_project_needs_no_switcher(soup: str, open_page: OpenPage) -> None:
    at = open_page("researcher/data.py", project=soup)
    assert not [box for box in at.selectbox if str(box.key).startswith(SWITCHER_KEY)]


def test_projects_of_one_name_are_told_apart(app_store: Store, soup: str, open_page: OpenPage) -> None:
    with app_store.writing() as session:
        create_project(session, name="Soup", slug="soup-2", criteria=[Criterion("good", "Good", SCALE)])
    at = open_page("researcher/agreement.py", project=soup)
    switcher = at.selectbox(key=f"{SWITCHER_KEY}_soup")
    assert switcher.options == ["Soup (soup-2)", "Soup (soup)"]
    assert switcher.select("soup-2").run().query_params["project"] == "soup-2"


def test_a_page_opens_with_the_judge_coefficient_and_level_last_chosen(
    app_store: Store, open_page: OpenPage
) -> None:
    load_demo(app_store, "news")
    at = open_page("researcher/agreement.py", project="demo-news")
    assert at.selectbox(key="agree_rater").value != "learned"
    at.selectbox(key="agree_rater").select("learned").run()
    at.segmented_control(key="agree_coefficient").select("kendall").run()
    at.selectbox(key="agree_level").select("item").run()
    _open_from_the_bar(at, "researcher/trust.py")
    assert at.selectbox(key="trust_judge").value == "learned"
    assert at.selectbox(key="trust_coefficient").value == "kendall"
    assert at.selectbox(key="trust_level").value == "item"
    at.selectbox(key="trust_coefficient").select("mae").run()
    _open_from_the_bar(at, "researcher/disagreements.py")
    assert at.selectbox(key="explain_judge").value == "learned"
    _open_from_the_bar(at, "researcher/compare.py")
    assert "learned" in at.multiselect(key="compare_judges").value
    at.selectbox(key="compare_level").select("none").run()
    _open_from_the_bar(at, "researcher/agreement.py")
    assert at.segmented_control(key="agree_coefficient").value == "mae"
    assert at.selectbox(key="agree_level").value == "none"


def test_a_link_wins_over_what_was_last_chosen(app_store: Store, open_page: OpenPage) -> None:
    load_demo(app_store, "news")
    at = open_page("researcher/trust.py", project="demo-news")
    at.selectbox(key="trust_coefficient").select("kendall").run()
    _open_from_the_bar(at, "researcher/agreement.py", coefficient="mae")
    assert at.segmented_control(key="agree_coefficient").value == "mae"
    assert not [caption for caption in at.caption if "not available here" in caption.value]


def test_a_default_is_no_choice(app_store: Store, open_page: OpenPage) -> None:
    load_demo(app_store, "news")
    at = open_page("researcher/agreement.py", project="demo-news")
    at.selectbox(key="agree_level").select("system").run()
    _open_from_the_bar(at, "researcher/trust.py")  # has no such level and shows its default
    _open_from_the_bar(at, "researcher/agreement.py")
    assert at.selectbox(key="agree_level").value == "system"


def _open_from_the_bar(at: AppTest, page: str, **parameters: str) -> None:
    at.query_params.clear()
    at.query_params.update({"project": "demo-news", **parameters})
    at.switch_page(f"pages/{page}").run()
    assert not at.exception
