"""*Patterns* of comparisons: the pairs in which a judge chooses differently from most raters."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from judgelab.store.db.engine import Store
from judgelab.store.frames.score_frames import response_frame
from judgelab.store.projects.projects import find_project
from tests.compared import pairs_project, rate_responses
from tests.databases import load_demo
from tests.pages.conftest import OpenPage, captions, page_answer, screen_text

PATTERNS, EXPLAIN = "researcher/patterns.py", "researcher/disagreements.py"
PARTS, TOGETHER = 0, 1  # places of the two tables


def shown(at: AppTest) -> str:
    return screen_text(at).replace("\\", "").replace("\u00a0", " ")


def test_patterns_of_the_demo_find_the_habit_of_each_judge(open_page: OpenPage, app_store: Store) -> None:
    load_demo(app_store, "pairs")
    at = open_page(PATTERNS, project="demo-pairs", judge="Demo judge D")
    assert not at.exception and not at.error
    found = shown(at)
    assert (
        "Demo judge D** disagrees with the raters' majority in **27** of the 68 pairs that have one" in found
    )
    assert "(4 more have none), significantly more often for" in found
    assert "pairs in which the raters chose the shorter response (26 of 39)" in found
    assert "pairs in which its choice changed with the order (14 of 16)" in found
    assert "Fisher’s exact test; p-values are corrected jointly over all 19 tests" in found
    assert (
        "Not listed: pairs in no subset, or in a subset of fewer than five pairs (3 pairs under “Raters' "
        "choice”" in found
    )
    parts = at.dataframe[PARTS].value
    assert "Difference" not in parts, "choices have no distance"
    row = parts[parts["Part"] == "the shorter response"].iloc[0]
    assert (row["Cut"], row["Far"], row["Elsewhere"], row["p"]) == (
        *("Raters' choice", "26 / 39", "0 % (n 26)", "< 0.001"),
    )
    together = at.dataframe[TOGETHER].value
    assert together["Raters"].tolist()[:2] == ["exact (3 of 3)", "brief (2 of 3)"]
    assert set(together["Judges"]) == {"tie"}
    assert "5 of the 68 pairs that have a majority and were judged by at least two of the 3 judges" in found
    for of_one in ("the shorter response", "the longer response", "Order shown to the judge"):
        found = found.replace(of_one, "")
    assert "response" not in found
    at.selectbox(key="patterns_judge").set_value("Demo judge E").run()
    assert "no subset of the data has significantly more of them" in shown(at)
    assert at.query_params["judge"] == "Demo judge E"


def test_a_link_opens_a_pair_on_explain(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store, points=False)
    with app_store.reading() as session:
        frame = response_frame(session, find_project(session, slug).id)
    low, high = sorted(frame.loc[frame["item"] == "q4", "response"])
    link = {"project": slug, "judge": "j-judge", "pair": f"{low}-{high}"}
    at = open_page(EXPLAIN, **link)
    assert not at.exception
    assert at.dataframe[0].value["Question"].iloc[0] != "q4 Why 4?"
    assert {"because it is so 4", "so 4"} <= {element.value for element in at.text}
    assert at.query_params["pair"] == link["pair"]
    assert not open_page(EXPLAIN, **{**link, "pair": "7-x"}).exception


def test_a_project_with_both_lets_one_choose(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store)
    rate_responses(app_store, slug)
    at = open_page(PATTERNS, project=slug)
    assert not at.exception and "points or more apart" in page_answer(at)
    at.segmented_control(key="agree_form").set_value("pairs").run()
    assert not at.exception
    assert "disagrees with the raters' majority" in page_answer(at) and at.query_params["form"] == "pairs"
    assert "(2 more have none)" in page_answer(at)
    linked = open_page(PATTERNS, project=slug, form="pairs", judge="points-judge")
    assert "points\\-judge" in page_answer(linked) and "the raters' majority" in page_answer(linked)


def test_words_are_found_in_reasons_of_choices(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store, points=False)
    at = open_page(PATTERNS, project=slug, judge="j-judge")
    at.text_input(key="patterns_words").set_value("REASON 4").run()
    assert not at.exception
    assert "2 rationales and comments" in captions(at)
    found = at.dataframe[-1].value
    assert found[["Who", "Item", "Pair", "Choice", "Reason"]].values.tolist() == 2 * [
        ["j-judge", "q4", "new – old", "old", "reason 4"]
    ]
    at.text_input(key="patterns_words").set_value("nothing like it").run()
    assert "0 rationales and comments" in captions(at)
