"""*More ratings* of comparisons: the claim, the answer in pairs, and what is counted."""

from __future__ import annotations

from judgelab.analysis.comparison.sample_size import sample_size_for_systems
from judgelab.store.db.engine import Store
from judgelab.ui.kit import text
from tests.compared import decide, pairs_project, rate_responses
from tests.databases import load_demo
from tests.pages.conftest import OpenPage, captions, page_answer, screen_text, spaced

MORE = "researcher/more.py"


def test_two_systems_are_told_apart_by_pairs(open_page: OpenPage, app_store: Store) -> None:
    load_demo(app_store, "pairs")
    at = open_page(MORE, project="demo-pairs", claim="systems", first="brief", second="friendly")
    assert not at.exception and not at.error
    plan = sample_size_for_systems(app_store, "demo-pairs", "brief", "friendly", comparisons=True)
    answer = page_answer(at).replace("\\", "")
    assert str(plan.answer) in answer and "24 pairs show that brief wins more often" in answer
    value, interval = text.signed(plan.present.value, 2), text.interval(plan.present.ci or (0.0, 0.0))
    expected = (
        f"Current difference in the raters' win rates, brief − friendly: **{value}** {interval}, n = 24"
    )
    assert spaced(expected) in screen_text(at)
    assert "Pairs counted: those of the two systems that raters compared." in captions(at)
    assert "only comparisons that its judge made too" in captions(at)
    assert (
        "Their intervals are those of paired t-tests, cut off at the largest possible difference"
        in captions(at)
    )
    assert "all comparisons" in screen_text(at)


def test_judges_are_compared_and_put_in_a_raters_place(open_page: OpenPage, app_store: Store) -> None:
    load_demo(app_store, "pairs")
    at = open_page(MORE, project="demo-pairs", claim="judges", first="Demo judge C", second="Demo judge D")
    assert not at.exception
    assert (
        "68 pairs are too few to show whether Demo judge C or Demo judge D agrees better with the raters"
        in page_answer(at)
    )
    assert "a choice by both judges" in captions(at)
    assert "“Majority” means the single most frequent choice" in captions(at)
    questions = next(f.value for f in at.dataframe if "Question" in f.value)["Question"]
    assert any(question.endswith(" …") for question in questions), "a long question is cut between words"
    at.selectbox(key="more_claim").set_value("baseline").run()
    assert not at.exception
    assert "69 pairs are too few to show whether" in page_answer(at) and "n = 69" in screen_text(at)
    assert "compared with the best trivial baseline, always giving the same answer" in page_answer(at)
    assert "Current difference from the best baseline: **+0.03**" in spaced(screen_text(at))
    at.selectbox(key="more_claim").set_value("stand_in").run()
    assert not at.exception
    assert "72 pairs do not show that Demo judge C passes the alternative annotator test" in page_answer(at)
    assert "Pairs counted: those that two raters or more and the judge compared." in captions(at)


def test_a_project_with_both_lets_one_choose(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store)
    rate_responses(app_store, slug)
    at = open_page(MORE, project=slug, claim="systems")
    assert "10 items" in page_answer(at)
    at.segmented_control(key="agree_form").set_value("pairs").run()
    assert not at.exception
    assert "10 pairs do not show whether " in page_answer(at) and at.query_params["form"] == "pairs"


def test_the_pairs_that_one_more_choice_may_settle_are_listed(open_page: OpenPage, app_store: Store) -> None:
    slug = pairs_project(app_store, points=False)
    at = open_page(MORE, project=slug)
    assert not at.exception
    expected = (
        "Of 10 pairs that raters compared, 2 have no majority; in 4 others, one more choice can undo the "
        "majority"
    )
    assert expected in screen_text(at)
    table = next(frame.value for frame in at.dataframe if "Chance" in frame.value)
    assert table["Question"].tolist() == [f"Why {n}?" for n in (9, 8, 2, 5, 6, 3)]
    assert table["Raters"].tolist()[:3] == ["1 : 1 : 1", "1 : 1 : 1", "2 : 0 : 1"]
    assert table["Judges"].tolist()[:3] == ["1 : 0 : 1", "2 : 0 : 0", "1 : 0 : 1"]
    assert [spaced(cell) for cell in table["Chance"]] == ["100 %", "100 %", *4 * ["33 %"]]
    assert "Pair" not in table, "there are two systems only"
    decide(app_store, slug, "q8", "old")
    at = open_page(MORE, project=slug)
    assert "1 has no majority; in 4 others, one more choice can undo the majority" in screen_text(at)
    assert "1 pair is left out because it was adjudicated." in captions(at)
